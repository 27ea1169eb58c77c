// Texts: HTML that is open, deep or long, fields of fifty megabytes, expressions, filters, defaults,
// sequences and properties without an end.
import type { Attack, Hands, Member } from '../attack.ts'
import { type Body, many, times } from '../bodies.ts'

const html: Readonly<Record<string, { size: number; small: number; body: (n: number) => Body }>> = {
  'open-divs': { size: 400_000, small: 4000, body: (n) => [times(n, '<div>')] },
  'open-divs-5-megabytes': { size: 1_000_000, small: 20_000, body: (n) => [times(n, '<div>')] },
  'open-tags-of-many-kinds': {
    size: 200_000,
    small: 4000,
    body: (n) => [
      many(n, (at) => `<${['b', 'i', 'p', 'ul', 'li', 'table', 'tr', 'td', 'a', 'span'][at % 10]}>`, ''),
    ],
  },
  'closing-tags': { size: 1_000_000, small: 10_000, body: (n) => [times(n, '</div>')] },
  'crossed-tags': { size: 200_000, small: 4000, body: (n) => [times(n, '<b><i></b></i>')] },
  'deep-within-bounds': {
    size: 249,
    small: 200,
    body: (n) => [times(n, '<div>'), times(1000, '<b>x</b>'), times(n, '</div>')],
  },
  'open-marks': { size: 2_000_000, small: 20_000, body: (n) => [times(n, '<')] },
  'open-attribute': { size: 2_000_000, small: 20_000, body: (n) => ["<a href='", times(n, 'x')] },
  attributes: { size: 300_000, small: 3000, body: (n) => ['<p ', many(n, (at) => `a${at}='1'`, ' '), '>'] },
  'open-comment': { size: 5_000_000, small: 20_000, body: (n) => ['<!--', times(n / 2, '- ')] },
  comments: { size: 500_000, small: 5000, body: (n) => [times(n, '<!--x-->')] },
  'open-script': { size: 2_000_000, small: 20_000, body: (n) => ['<script>', times(n / 8, '</scrip ')] },
  'open-scripts': { size: 300_000, small: 5000, body: (n) => [times(n, '<script>')] },
  'textarea-and-style': { size: 200_000, small: 5000, body: (n) => [times(n, '<style><textarea><title>')] },
  entities: { size: 1_000_000, small: 10_000, body: (n) => [times(n, '&amp;')] },
  'open-entity': { size: 2_000_000, small: 20_000, body: (n) => [times(n, '&')] },
  'long-style': {
    size: 1_000_000,
    small: 5000,
    body: (n) => ["<p style='", times(n, 'color:red;'), "'>x</p>"],
  },
  'odd-style': { size: 1_000_000, small: 5000, body: (n) => ["<p style='", times(n, 'url(('), "'>x</p>"] },
  links: {
    size: 100_000,
    small: 2000,
    body: (n) => [many(n, (at) => `<a href='https://example.com/${at}?q=%'>l</a>`, '')],
  },
  'odd-links': {
    size: 20_000,
    small: 1000,
    body: (n) => [many(n, (at) => `<a href='java&#${at};script:x' srcset='${'a 1x,'.repeat(20)}'>l</a>`, '')],
  },
  'paragraphs-2-megabytes': { size: 200_000, small: 2000, body: (n) => [times(n, '<p>xyz</p>')] },
  'tables-within-bounds': {
    size: 60_000,
    small: 1000,
    body: (n) => ['<table>', times(n, '<tr><td>x</td></tr>'), '</table>'],
  },
  'blanks-in-tag': { size: 2_000_000, small: 20_000, body: (n) => ['<div', times(n, ' '), '>'] },
  'null-characters': { size: 300_000, small: 2000, body: (n) => [times(n, '\\u0000')] },
  'long-50-megabytes': { size: 50_000_000, small: 3_000_000, body: (n) => [times(n, 'h')] },
  'nested-quotes': { size: 100_000, small: 1000, body: (n) => [times(n, '<blockquote><p>')] },
  'svg-and-math': { size: 100_000, small: 2000, body: (n) => [times(n, '<svg><math><foreignObject>')] },
}

