// Pictures of forms that are seldom met: they differ in what their files hold, and take to be read.
import { randomBytes } from 'node:crypto'
import { PhotonImage } from '@cf-wasm/photon/node'
import { present } from '../../../src/kit/present.ts'
import { progressiveJpeg } from '../../support/jpeg.ts'
import { plainPng } from '../../support/png.ts'
import { plainWebp } from '../../support/webp.ts'
import type { Attack, Hands } from '../attack.ts'

/** Side in pixels, as large as a picture may be. */
const SIDE = 3500
/** Of those that take more memory to be read, which count for more. */
const sides: Readonly<Record<string, number>> = {
  'png-of-16-bits-interlaced': 3050,
  'jpeg-progressive': 2960,
  'jpeg-progressive-of-four-inks': 2730,
  'webp-with-loss': 3300,
  'webp-without-loss': 3160,
  'webp-without-loss-of-noise': 2060,
}

/** A square of such bytes in red, green, blue and opacity, as the server's own library writes it. */
function written(side: number, bytes: (length: number) => Uint8Array, as: 'jpeg' | 'webp'): Buffer {
  const image = new PhotonImage(new Uint8Array(bytes(side * side * 4)), side, side)
  try {
    return Buffer.from(as === 'jpeg' ? image.get_bytes_jpeg(60) : image.get_bytes_webp())
  } finally {
    image.free()
  }
}
const black = (length: number) => new Uint8Array(length)

const files: Readonly<Record<string, (side: number) => Buffer>> = {
  'png-of-16-bits': (side) => plainPng(side, side, 'rgba-16'),
  'png-of-16-bits-interlaced': (side) => plainPng(side, side, 'rgba-16', { interlaced: true }),
  'png-of-16-bits-without-alpha': (side) => plainPng(side, side, 'rgb-16'),
  'png-with-alpha': (side) => plainPng(side, side, 'rgba'),
  'png-with-a-palette': (side) => plainPng(side, side, 'palette', { interlaced: true }),
  'png-of-bits': (side) => plainPng(side, side, 'grey'),
  'png-of-noise': (side) => plainPng(side, side, 'rgb', { bytes: randomBytes }),
  'png-of-noise-with-alpha': (side) => plainPng(side, side, 'rgba', { bytes: randomBytes }),
  'jpeg-progressive-grey': (side) => progressiveJpeg(side, side, 1),
  'jpeg-progressive': (side) => progressiveJpeg(side, side, 3),
  'jpeg-progressive-of-four-inks': (side) => progressiveJpeg(side, side, 4),
  'jpeg-of-noise': (side) => written(side, randomBytes, 'jpeg'),
  'jpeg-of-black': (side) => written(side, black, 'jpeg'),
  'webp-with-loss': (side) => plainWebp(side, side),
  'webp-without-loss': (side) => written(side, black, 'webp'),
  'webp-without-loss-of-noise': (side) => written(side, randomBytes, 'webp'),
}

/** Those that come sixteen at a time too. */
const crowded = ['jpeg-of-noise', 'png-of-noise', 'webp-with-loss', 'webp-without-loss-of-noise']

const sent = ({ json2, world }: Hands, who: 'plain' | 'portal', base64: string) =>
  json2(who, 'res.users/write', [`{"ids":[${world.uids[who]}],"vals":{"image_1920":"`, base64, '"}}'])

const attack = (
  name: string,
  of: string,
  run: (hands: Hands, base64: string) => Promise<unknown>,
): Attack => ({
  name: `picture/${name}`,
  area: 'D',
  size: sides[of] ?? SIDE,
  small: 300,
  run: (hands, side) => run(hands, present(files[of])(side).toString('base64')),
})

export const pictures: readonly Attack[] = [
  ...Object.keys(files).map((name) => attack(name, name, (hands, base64) => sent(hands, 'plain', base64))),
  ...crowded.map((name) =>
    attack(`sixteen-of-${name}`, name, (hands, base64) =>
      hands.crowd(16, 16, (at) => sent(hands, at % 2 ? 'plain' : 'portal', base64)),
    ),
  ),
]
