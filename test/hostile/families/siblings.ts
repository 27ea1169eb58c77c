// Ways that no list named: known callers over the older wires, claims that are not kept, hashes, bombs of
// compression, the manager's own work, business that multiplies.
import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import type { Attack, Hands } from '../attack.ts'
import { type Body, many, times } from '../bodies.ts'

const json = { 'content-type': 'application/json' }
const envelope = (params: Body): Body => ['{"jsonrpc":"2.0","method":"call","params":', ...params, '}']
const execute = ({ world }: Hands, inner: Body): Body =>
  envelope([
    `{"service":"object","method":"execute_kw","args":["${world.database}",${world.uids.portal},"${world.keys.portal}","res.partner","search",`,
    ...inner,
    ']}',
  ])

/** Values in the place of arguments, by callers whose key is right and in front. */
const values: Readonly<Record<string, { size: number; small: number; body: (n: number) => Body }>> = {
  'empty-lists': { size: 10_000_000, small: 30_000, body: (n) => ['[[', many(n, '[]'), ']]'] },
  keys: { size: 3_000_000, small: 30_000, body: (n) => ['[[]],{', many(n, (at) => `"k${at}":1`), '}'] },
  'long-text': { size: 100_000_000, small: 300_000, body: (n) => ['["', times(n, 'x'), '"]'] },
  nested: { size: 10_000_000, small: 30_000, body: (n) => [times(n, '[')] },
  context: {
    size: 1_000_000,
    small: 30_000,
    body: (n) => ['[[]],{"context":{', many(n, (at) => `"c${at}":[]`), '}}'],
  },
  domain: {
    size: 400_000,
    small: 3000,
    body: (n) => ['[[', many(n, (at) => `["name","ilike","x${at}"]`), ']]'],
  },
  'further-arguments': { size: 5_000_000, small: 30_000, body: (n) => [many(n, '0')] },
}

const ofKnownUsers: Attack[] = Object.entries(values).flatMap(([name, { size, small, body }]) => [
  {
    name: `jsonrpc-known/${name}`,
    area: 'B' as const,
    size,
    small,
    run: (hands: Hands, n: number) =>
      hands.send({ path: '/jsonrpc', headers: json, body: execute(hands, body(n)) }),
  },
  {
    name: `session-known/${name}`,
    area: 'B' as const,
    size,
    run: async (hands: Hands, n: number) => {
      const cookie = await hands.session('plain')
      const params: Body = [
        '{"model":"res.partner","method":"search","kwargs":{},"args":',
        ...(body(n).length > 1 ? body(n) : ['[]']),
        '}',
      ]
      await hands.send({ path: '/web/dataset/call_kw', headers: { ...json, cookie }, body: envelope(params) })
    },
  },
])

/** Bodies whose content differs from the declared one. */
const claims: Readonly<Record<string, (hands: Hands, n: number) => Body>> = {
  'claim-at-the-end': ({ world }, n) => [
    '{"jsonrpc":"2.0","filler":"',
    times(n, 'f'),
    `","params":{"service":"object","method":"execute_kw","args":["${world.database}",2,"x","res.partner","search",[]]}}`,
  ],
  'two-params': (hands, n) => [
    ...execute(hands, ['[[]]']).slice(0, -1),
    ',"params":[',
    many(n / 3, '[]'),
    ']}',
  ],
  'empty-password': ({ world }, n) =>
    envelope([
      `{"service":"object","method":"execute_kw","args":["${world.database}",2,"","res.partner","search",[`,
      many(n / 3, '[]'),
      ']]}',
    ]),
  'other-service': ({ world }, n) =>
    envelope([
      `{"args":["${world.database}",2,"wrong","res.partner","search",[`,
      many(n / 3, '[]'),
      ']],"service":"common","method":"version"}',
    ]),
  'unknown-service': (_, n) => envelope(['{"service":"', times(n, 's'), '","method":"m","args":[]}']),
  'args-are-an-object': (_, n) =>
    envelope(['{"service":"common","method":"login","args":{', many(n / 9, (at) => `"${at}":0`), '}}']),
  'id-is-long': (_, n) => [
    '{"jsonrpc":"2.0","id":"',
    times(n, 'i'),
    '","params":{"service":"common","method":"version","args":[]}}',
  ],
  'master-claimed': (_, n) =>
    envelope(['{"service":"db","method":"restore","args":["wrong","x","', times(n, 'A'), '"]}']),
}