/** Ways to store HTML: a contact's note, and the signature that every user may change. */
const ways: readonly ((hands: Hands, text: Body) => Promise<unknown>)[] = [
  ({ json2 }, text) =>
    json2('maker', 'res.partner/create', ['{"vals_list":[{"name":"html","comment":"', ...text, '"}]}']),
  ({ json2, world }, text) =>
    json2('plain', 'res.users/write', [`{"ids":[${world.uids.plain}],"vals":{"signature":"`, ...text, '"}}']),
  ({ json2, world }, text) =>
    json2('portal', 'res.users/write', [
      `{"ids":[${world.uids.portal}],"vals":{"signature":"`,
      ...text,
      '"}}',
    ]),
  ({ json2 }, text) =>
    json2('maker', 'res.partner/onchange', [
      '{"values":{"name":"x","comment":"',
      ...text,
      '"},"field_names":["comment"],"fields_spec":{"comment":{}}}',
    ]),
  ({ json2 }, text) =>
    json2('maker', 'res.partner/load', ['{"fields":["name","comment"],"data":[["x","', ...text, '"]]}']),
]

const cleaned: Attack[] = Object.entries(html).map(([name, { size, small, body }], at) => ({
  name: `html/${name}`,
  area: 'D',
  size,
  ...(at % 2 ? {} : { small }),
  run: async (hands, n) => {
    await ways[at % 3]?.(hands, body(n))
    await ways[3 + (at % 2)]?.(hands, body(n))
  },
}))

const parallel: Attack[] = [
  {
    name: 'html/twenty-at-once',
    area: 'D',
    size: 100_000,
    small: 1000,
    run: (hands, n) =>
      hands.crowd(
        20,
        20,
        (at) => ways[at % ways.length]?.(hands, [times(n, '<p>x</p>')]) ?? Promise.resolve(),
      ),
  },
  {
    name: 'html/many-in-one-create',
    area: 'D',
    size: 3000,
    small: 50,
    run: ({ json2 }, n) =>
      json2('maker', 'res.partner/create', [
        '{"vals_list":[',
        many(n, (at) => `{"name":"h${at}","comment":"${'<p>x'.repeat(1500)}"}`),
        ']}',
      ]),
  },
  {
    name: 'html/many-deep-in-one-create',
    area: 'D',
    size: 1000,
    small: 20,
    run: ({ json2 }, n) =>
      json2('maker', 'res.partner/create', [
        '{"vals_list":[',
        many(n, (at) => `{"name":"h${at}","comment":"${'<div>'.repeat(240)}${'<b>y</b>'.repeat(500)}"}`),
        ']}',
      ]),
  },
]

const fields = [
  'name',
  'email',
  'website',
  'phone',
  'street',
  'vat',
  'ref',
  'city',
  'zip',
  'barcode',
  'function',
  'company_name',
] as const
const longs: Attack[] = fields.map((field, at) => ({
  name: `text/long-${field}`,
  area: 'D',
  size: at % 2 ? 50_000_000 : 15_000_000,
  ...(at % 3 ? {} : { small: 200_000 }),
  run: ({ json2 }, n) =>
    json2('maker', 'res.partner/create', [
      `{"vals_list":[{"name":"long","${field}":"`,
      times(n / 4, ['a@b,', '0123', 'ab c', '\\n\\n'][at % 4] as string),
      '"}]}',
    ]),
}))

const odd: Attack[] = [
  {
    name: 'text/addresses-by-the-million',
    area: 'D',
    size: 600_000,
    small: 3000,
    run: ({ json2 }, n) =>
      json2('maker', 'res.partner/create', [
        '{"vals_list":[{"name":"x","email":"',
        many(n, (at) => `\\"N ${at}\\" <a${at}@b.org>`),
        '"}]}',
      ]),
  },
  {
    name: 'text/open-addresses',
    area: 'D',
    size: 1_000_000,
    small: 3000,
    run: ({ json2 }, n) =>
      json2('maker', 'res.partner/create', [
        '{"vals_list":[{"name":"x","email":"',
        times(n, '<(\\"@'),
        '"}]}',
      ]),
  },
  {
    name: 'text/name-create-addresses',
    area: 'D',
    size: 1_000_000,
    small: 3000,
    run: ({ json2 }, n) => json2('maker', 'res.partner/name_create', ['{"name":"', times(n, '<a@'), '"}']),
  },
  {
    name: 'text/eighteen-long-ones-in-one-create',
    area: 'D',
    size: 6_000_000,
    small: 50_000,
    run: ({ json2 }, n) =>
      json2('maker', 'res.partner/create', [
        '{"vals_list":[',
        many(18, (at) => `{"name":"t${at}","street":"${'s'.repeat(n)}"}`),
        ']}',
      ]),
  },
  {
    name: 'text/long-name-of-company-of-many',
    area: 'D',
    size: 3_000_000,
    small: 30_000,
    run: async ({ json2, world }, n) => {
      await json2('maker', 'res.partner/write', [
        `{"ids":[${world.partners[7]}],"vals":{"name":"`,
        times(n, 'N'),
        '"}}',
      ])
      await json2('maker', 'res.partner/search_read', [
        '{"domain":[],"fields":["parent_id","commercial_partner_id","display_name"]}',
      ])
      await json2('maker', 'res.partner/write', [
        `{"ids":[${world.partners[7]}],"vals":{"name":"short again"}}`,
      ])
    },
  },
]

