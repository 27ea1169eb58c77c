// Domains: wide, deep and branching ones, lists by the million, relative dates, patterns, orders.
import type { Attack, Who } from '../attack.ts'
import { type Body, many, times } from '../bodies.ts'

interface Shape {
  readonly size: number
  readonly small: number
  readonly body: (n: number) => Body
  readonly model?: string
  readonly as?: readonly Who[]
}

const list = (n: number, piece: string | ((at: number) => string)): Body => ['[', many(n, piece), ']']
const ors = (n: number, piece: (at: number) => string): Body => [
  '[',
  times(Math.max(0, n - 1), '"|",'),
  many(n, piece),
  ']',
]

/** A domain whose conditions each branch into two, so many levels down. */
function branching(levels: number, path: string): string {
  if (levels <= 0) return '[["name","ilike","x"]]'
  const below = branching(levels - 1, path)
  return `[["${path}","any",${below}],["child_ids","any",${below}]]`
}

const shapes: Readonly<Record<string, Shape>> = {
  'dotted-ands': {
    size: 300,
    small: 300,
    body: (n) => list(n, (at) => `["parent_id.parent_id.parent_id.name","ilike","x${at}"]`),
  },
  'dotted-ors': {
    size: 600,
    small: 200,
    body: (n) => ors(n, (at) => `["child_ids.child_ids.child_ids.name","ilike","x${at}"]`),
  },
  'dotted-different': {
    size: 1900,
    small: 200,
    body: (n) =>
      ors(
        n,
        (at) =>
          `["${['parent_id', 'child_ids', 'category_id.partner_ids', 'user_ids.partner_id', 'commercial_partner_id'][at % 5]}.${['name', 'ref', 'email', 'city', 'phone', 'zip', 'vat'][at % 7]}","ilike","v${at}"]`,
      ),
  },
  'dotted-long': { size: 5000, small: 500, body: (n) => [`[["${'parent_id.'.repeat(n)}name","=","x"]]`] },
  'dotted-x2many-long': {
    size: 150,
    small: 60,
    body: (n) => [`[["${'child_ids.parent_id.'.repeat(n / 2)}name","=","x"]]`],
  },
  'dotted-crossing': {
    size: 150,
    small: 20,
    body: (n) =>
      list(
        n,
        (at) =>
          `["company_id.partner_id.child_ids.commercial_partner_id.user_ids.company_ids.name","${at % 2 ? 'ilike' : 'not ilike'}","z${at}"]`,
      ),
  },
  'any-wide': {
    size: 5000,
    small: 150,
    body: (n) => list(n, (at) => `["child_ids","any",[["name","=","a${at}"]]]`),
  },
  'any-wide-ors': {
    size: 500,
    small: 150,
    body: (n) => ors(n, (at) => `["child_ids","not any",[["name","ilike","a${at}"]]]`),
  },
  'any-branching': { size: 13, small: 7, body: (n) => [branching(n, 'parent_id')] },
  'any-deep': {
    size: 100_000,
    small: 2000,
    body: (n) => [times(n, '[["parent_id","any",'), '[]', times(n, ']]')],
  },
  'any-deep-some': {
    size: 190,
    small: 60,
    body: (n) => [times(n, '[["child_ids","any",'), '[]', times(n, ']]')],
  },
  nots: { size: 5_000_000, small: 20_000, body: (n) => ['[', times(n, '"!",'), '["id","=",1]]'] },
  'ors-chain': { size: 1_000_000, small: 20_000, body: (n) => ors(n, (at) => `["id","=",${at}]`) },
  'ands-flat': { size: 1_000_000, small: 20_000, body: (n) => list(n, (at) => `["id","!=",${at}]`) },
  'ors-within-bounds': {
    size: 2000,
    small: 300,
    body: (n) => ors(n, (at) => `["name","ilike","within ${at}"]`),
  },
  'ands-nested-left': {
    size: 100_000,
    small: 5000,
    body: (n) => ['[', times(n, '"&",'), times(n, '["active","=",true],'), '["id",">",0]]'],
  },
  'names-of-many2one': {
    size: 2000,
    small: 200,
    body: (n) => ors(n, (at) => `["parent_id","ilike","name ${at}"]`),
  },
  'names-of-many2many': {
    size: 2000,
    small: 200,
    body: (n) => ors(n, (at) => `["category_id","not ilike","name ${at}"]`),
  },
  'display-names': {
    size: 2000,
    small: 200,
    body: (n) => ors(n, (at) => `["display_name","ilike","name ${at}"]`),
  },
  'computed-fields': {
    size: 2000,
    small: 100,
    body: (n) =>
      ors(
        n,
        (at) =>
          `["${['contact_address', 'email_formatted', 'same_vat_partner_id', 'company_type', 'is_public', 'tz_offset'][at % 6]}","=","v ${at}"]`,
      ),
  },
  'child-of-list': {
    size: 3_000_000,
    small: 4000,
    body: (n) => ['[["id","child_of",[', many(n, String), ']]]'],
  },
  'child-of-names': {
    size: 1_000_000,
    small: 4000,
    body: (n) => ['[["id","child_of",[', many(n, (at) => `"name ${at}"`), ']]]'],
  },
  'child-of-again': {
    size: 1500,
    small: 100,
    body: (n) => ors(n, (at) => `["parent_id","child_of",${at + 1}]`),
  },
  'parent-of-list': {
    size: 3_000_000,
    small: 4000,
    body: (n) => ['[["id","parent_of",[', many(n, String), ']]]'],
  },
  'parent-of-again': {
    size: 1500,
    small: 100,
    body: (n) => ors(n, (at) => `["commercial_partner_id","parent_of",[${at + 1},${at + 2}]]`),
  },
  'child-of-same': {
    size: 40_000,
    small: 4000,
    body: (n) => ['[["id","child_of",[', times(n, '1,'), '1]]]'],
  },
  'in-integers': { size: 8_000_000, small: 20_000, body: (n) => ['[["id","in",[', many(n, String), ']]]'] },
  'not-in-integers': {
    size: 8_000_000,
    small: 20_000,
    body: (n) => ['[["id","not in",[', many(n, (at) => String(-at)), ']]]'],
  },
  'in-within-bounds': {
    size: 49_000,
    small: 10_000,
    body: (n) => [
      '[["id","in",[',
      many(n, String),
      ']],["parent_id","in",[',
      many(n, String),
      ']],["color","not in",[',
      many(n, String),
      ']]]',
    ],
  },
  'in-names': {
    size: 4_000_000,
    small: 20_000,
    body: (n) => ['[["name","in",[', many(n, (at) => `"name ${at}"`), ']]]'],
  },
  'in-names-of-relation': {
    size: 1_000_000,
    small: 4000,
    body: (n) => ['[["parent_id","in",[', many(n, (at) => `"name ${at}"`), ']]]'],
  },
  'in-dates': {
    size: 2_000_000,
    small: 20_000,
    body: (n) => [
      '[["create_date","in",[',
      many(n, (at) => `"2024-01-${String(1 + (at % 28)).padStart(2, '0')} 10:00:00"`),
      ']]]',
    ],
  },
  'in-days': {
    size: 40_000,
    small: 5000,
    body: (n) => [
      '[["create_date","in",[',
      many(n, (at) => `"20${String(at % 90).padStart(2, '0')}-01-05"`),
      ']]]',
    ],
  },
  'in-lists': { size: 2_000_000, small: 20_000, body: (n) => ['[["id","in",[', times(n, '[1],'), '[2]]]]'] },
  'in-huge-integers': {
    size: 500_000,
    small: 5000,
    body: (n) => ['[["id","in",[', many(n, (at) => `9${at}00000000000000000000`), ']]]'],
  },
  'in-floats': {
    size: 1_000_000,
    small: 5000,
    body: (n) => ['[["partner_latitude","in",[', many(n, (at) => `${at}.000000001`), ']]]'],
  },
  'in-many-lists': {
    size: 1500,
    small: 100,
    body: (n) => ors(n, (at) => `["id","in",[${Array.from({ length: 200 }, (_, i) => at * 200 + i)}]]`),
  },
  'relative-dates': {
    size: 250_000,
    small: 1000,
    body: (n) => ors(n, (at) => `["create_date",">","-${at}d"]`),
  },
  'relative-within-bounds': {
    size: 1900,
    small: 500,
    body: (n) => ors(n, (at) => `["create_date","<","today -${at}d +1m =monday"]`),
  },
  'relative-long': {
    size: 1_000_000,
    small: 5000,
    body: (n) => ['[["create_date",">","today', times(n, ' -1d +1d'), '"]]'],
  },
  'relative-far': {
    size: 200,
    small: 50,
    body: (n) => ors(n, (at) => `["create_date",">","-${'9'.repeat(1 + (at % 40))}y"]`),
  },
  'parts-of-dates': {
    size: 1900,
    small: 300,
    body: (n) =>
      ors(
        n,
        (at) =>
          `["create_date.${['month_number', 'day_of_week', 'iso_week_number', 'hour_number', 'year_number'][at % 5]}","=",${at % 24}]`,
      ),
  },
  'pattern-percents': {
    size: 100_000,
    small: 4000,
    body: (n) => ['[["name","=like","', times(n, '%a'), '"]]'],
  },
  'pattern-underscores': {
    size: 1_000_000,
    small: 20_000,
    body: (n) => ['[["complete_name","ilike","', times(n, '_%'), '"]]'],
  },
  'pattern-long': {
    size: 60_000_000,
    small: 500_000,
    body: (n) => ['[["email","ilike","', times(n, 'p'), '"]]'],
  },
  'pattern-backslashes': {
    size: 1_000_000,
    small: 20_000,
    body: (n) => ['[["name","=ilike","', times(n, '\\\\'), '"]]'],
  },
  'patterns-in-html': {
    size: 500,
    small: 50,
    body: (n) => ors(n, (at) => `["comment","ilike","%a%b%c%d%e%${at}%"]`),
  },
  'unknown-fields': { size: 500_000, small: 5000, body: (n) => list(n, (at) => `["field${at}","=",1]`) },
  'long-operator': { size: 50_000_000, small: 200_000, body: (n) => ['[["name","', times(n, 'o'), '",1]]'] },
  properties: { size: 1900, small: 200, body: (n) => ors(n, (at) => `["properties.p${at}","=","x"]`) },
  'other-model-orders': {
    size: 1500,
    small: 100,
    model: 'product.template',
    body: (n) =>
      ors(
        n,
        (at) =>
          `["product_variant_ids.product_template_attribute_value_ids.attribute_id.name","ilike","x${at}"]`,
      ),
  },
  'of-users': {
    size: 1500,
    small: 100,
    model: 'res.users',
    body: (n) => ors(n, (at) => `["group_ids.user_ids.partner_id.name","ilike","x${at}"]`),
  },
  'of-countries': {
    size: 1900,
    small: 100,
    model: 'res.country',
    body: (n) => ors(n, (at) => `["state_ids.country_id.state_ids.name","ilike","x${at}"]`),
  },
  'of-attachments': {
    size: 1500,
    small: 100,
    model: 'ir.attachment',
    body: (n) => ors(n, (at) => `["res_name","ilike","x${at}"]`),
  },
}