const claimed: Attack[] = Object.entries(claims).map(([name, body]) => ({
  name: `claims/${name}`,
  area: 'B',
  open: true,
  size: 60_000_000,
  small: 3_000_000,
  run: (hands, n) => hands.send({ path: '/jsonrpc', headers: json, body: body(hands, n) }),
}))

const bomb = gzipSync(Buffer.alloc(50_000_000, '['))

const odd: Attack[] = [
  {
    name: 'compression/bombs',
    area: 'B',
    open: true,
    size: 30,
    small: 6,
    run: ({ send, crowd }, n) =>
      crowd(n, 6, (at) =>
        send({
          path: ['/jsonrpc', '/xmlrpc/2/common', '/web/login', '/json/2/res.partner/search'][
            at % 4
          ] as string,
          headers: {
            ...json,
            'content-encoding': ['gzip', 'deflate', 'br', 'gzip, gzip'][(at >> 2) % 4] as string,
          },
          body: [bomb],
        }),
      ),
  },
  {
    name: 'compression/long-answers',
    area: 'E',
    size: 60,
    small: 6,
    run: ({ send, crowd, world }, n) =>
      crowd(n, 20, () =>
        send({
          path: '/json/2/ir.model.fields/search_read',
          headers: {
            ...json,
            authorization: `bearer ${world.keys.plain}`,
            'accept-encoding': 'gzip, br, deflate',
          },
          body: ['{"domain":[]}'],
        }),
      ),
  },
  {
    name: 'hashes/of-everybody-from-everywhere',
    area: 'E',
    open: true,
    size: 300,
    small: 20,
    run: ({ send, crowd, world, random }, n) =>
      crowd(n, 100, (at) =>
        send({
          path: '/jsonrpc',
          headers: json,
          body: [
            JSON.stringify({
              params: {
                service: 'common',
                method: 'login',
                args: [world.database, `guessed${at % 40}`, `no ${at}`],
              },
            }),
          ],
          from: `10.205.${random.below(250)}.${random.below(250)}`,
        }),
      ),
  },
  {
    name: 'hashes/of-strangers-from-everywhere',
    area: 'E',
    open: true,
    size: 300,
    small: 20,
    run: ({ send, crowd, world, random }, n) =>
      crowd(n, 100, (at) =>
        send({
          path: '/web/session/authenticate',
          headers: json,
          body: [JSON.stringify({ params: { db: world.database, login: `nobody${at}`, password: 'x' } })],
          from: `10.206.${random.below(250)}.${random.below(250)}`,
        }),
      ),
  },
  {
    name: 'sessions/by-the-hundred',
    area: 'E',
    size: 300,
    small: 10,
    run: (hands, n) => hands.crowd(n, 10, () => hands.session('portal').catch(() => undefined)),
  },
  {
    name: 'databases/names-by-the-thousand',
    area: 'B',
    open: true,
    size: 5000,
    small: 200,
    run: ({ send, crowd }, n) =>
      crowd(n, 20, (at) =>
        send({
          path: [
            '/json/2/res.users/context_get',
            `/web/login?db=name${at}`,
            `/web?db=${'n'.repeat(at % 300)}`,
          ][at % 3] as string,
          ...(at % 3
            ? {}
            : {
                body: ['{}'],
                headers: {
                  ...json,
                  authorization: `bearer ${'a'.repeat(40)}`,
                  'x-service-database': `name${at}`,
                },
              }),
        }),
      ),
  },
  {
    name: 'content/odd-places',
    area: 'B',
    open: true,
    size: 3000,
    small: 150,
    run: ({ send, crowd }, n) =>
      crowd(n, 20, (at) => {
        const places = [
          `${10 ** (at % 30)}`,
          `res.partner/${at}/image_1920/${'f'.repeat(at % 500)}.png`,
          `ir.attachment/${at}/raw`,
          '%00',
          '..%2f..%2fetc',
          `?model=res.users&id=${at}&field=password`,
          `base.x${at}`,
        ]
        return send({ path: `/web/content/${places[at % places.length]}` })
      }),
  },
  {
    name: 'rpc/odd-methods',
    area: 'B',
    open: true,
    size: 2000,
    small: 100,
    run: ({ send, crowd }, n) =>
      crowd(n, 20, (at) => {
        const services = ['common', 'db', 'object', '__proto__', 'constructor', '', 'report']
        const methods = [
          'toString',
          '__proto__',
          'list',
          'db_exist',
          'server_version',
          'list_lang',
          'about',
          'version',
          'execute',
          'm'.repeat(at),
        ]
        const args = [
          [],
          [null],
          [{}],
          [[[]]],
          [1e308],
          ['\u0000'],
          ['\ud800'],
          Array.from({ length: at % 50 }, () => at),
        ][at % 8]
        return send({
          path: '/jsonrpc',
          headers: json,
          body: [
            JSON.stringify({ id: at, params: { service: services[at % 7], method: methods[at % 10], args } }),
          ],
        })
      }),
  },
]