const quoted = (body: Body): Body => ['"', ...body, '"']
/** Expressions that people may store, and those that administrators may. */
const expressions: Readonly<Record<string, { size: number; small: number; body: (n: number) => Body }>> = {
  parentheses: { size: 2_000_000, small: 20_000, body: (n) => [times(n, '(')] },
  lists: { size: 2_000_000, small: 20_000, body: (n) => [times(n, '[')] },
  sums: { size: 2_000_000, small: 20_000, body: (n) => [times(n, '1+'), '1'] },
  powers: { size: 50, small: 20, body: (n) => [times(n, '9**'), '9'] },
  products: { size: 9, small: 9, body: (n) => [`[0]*1${'0'.repeat(n)}`] },
  'products-of-texts': { size: 10, small: 9, body: (n) => [`'x'*1${'0'.repeat(n)}`] },
  nots: { size: 1_000_000, small: 20_000, body: (n) => [times(n, 'not '), 'True'] },
  conditions: {
    size: 400_000,
    small: 5000,
    body: (n) => ['[', many(n, (at) => `('name','ilike','x${at}')`), ']'],
  },
  'domain-dotted': {
    size: 1500,
    small: 100,
    body: (n) => [
      '[',
      times(n - 1, "'|',"),
      many(n, (at) => `('child_ids.parent_id.child_ids.name','ilike','x${at}')`),
      ']',
    ],
  },
  shifts: { size: 3, small: 3, body: () => ['1<<99999999999'] },
  attributes: { size: 1_000_000, small: 10_000, body: (n) => ['user', times(n, '.id')] },
  'open-text': { size: 5_000_000, small: 50_000, body: (n) => ["'", times(n, 'q')] },
  comprehension: { size: 1, small: 1, body: () => ['[x for x in range(10**9)]'] },
  blanks: { size: 10_000_000, small: 50_000, body: (n) => [times(n, ' '), '[]'] },
  time: { size: 200_000, small: 3000, body: (n) => [times(n, 'context_today()+'), 'relativedelta(days=1)'] },
}

/** Fields that store expressions, each written by a user who may do so. */
const places: Readonly<Record<string, (hands: Hands, text: Body) => Promise<unknown>>> = {
  filter: async ({ json2 }, text) => {
    await json2('plain', 'ir.filters/create', [
      '{"vals_list":[{"name":"f","model_id":"res.partner","domain":',
      ...quoted(text),
      '}]}',
    ])
    await json2('plain', 'ir.filters/search_read', ['{"domain":[],"fields":["name","model_id"]}'])
  },
  rule: async ({ json2 }, text) => {
    const rule = await json2('admin', 'ir.rule/create', [
      '{"vals_list":[{"name":"hostile","model_id":',
      String(await modelId(json2)),
      ',"domain_force":',
      ...quoted(text),
      '}]}',
    ])
    await json2('plain', 'res.bank/search_read', ['{"domain":[]}'])
    const id = /^\[(\d+)\]/.exec(rule.text)?.[1]
    if (id) await json2('admin', 'ir.rule/unlink', [`{"ids":[${id}]}`])
  },
}

let bank = 0
async function modelId(json2: Hands['json2']): Promise<number> {
  bank ||= Number(
    /\d+/.exec(
      (await json2('admin', 'ir.model/search', ['{"domain":[["model","=","res.bank"]]}'])).text,
    )?.[0],
  )
  return bank
}

const stored: Attack[] = Object.entries(places).flatMap(([place, put]) =>
  Object.entries(expressions).map(([name, { size, small, body }], at) => ({
    name: `expression-${place}/${name}`,
    area: 'D' as const,
    size,
    ...(at % 2 && place === 'rule' ? { small } : {}),
    run: (hands: Hands, n: number) => put(hands, body(n)),
  })),
)

const call =
  (as: Member, path: string, body: (n: number) => Body) =>
  ({ json2 }: Hands, n: number) =>
    json2(as, path, body(n))

