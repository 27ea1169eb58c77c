// Pictures of forms that are seldom met: they differ in what their files hold, and take to be read.
import { randomBytes } from 'node:crypto'
import sharp from 'sharp'
import { present } from '../../../src/kit/present.ts'
import { progressiveJpeg } from '../../support/jpeg.ts'
import { plainPng } from '../../support/png.ts'
import { plainWebp } from '../../support/webp.ts'
import type { Attack, Hands, Member, Request } from '../attack.ts'

/** Side in pixels, as large as a picture may be. */
const SIDE = 3500

/** A square of such bytes in red, green, blue and opacity, as the server's own library writes it. */
function written(side: number, bytes: (length: number) => Uint8Array, as: 'jpeg' | 'webp') {
  const image = sharp(bytes(side * side * 4), { raw: { width: side, height: side, channels: 4 } })
  return (as === 'jpeg' ? image.jpeg({ quality: 60 }) : image.webp({ lossless: true, effort: 0 })).toBuffer()
}
const black = (length: number) => new Uint8Array(length)

const files: Readonly<Record<string, (side: number) => Buffer | Promise<Buffer>>> = {
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

/** The same by five users from as many addresses, on every wire that takes pictures. */
const wires: readonly ((hands: Hands, who: Member, base64: string) => Promise<Request>)[] = [
  async ({ world }, who, base64) => ({
    path: '/json/2/res.users/write',
    headers: {
      authorization: `bearer ${world.keys[who]}`,
      'content-type': 'application/json',
      'x-service-database': world.database,
    },
    body: [`{"ids":[${world.uids[who]}],"vals":{"image_1920":"`, base64, '"}}'],
  }),
  async ({ world }, who, base64) => ({
    path: '/jsonrpc',
    headers: { 'content-type': 'application/json' },
    body: [
      `{"jsonrpc":"2.0","method":"call","params":{"service":"object","method":"execute_kw","args":["${world.database}",${world.uids[who]},"${world.keys[who]}","res.users","write",[[${world.uids[who]}],{"image_1920":"`,
      base64,
      '"}]]}}',
    ],
  }),
  async (hands, who, base64) => ({
    path: '/web/dataset/call_kw',
    headers: { 'content-type': 'application/json', cookie: await hands.session(who) },
    body: [
      `{"params":{"model":"res.users","method":"write","kwargs":{},"args":[[${hands.world.uids[who]}],{"image_1920":"`,
      base64,
      '"}]}}',
    ],
  }),
  async ({ world }, who, base64) => ({
    path: '/xmlrpc/2/object',
    headers: { 'content-type': 'text/xml' },
    body: [
      '<methodCall><methodName>execute_kw</methodName><params>',
      ...[
        world.database,
        `<int>${world.uids[who]}</int>`,
        world.keys[who],
        'res.users',
        'write',
        `<array><data><value><array><data><value><int>${world.uids[who]}</int></value></data></array></value><value><struct><member><name>image_1920</name><value>`,
      ].map((argument, at) => `<param><value>${argument}${at < 5 ? '</value></param>' : ''}`),
      base64,
      '</value></member></struct></value></data></array></value></param></params></methodCall>',
    ],
  }),
]
const members: readonly Member[] = ['portal', 'plain', 'maker', 'clerk', 'admin']

const attack = (
  name: string,
  of: string,
  run: (hands: Hands, base64: string) => Promise<unknown>,
): Attack => ({
  name: `picture/${name}`,
  area: 'D',
  size: SIDE,
  small: 300,
  run: async (hands, side) => run(hands, (await present(files[of])(side)).toString('base64')),
})

export const pictures: readonly Attack[] = [
  ...Object.keys(files).map((name) => attack(name, name, (hands, base64) => sent(hands, 'plain', base64))),
  ...crowded.map((name) =>
    attack(`sixteen-of-${name}`, name, (hands, base64) =>
      hands.crowd(16, 16, (at) => sent(hands, at % 2 ? 'plain' : 'portal', base64)),
    ),
  ),
  ...crowded.map((name) =>
    attack(`everybody-on-every-wire-${name}`, name, (hands, base64) =>
      hands.crowd(20, 20, async (at) => {
        const member = present(members[at % members.length])
        // Others guess passwords meanwhile: a session may have to wait, a key has none to wait for.
        const request = await present(wires[at % wires.length])(hands, member, base64).catch(() =>
          present(wires[0])(hands, member, base64),
        )
        return hands.send({ ...request, from: `10.207.${at % members.length}.7` })
      }),
    ),
  ),
]