const form = { 'content-type': 'application/x-www-form-urlencoded' }
const managed = ({ world }: Hands, action: string, fields: Record<string, string>) => ({
  path: `/web/database/${action}`,
  headers: form,
  body: [String(new URLSearchParams({ master_pwd: world.master, ...fields }))],
})

/** By somebody who has the master password: others must not notice. */
const manager: Attack[] = [
  {
    name: 'manager/four-duplicates-at-once',
    area: 'A',
    size: 4,
    run: (hands, n) =>
      hands.crowd(n, n, async (at) => {
        const name = `twin${process.pid}x${at}`
        await hands.send(managed(hands, 'duplicate', { name: hands.world.database, new_name: name }))
        await hands.send(managed(hands, 'drop', { name }))
      }),
  },
  {
    name: 'manager/names-that-are-none',
    area: 'A',
    size: 60,
    small: 10,
    run: (hands, n) =>
      hands.crowd(n, 4, (at) => {
        const names = [
          'postgres',
          'template1',
          `"; DROP`,
          '../x',
          'x'.repeat(at * 100),
          '',
          ' ',
          'comptoir/../y',
          '\u0000',
        ]
        const name = names[at % names.length] as string
        return hands.send(
          managed(hands, ['duplicate', 'drop', 'backup'][at % 3] as string, {
            name: at % 2 ? name : hands.world.database.slice(1),
            new_name: name,
          }),
        )
      }),
  },
  {
    name: 'manager/backups-that-nobody-reads',
    area: 'A',
    size: 12,
    run: async (hands, n) => {
      const { path, headers, body } = managed(hands, 'backup', {
        name: hands.world.database,
        backup_format: 'zip',
      })
      for (let at = 0; at < n; at++) {
        const outgoing = request(
          hands.world.url + path,
          { method: 'POST', headers, agent: false, signal: hands.signal },
          (answer) => answer.pause(),
        )
        outgoing.on('error', () => undefined)
        outgoing.end(body[0])
      }
      await sleep(8000)
      const { status } = await hands.json2('plain', 'res.partner/search_read', ['{"domain":[],"limit":10}'])
      if (status !== 200) hands.complain(`others are told ${status}`)
    },
  },
]

const ids = (text: string) => text.match(/\d+/g) ?? []