const stores: Attack[] = [
  {
    name: 'stored/filter-context',
    area: 'D',
    size: 50_000_000,
    small: 200_000,
    run: call('plain', 'ir.filters/create', (n) => [
      '{"vals_list":[{"name":"f","model_id":"res.partner","context":"{\'a\':\'',
      times(n, 'c'),
      '\'}"}]}',
    ]),
  },
  {
    name: 'stored/filter-sort',
    area: 'D',
    size: 10_000_000,
    small: 20_000,
    run: call('plain', 'ir.filters/create', (n) => [
      '{"vals_list":[{"name":"f","model_id":"res.partner","sort":"',
      times(n, '['),
      '"}]}',
    ]),
  },
  {
    name: 'stored/filters-by-the-thousand',
    area: 'D',
    size: 300_000,
    small: 300,
    run: call('plain', 'ir.filters/create', (n) => [
      '{"vals_list":[',
      many(n, (at) => `{"name":"f${at}","model_id":"res.partner"}`),
      ']}',
    ]),
  },
  {
    name: 'stored/default-long',
    area: 'D',
    size: 50_000_000,
    small: 200_000,
    run: call('plain', 'ir.default/set', (n) => [
      '{"model_name":"res.partner","field_name":"city","user_id":true,"value":"',
      times(n, 'd'),
      '"}',
    ]),
  },
  {
    name: 'stored/default-html',
    area: 'D',
    size: 400_000,
    small: 4000,
    run: call('plain', 'ir.default/set', (n) => [
      '{"model_name":"res.partner","field_name":"comment","user_id":true,"value":"',
      times(n, '<div>'),
      '"}',
    ]),
  },
  {
    name: 'stored/default-deep',
    area: 'D',
    size: 1_000_000,
    small: 5000,
    run: call('plain', 'ir.default/set', (n) => [
      '{"model_name":"res.partner","field_name":"city","user_id":true,"value":',
      times(n, '['),
      times(n, ']'),
      '}',
    ]),
  },
  {
    name: 'stored/default-condition',
    area: 'D',
    size: 50_000_000,
    small: 200_000,
    run: call('plain', 'ir.default/set', (n) => [
      '{"model_name":"res.partner","field_name":"city","user_id":true,"value":"x","condition":"',
      times(n, 'c='),
      '"}',
    ]),
  },
  {
    name: 'stored/defaults-again',
    area: 'D',
    size: 3000,
    small: 30,
    run: ({ json2, crowd }, n) =>
      crowd(n, 10, (at) =>
        json2('plain', 'ir.default/set', [
          `{"model_name":"res.partner","field_name":"city","user_id":true,"condition":"c${at}","value":"${'v'.repeat(1000)}"}`,
        ]),
      ),
  },
  {
    name: 'stored/properties-definition',
    area: 'D',
    size: 300_000,
    small: 1000,
    run: call('maker', 'properties.base.definition/create', (n) => [
      '{"vals_list":[{"properties_definition":[',
      many(n, (at) => `{"name":"p${at}","type":"char","string":"P"}`),
      ']}]}',
    ]),
  },
  {
    name: 'stored/properties-selection',
    area: 'D',
    size: 1_000_000,
    small: 3000,
    run: async ({ json2 }, n) => {
      await json2('maker', 'properties.base.definition/write', [
        '{"ids":[1],"vals":{"properties_definition":[{"name":"s","type":"selection","string":"S","selection":[',
        many(n, (at) => `["v${at}","V"]`),
        ']}]}}',
      ])
      await json2('maker', 'res.partner/search_read', ['{"domain":[],"fields":["properties"]}'])
    },
  },
  {
    name: 'stored/properties-values',
    area: 'D',
    size: 1_000_000,
    small: 3000,
    run: call('maker', 'res.partner/create', (n) => [
      '{"vals_list":[{"name":"p","properties":{',
      many(n, (at) => `"p${at}":1`),
      '}}]}',
    ]),
  },
  {
    name: 'stored/properties-list',
    area: 'D',
    size: 1_000_000,
    small: 3000,
    run: call('maker', 'res.partner/create', (n) => [
      '{"vals_list":[{"name":"p","properties":[',
      many(n, (at) => `{"name":"p${at}","type":"tags","tags":[["a","b",1]],"value":["a"]}`),
      ']}]}',
    ]),
  },
  {
    name: 'stored/sequence-padding',
    area: 'D',
    size: 2_147_483_647,
    small: 2_000_000_000,
    run: async ({ json2 }, n) => {
      const sequence = await json2('admin', 'ir.sequence/create', [
        `{"vals_list":[{"name":"s","code":"hostile","padding":${n}}]}`,
      ])
      const id = /^\[(\d+)\]/.exec(sequence.text)?.[1]
      if (!id) return
      await json2('plain', 'ir.sequence/next_by_id', [`{"ids":[${id}]}`])
      await json2('admin', 'ir.sequence/next_by_id', [`{"ids":[${id}]}`])
      await json2('admin', 'ir.sequence/search_read', ['{"domain":[]}'])
    },
  },
  {
    name: 'stored/sequence-prefix',
    area: 'D',
    size: 2_000_000,
    small: 10_000,
    run: async ({ json2 }, n) => {
      const sequence = await json2('admin', 'ir.sequence/create', [
        '{"vals_list":[{"name":"s","prefix":"',
        times(n, '%(year)s'),
        '"}]}',
      ])
      const id = /^\[(\d+)\]/.exec(sequence.text)?.[1]
      if (id) await json2('admin', 'ir.sequence/next_by_id', [`{"ids":[${id}]}`])
    },
  },
  {
    name: 'stored/sequence-odd-prefix',
    area: 'D',
    size: 2_000_000,
    small: 10_000,
    run: call('admin', 'ir.sequence/create', (n) => [
      '{"vals_list":[{"name":"s","prefix":"',
      times(n, '%('),
      '"}]}',
    ]),
  },
  {
    name: 'stored/sequence-numbers',
    area: 'D',
    size: 1,
    small: 1,
    run: async ({ json2 }) => {
      for (const vals of [
        '"number_next":9223372036854775807',
        '"number_increment":2147483647,"number_next":2147483647',
        '"number_next":1e300',
        '"padding":-5',
        '"padding":1e9',
        '"number_increment":0',
        '"implementation":"no_gap","padding":2000000000',
      ]) {
        const sequence = await json2('admin', 'ir.sequence/create', [`{"vals_list":[{"name":"s",${vals}}]}`])
        const id = /^\[(\d+)\]/.exec(sequence.text)?.[1]
        for (let i = 0; id && i < 3; i++) await json2('admin', 'ir.sequence/next_by_id', [`{"ids":[${id}]}`])
      }
    },
  },
  {
    name: 'stored/sequence-ranges',
    area: 'D',
    size: 200_000,
    small: 300,
    run: call('admin', 'ir.sequence/create', (n) => [
      '{"vals_list":[{"name":"s","use_date_range":true,"date_range_ids":[',
      many(
        n,
        (at) => `[0,0,{"date_from":"${2000 + (at % 7000)}-01-01","date_to":"${2000 + (at % 7000)}-12-31"}]`,
      ),
      ']}]}',
    ]),
  },
  {
    name: 'stored/parameter-long',
    area: 'D',
    size: 50_000_000,
    small: 200_000,
    run: call('admin', 'ir.config_parameter/set_param', (n) => [
      '{"key":"hostile","value":"',
      times(n, 'v'),
      '"}',
    ]),
  },
  {
    name: 'stored/model-name',
    area: 'D',
    size: 10_000_000,
    small: 20_000,
    run: call('admin', 'ir.model/create', (n) => [
      '{"vals_list":[{"name":"x","model":"x_',
      times(n, 'm'),
      '"}]}',
    ]),
  },
  {
    name: 'stored/field-selection',
    area: 'D',
    size: 300_000,
    small: 300,
    run: call('admin', 'ir.model.fields/create', (n) => [
      '{"vals_list":[{"name":"x_s","model":"res.bank","ttype":"selection","selection":"[',
      many(n, (at) => `('a${at}','b')`),
      ']"}]}',
    ]),
  },
  {
    name: 'stored/identity-check',
    area: 'D',
    size: 50_000_000,
    small: 200_000,
    run: call('portal', 'res.users.identitycheck/create', (n) => [
      '{"vals_list":[{"password":"',
      times(n, 'p'),
      '"}]}',
    ]),
  },
  {
    name: 'stored/key-name',
    area: 'D',
    size: 20_000_000,
    small: 200_000,
    run: call('portal', 'res.users.apikeys.description/create', (n) => [
      '{"vals_list":[{"name":"',
      times(n, 'k'),
      '","duration":"1"}]}',
    ]),
  },
]

export const texts: readonly Attack[] = [...cleaned, ...parallel, ...longs, ...odd, ...stored, ...stores]
