// Pictures of forms that are seldom met: they differ in what their files hold, and take to be read.
import { randomBytes } from 'node:crypto'
import { progressiveJpeg } from '../../support/jpeg.ts'
import { plainPng } from '../../support/png.ts'
import type { Attack } from '../attack.ts'

/** Side in pixels, as large as a picture may be. */
const SIDE = 3500
/** Of those that take more memory to be read, which count for more. */
const sides: Readonly<Record<string, number>> = {
  'png-of-16-bits-interlaced': 3050,
  'jpeg-progressive': 2960,
  'jpeg-progressive-of-four-inks': 2730,
}

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
}

export const pictures: readonly Attack[] = Object.entries(files).map(([name, fileOf]) => ({
  name: `picture/${name}`,
  area: 'D',
  size: sides[name] ?? SIDE,
  small: 300,
  run: ({ json2, world }, side) =>
    json2('plain', 'res.users/write', [
      `{"ids":[${world.uids.plain}],"vals":{"image_1920":"`,
      fileOf(side).toString('base64'),
      '"}}',
    ]),
}))