/** Business that multiplies: variants, lines, levels. */
const business: Attack[] = [
  {
    name: 'business/variants',
    area: 'D',
    size: 12,
    small: 4,
    run: async ({ json2 }, n) => {
      const attribute = await json2('admin', 'product.attribute/create', [
        '{"vals_list":[',
        many(
          n,
          (at) =>
            `{"name":"A${at}","value_ids":[${Array.from({ length: 12 }, (_, i) => `[0,0,{"name":"V${i}"}]`)}]}`,
        ),
        ']}',
      ])
      const read = await json2('admin', 'product.attribute/read', [
        `{"ids":[${ids(attribute.text)}],"fields":["value_ids"]}`,
      ])
      const lines = (JSON.parse(read.text) as { id: number; value_ids: number[] }[]).map(
        ({ id, value_ids }) => `[0,0,{"attribute_id":${id},"value_ids":[[6,0,[${value_ids}]]]}]`,
      )
      await json2('admin', 'product.template/create', [
        `{"vals_list":[{"name":"Explosion","attribute_line_ids":[${lines}]}]}`,
      ])
    },
  },
  {
    name: 'business/attribute-values',
    area: 'D',
    size: 15_000,
    small: 100,
    run: ({ json2 }, n) =>
      json2('admin', 'product.attribute/create', [
        '{"vals_list":[{"name":"Many","value_ids":[',
        many(n, (at) => `[0,0,{"name":"V${at}"}]`),
        ']}]}',
      ]),
  },
  {
    name: 'business/order-lines',
    area: 'D',
    size: 5000,
    small: 30,
    run: ({ json2, world }, n) =>
      json2('admin', 'sale.order/create', [
        `{"vals_list":[{"partner_id":${world.partners[0]},"order_line":[`,
        many(n, (at) => `[0,0,{"product_id":1,"product_uom_qty":${at + 1}}]`),
        ']}]}',
      ]),
  },
  {
    name: 'business/absurd-numbers',
    area: 'D',
    size: 1,
    small: 1,
    run: async ({ json2, world }) => {
      for (const number of [
        '1e308',
        '-1e308',
        '1e-320',
        '99999999999999999999999999',
        '0.1e-300',
        '123456789012345678901234567890.123456789',
      ])
        for (const [path, values] of [
          [
            'sale.order/create',
            `"partner_id":${world.partners[0]},"order_line":[[0,0,{"product_id":1,"product_uom_qty":${number},"price_unit":${number},"discount":${number}}]]`,
          ],
          [
            'product.template/create',
            `"name":"N","list_price":${number},"standard_price":${number},"weight":${number},"volume":${number}`,
          ],
          ['uom.uom/create', `"name":"U","relative_factor":${number}`],
          ['account.tax/create', `"name":"T${number}","amount":${number}`],
          ['res.currency.rate/create', `"name":"2031-01-01","currency_id":1,"rate":${number}`],
          ['decimal.precision/create', `"name":"D${number}","digits":${number}`],
          ['res.partner/create', `"name":"L","partner_latitude":${number},"color":${number}`],
        ] as const)
          await json2('admin', path, [`{"vals_list":[{${values}}]}`])
    },
  },
  {
    name: 'business/tax-of-taxes',
    area: 'D',
    size: 200,
    small: 5,
    run: ({ json2 }, n) =>
      json2('admin', 'account.tax/create', [
        '{"vals_list":[',
        many(
          n,
          (at) =>
            `{"name":"Tax ${at}","amount":${at},"invoice_repartition_line_ids":[${Array.from({ length: 60 }, () => '[0,0,{"repartition_type":"tax"}]')}]}`,
        ),
        ']}',
      ]),
  },
  {
    name: 'business/pricelist-items',
    area: 'D',
    size: 15_000,
    small: 100,
    run: ({ json2 }, n) =>
      json2('admin', 'product.pricelist/create', [
        '{"vals_list":[{"name":"Long","item_ids":[',
        many(n, (at) => `[0,0,{"fixed_price":${at}}]`),
        ']}]}',
      ]),
  },
  {
    name: 'business/term-lines',
    area: 'D',
    size: 10_000,
    small: 100,
    run: ({ json2 }, n) =>
      json2('admin', 'account.payment.term/create', [
        '{"vals_list":[{"name":"Slow","line_ids":[',
        many(n, (at) => `[0,0,{"value":"percent","value_amount":${100 / n},"nb_days":${at}}]`),
        ']}]}',
      ]),
  },
  {
    name: 'business/account-numbers',
    area: 'D',
    size: 3_000_000,
    small: 20_000,
    run: ({ json2, world }, n) =>
      json2('maker', 'res.partner.bank/create', [
        `{"vals_list":[{"partner_id":${world.partners[2]},"acc_number":"`,
        times(n, 'BE 7-'),
        '"}]}',
      ]),
  },
  {
    name: 'business/barcodes',
    area: 'D',
    size: 3_000_000,
    small: 20_000,
    run: ({ json2 }, n) =>
      json2('admin', 'product.template/create', [
        '{"vals_list":[{"name":"x","barcode":"',
        times(n, '4'),
        '","default_code":"',
        times(n, 'c '),
        '"}]}',
      ]),
  },
  {
    name: 'business/groups-that-imply',
    area: 'D',
    size: 400,
    small: 20,
    run: ({ json2 }, n) =>
      json2('admin', 'res.groups/create', [
        '{"vals_list":[{"name":"deep",',
        times(n, '"implied_ids":[[0,0,{"name":"g",'),
        '"comment":"x"',
        times(n, '}]]'),
        '}]}',
      ]),
  },
  {
    name: 'business/parents-of-parents',
    area: 'D',
    size: 3000,
    small: 50,
    run: async ({ json2 }, n) => {
      const partner = await json2('maker', 'res.partner/create', [
        '{"vals_list":[',
        many(n, (at) => `{"name":"chain ${at}"}`),
        ']}',
      ])
      const all = ids(partner.text)
      for (let at = 1; at < Math.min(all.length, 300); at++)
        await json2('maker', 'res.partner/write', [
          `{"ids":[${all[at]}],"vals":{"parent_id":${all[at - 1]}}}`,
        ])
      await json2('maker', 'res.partner/write', [
        `{"ids":[${all[0]}],"vals":{"name":"root","vat":"BE0477472701","company_registry":"x"}}`,
      ])
      await json2('plain', 'res.partner/search_read', [
        `{"domain":[["id","child_of",${all[0]}]],"fields":["commercial_partner_id","contact_address","display_name"]}`,
      ])
      await json2('maker', 'res.partner/write', [
        `{"ids":[${all[0]}],"vals":{"parent_id":${all[Math.min(all.length, 300) - 1]}}}`,
      ])
    },
  },
  {
    name: 'business/scheduled-actions',
    area: 'D',
    size: 200_000,
    small: 500,
    run: ({ json2 }, n) =>
      json2('admin', 'ir.cron.trigger/create', [
        '{"vals_list":[',
        many(n, '{"cron_id":1,"call_at":"2031-01-01 00:00:00"}'),
        ']}',
      ]),
  },
  {
    name: 'business/code-of-actions',
    area: 'D',
    size: 10_000_000,
    small: 50_000,
    run: ({ json2 }, n) =>
      json2('admin', 'ir.actions.server/create', [
        '{"vals_list":[{"name":"a","model_id":1,"state":"code","code":"',
        times(n, '('),
        '"}]}',
      ]),
  },
  {
    name: 'business/computed-by-hand',
    area: 'D',
    size: 5_000_000,
    small: 50_000,
    run: ({ json2 }, n) =>
      json2('admin', 'ir.model.fields/create', [
        '{"vals_list":[{"name":"x_c","model":"res.bank","ttype":"char","related":"',
        times(n, 'country.'),
        'name","depends":"',
        times(n, 'a,'),
        '"}]}',
      ]),
  },
]

export const siblings: readonly Attack[] = [...ofKnownUsers, ...claimed, ...odd, ...manager, ...business]