/** Methods that take a domain, besides `search`. */
const methods = [
  'search',
  'search_count',
  'search_read',
  'web_search_read',
  'formatted_read_group',
  'name_search',
  'read_progress_bar',
  'search_panel_select_range',
] as const

const rests: Readonly<Record<(typeof methods)[number], string>> = {
  search: '',
  search_count: '',
  search_read: ',"fields":["name"],"limit":10',
  web_search_read: ',"specification":{"name":{}},"limit":10',
  formatted_read_group: ',"groupby":["country_id"],"aggregates":["__count"]',
  name_search: ',"name":"a"',
  read_progress_bar: ',"group_by":"country_id","progress_bar":{"field":"type","colors":{"contact":"a"}}',
  search_panel_select_range: '',
}

const members: readonly Who[] = ['plain', 'portal']

const domainOf = (method: (typeof methods)[number], body: Body): Body =>
  method === 'search_panel_select_range'
    ? ['{"field_name":"parent_id","search_domain":', ...body, '}']
    : ['{"domain":', ...body, rests[method], '}']

export const domains: readonly Attack[] = Object.entries(shapes).flatMap(
  ([name, { size, small, body, model = 'res.partner' }], at) => {
    const method =
      model === 'res.partner' ? (methods[at % methods.length] as (typeof methods)[number]) : 'search'
    return [...new Set([...(at % 3 === 0 ? members : []), members[at % 2] as Who])].map((who, i) => ({
      name: `domain-${who}/${name}`,
      area: 'C' as const,
      size,
      ...(i === 0 && at % 2 === 0 ? { small } : {}),
      run: async ({ json2 }, n) => {
        await json2(who, `${model}/search`, domainOf('search', body(n)))
        if (method !== 'search') await json2(who, `${model}/${method}`, domainOf(method, body(n)))
      },
    })) satisfies Attack[]
  },
)
