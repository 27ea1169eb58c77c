// Reading: fields, ids, specifications, groups, exports and their like by the million, and answers that fan
// out.
import type { Attack, Who } from '../attack.ts'
import { type Body, many, times } from '../bodies.ts'

interface Shape {
  readonly size: number
  readonly small?: number
  readonly path: string
  readonly as?: Who
  readonly body: (n: number, partners: readonly number[]) => Body
}

/** Ids that are there, again and again. */
const ids = (n: number, partners: readonly number[]) =>
  many(n, (at) => String(partners[at % partners.length]))

/** Relations that lead on to each other, so many levels down, so many fields each. */
function specification(levels: number, fields: readonly string[]): string {
  const below = levels > 0 ? `{"fields":${specification(levels - 1, fields)}}` : '{}'
  return `{${fields.map((field) => `"${field}":${below}`)},"display_name":{}}`
}

const search = 'res.partner/search_read'
const read = 'res.partner/read'
const group = 'res.partner/formatted_read_group'

const shapes: Readonly<Record<string, Shape>> = {
  'fields-same': {
    size: 5_000_000,
    small: 20_000,
    path: search,
    body: (n) => ['{"limit":1,"fields":[', many(n, '"name"'), ']}'],
  },
  'fields-unknown': {
    size: 1_000_000,
    small: 20_000,
    path: search,
    body: (n) => ['{"limit":1,"fields":[', many(n, (at) => `"f${at}"`), ']}'],
  },
  'fields-within-bounds': {
    size: 2000,
    small: 500,
    path: search,
    body: (n) => ['{"fields":[', many(n, '"child_ids"'), ']}'],
  },
  'fields-long': {
    size: 80_000_000,
    small: 300_000,
    path: search,
    body: (n) => ['{"fields":["', times(n, 'f'), '"]}'],
  },
  'ids-distinct': {
    size: 5_000_000,
    small: 20_000,
    path: read,
    body: (n) => ['{"fields":["name"],"ids":[', many(n, (at) => String(at + 1)), ']}'],
  },
  'ids-same': {
    size: 5_000_000,
    small: 20_000,
    path: read,
    body: (n) => ['{"fields":["name"],"ids":[', many(n, '1'), ']}'],
  },
  'ids-same-within-bounds': {
    size: 100_000,
    small: 5000,
    path: read,
    body: (n, p) => ['{"ids":[', many(n, String(p[0])), ']}'],
  },
  'ids-again-all-fields': {
    size: 100_000,
    small: 5000,
    path: read,
    body: (n, p) => ['{"ids":[', ids(n, p), ']}'],
  },
  'ids-texts': {
    size: 2_000_000,
    small: 20_000,
    path: read,
    body: (n) => ['{"ids":[', many(n, '"1"'), ']}'],
  },
  'ids-huge': {
    size: 2_000_000,
    small: 20_000,
    path: read,
    body: (n) => ['{"ids":[', many(n, (at) => `99999999999999${at}`), ']}'],
  },
  everything: { size: 1, small: 1, path: search, body: () => ['{"domain":[]}'] },
  'everything-users': { size: 1, small: 1, path: 'ir.model.fields/search_read', body: () => ['{}'] },
  'everything-translations': { size: 1, path: 'ir.model.data/search_read', body: () => ['{}'] },
  'order-long': {
    size: 500_000,
    small: 5000,
    path: search,
    body: (n) => ['{"limit":1,"order":"', many(n, 'name'), '"}'],
  },
  'order-relations': {
    size: 1000,
    small: 100,
    path: search,
    body: (n) => [
      '{"limit":1,"order":"',
      many(
        n,
        (at) =>
          `${['parent_id', 'country_id', 'user_id', 'company_id'][at % 4]} ${at % 2 ? 'desc' : 'asc'} nulls first`,
      ),
      '"}',
    ],
  },
  'order-blanks': {
    size: 10_000_000,
    small: 50_000,
    path: search,
    body: (n) => ['{"limit":1,"order":"name', times(n, ' '), 'x"}'],
  },
  'limit-huge': {
    size: 1,
    small: 1,
    path: search,
    body: () => ['{"limit":99999999999999999999,"offset":9007199254740991}'],
  },
  'web-read-fan': {
    size: 8,
    small: 3,
    path: 'res.partner/web_search_read',
    body: (n) => ['{"domain":[],"specification":', specification(n, ['child_ids', 'parent_id']), '}'],
  },
  'web-read-fan-wide': {
    size: 4,
    small: 2,
    path: 'res.partner/web_search_read',
    body: (n) => [
      '{"domain":[],"specification":',
      specification(n, ['child_ids', 'parent_id', 'commercial_partner_id', 'self', 'same_vat_partner_id']),
      '}',
    ],
  },
  'web-read-deep': {
    size: 400,
    small: 50,
    path: 'res.partner/web_search_read',
    body: (n) => ['{"domain":[],"specification":', specification(n, ['parent_id']), '}'],
  },
  'web-read-deep-x2many': {
    size: 160,
    small: 30,
    path: 'res.partner/web_search_read',
    body: (n) => [
      '{"domain":[],"specification":',
      times(n, '{"child_ids":{"fields":{"parent_id":{"fields":'),
      '{"name":{}}',
      times(n, '}}}}'),
      '}',
    ],
  },
  'web-read-unknown': {
    size: 1_000_000,
    small: 5000,
    path: 'res.partner/web_search_read',
    body: (n) => ['{"domain":[],"specification":{', many(n, (at) => `"f${at}":{}`), '}}'],
  },
  'web-read-limits': {
    size: 1,
    small: 1,
    path: 'res.country/web_search_read',
    body: () => [
      '{"domain":[],"specification":{"state_ids":{"limit":1e9,"order":"name","fields":{"country_id":{"fields":{"state_ids":{"fields":{"name":{},"country_id":{}}}}}}}}}',
    ],
  },
  'web-read-groups-of-users': {
    size: 5,
    small: 2,
    path: 'res.users/web_search_read',
    body: (n) => [
      '{"domain":[],"specification":',
      times(n, '{"group_ids":{"fields":{"user_ids":{"fields":'),
      '{"name":{}}',
      times(n, '}}}}'),
      '}',
    ],
  },
  'web-read-group-unfold': {
    size: 50,
    small: 5,
    path: 'res.partner/web_read_group',
    body: (n) => [
      '{"domain":[],"groupby":["city","country_id"],"aggregates":["__count"],"auto_unfold":true,"unfold_read_specification":',
      specification(3, ['child_ids', 'parent_id']),
      `,"limit":${n * 1000},"unfold_read_default_limit":${n * 1000}}`,
    ],
  },
  'groupby-many': {
    size: 100_000,
    small: 500,
    path: group,
    body: (n) => ['{"domain":[],"aggregates":[],"groupby":[', many(n, '"city"'), ']}'],
  },
  'groupby-different': {
    size: 60,
    small: 20,
    path: group,
    body: (n) => [
      '{"domain":[],"aggregates":["__count"],"groupby":[',
      many(
        n,
        (at) =>
          `"${['create_date:day', 'create_date:week', 'write_date:month', 'city', 'country_id', 'parent_id', 'user_id', 'email', 'ref', 'name'][at % 10]}"`,
      ),
      ']}',
    ],
  },
  'groupby-many2many': {
    size: 20,
    small: 5,
    path: group,
    body: (n) => ['{"domain":[],"aggregates":["__count"],"groupby":[', many(n, '"category_id"'), ']}'],
  },
  'groupby-dotted': {
    size: 400,
    small: 50,
    path: group,
    body: (n) => [`{"domain":[],"aggregates":[],"groupby":["${'parent_id.'.repeat(n)}name"]}`],
  },
  'aggregates-many': {
    size: 200_000,
    small: 1000,
    path: group,
    body: (n) => ['{"domain":[],"groupby":["city"],"aggregates":[', many(n, '"color:sum"'), ']}'],
  },
  'aggregates-arrays': {
    size: 900,
    small: 50,
    path: group,
    body: (n) => [
      '{"domain":[],"groupby":[],"aggregates":[',
      many(
        n,
        (at) =>
          `"${['name:array_agg', 'email:array_agg_distinct', 'id:recordset', 'city:count_distinct'][at % 4]}"`,
      ),
      ']}',
    ],
  },
  'having-wide': {
    size: 200_000,
    small: 500,
    path: group,
    body: (n) => [
      '{"domain":[],"groupby":["city"],"aggregates":["__count"],"having":[',
      many(n, (at) => `["__count",">",${at}]`),
      ']}',
    ],
  },
  'having-within-bounds': {
    size: 1900,
    small: 200,
    path: group,
    body: (n) => [
      '{"domain":[],"groupby":["city"],"aggregates":["__count"],"having":[',
      times(n - 1, '"|",'),
      many(n, (at) => `["color:sum","!=",${at}]`),
      ']}',
    ],
  },
  'having-nots': {
    size: 1_000_000,
    small: 5000,
    path: group,
    body: (n) => [
      '{"domain":[],"groupby":["city"],"aggregates":["__count"],"having":[',
      times(n, '"!",'),
      '["__count",">",1]]}',
    ],
  },
  'having-in': {
    size: 2_000_000,
    small: 5000,
    path: group,
    body: (n) => [
      '{"domain":[],"groupby":["city"],"aggregates":["__count"],"having":[["__count","in",[',
      many(n, String),
      ']]]}',
    ],
  },
  'grouping-sets': {
    size: 50_000,
    small: 50,
    path: 'res.partner/formatted_read_grouping_sets',
    body: (n) => [
      '{"domain":[],"aggregates":["__count"],"grouping_sets":[',
      many(n, '["city","country_id"]'),
      ']}',
    ],
  },
  'grouping-sets-different': {
    size: 300,
    small: 30,
    path: 'res.partner/formatted_read_grouping_sets',
    body: (n) => [
      '{"domain":[],"aggregates":["__count"],"grouping_sets":[',
      many(
        n,
        (at) =>
          `["name","${['create_date:day', 'write_date:hour', 'email', 'ref'][at % 4]}","${['city', 'phone', 'parent_id'][at % 3]}"]`,
      ),
      ']}',
    ],
  },
  'read-group-fields': {
    size: 200_000,
    small: 1000,
    path: 'res.partner/read_group',
    body: (n) => [
      '{"domain":[],"groupby":["city"],"lazy":false,"fields":[',
      many(n, (at) => `"n${at}:sum(color)"`),
      ']}',
    ],
  },
  'fill-temporal': {
    size: 1,
    small: 1,
    path: 'res.partner/formatted_read_group',
    body: () => [
      '{"domain":[],"groupby":["create_date:hour"],"aggregates":["__count"],"context":{"fill_temporal":{"fill_from":"0001-01-01","fill_to":"9999-12-31","min_groups":1000000000}}}',
    ],
  },
  'fill-temporal-read-group': {
    size: 1,
    small: 1,
    path: 'res.partner/read_group',
    body: () => [
      '{"domain":[],"groupby":["create_date:day"],"fields":[],"context":{"fill_temporal":{"fill_from":"0001-01-01","fill_to":"9999-12-31","min_groups":1000000000}}}',
    ],
  },
  'progress-bar-colours': {
    size: 1_000_000,
    small: 5000,
    path: 'res.partner/read_progress_bar',
    body: (n) => [
      '{"domain":[],"group_by":"city","progress_bar":{"field":"type","colors":{',
      many(n, (at) => `"c${at}":"x"`),
      '}}}',
    ],
  },
  'search-panel': {
    size: 100_000,
    small: 500,
    path: 'res.partner/search_panel_select_multi_range',
    body: (n) => [
      '{"field_name":"category_id","enable_counters":true,"expand":true,"group_domain":{',
      many(n, (at) => `"${at}":[]`),
      '},"comodel_domain":[',
      many(n, '["id",">",0]'),
      ']}',
    ],
  },
  'export-paths': {
    as: 'admin',
    size: 300_000,
    small: 2000,
    path: 'res.partner/export_data',
    body: (n, p) => [`{"ids":[${p[0]}],"fields_to_export":[`, many(n, '"name"'), ']}'],
  },
  'export-fan': {
    as: 'admin',
    size: 7,
    small: 3,
    path: 'res.partner/export_data',
    body: (n, p) => [
      '{"ids":[',
      ids(3000, p),
      `],"fields_to_export":["${'child_ids/parent_id/'.repeat(n)}name"]}`,
    ],
  },
  'export-deep': {
    as: 'admin',
    size: 20_000,
    small: 500,
    path: 'res.partner/export_data',
    body: (n, p) => [`{"ids":[${p[0]}],"fields_to_export":["${'parent_id/'.repeat(n)}name"]}`],
  },
  'export-again': {
    as: 'admin',
    size: 100_000,
    small: 3000,
    path: 'res.partner/export_data',
    body: (n, p) => [
      '{"ids":[',
      ids(n, p),
      '],"fields_to_export":["name","child_ids/name","child_ids/parent_id/name","id",".id"]}',
    ],
  },
  'views-many': {
    size: 300_000,
    small: 1000,
    path: 'res.partner/get_views',
    body: (n) => ['{"views":[', many(n, '[false,"form"]'), ']}'],
  },
  'views-options': {
    size: 1_000_000,
    small: 5000,
    path: 'res.partner/get_views',
    body: (n) => ['{"views":[[false,"list"]],"options":{', many(n, (at) => `"o${at}":1`), '}}'],
  },
  'fields-get-names': {
    size: 2_000_000,
    small: 5000,
    path: 'res.partner/fields_get',
    body: (n) => ['{"allfields":[', many(n, '"name"'), ']}'],
  },
  'fields-get-attributes': {
    size: 2_000_000,
    small: 5000,
    path: 'res.partner/fields_get',
    body: (n) => ['{"attributes":[', many(n, (at) => `"a${at}"`), ']}'],
  },
  'metadata-ids': {
    size: 1_000_000,
    small: 5000,
    path: 'res.partner/get_metadata',
    body: (n, p) => ['{"ids":[', ids(n, p), ']}'],
  },
  'external-ids': {
    size: 1_000_000,
    small: 5000,
    path: 'res.partner/get_external_id',
    body: (n, p) => ['{"ids":[', ids(n, p), ']}'],
  },
  'address-get-ids': {
    size: 500_000,
    small: 5000,
    path: 'res.partner/address_get',
    body: (n, p) => ['{"adr_pref":["invoice","delivery"],"ids":[', ids(n, p), ']}'],
  },
  'address-get-kinds': {
    size: 2_000_000,
    small: 5000,
    path: 'res.partner/address_get',
    body: (n, p) => [`{"ids":[${p[0]}],"adr_pref":[`, many(n, (at) => `"k${at}"`), ']}'],
  },
  'default-get': {
    size: 2_000_000,
    small: 5000,
    path: 'res.partner/default_get',
    body: (n) => ['{"fields":[', many(n, '"name"'), ']}'],
  },
  'translations-langs': {
    size: 1_000_000,
    small: 5000,
    path: 'res.partner.category/get_field_translations',
    body: (n) => ['{"ids":[1],"field_name":"name","langs":[', many(n, (at) => `"l${at}"`), ']}'],
  },
  'name-search-long': {
    size: 60_000_000,
    small: 200_000,
    path: 'res.partner/name_search',
    body: (n) => ['{"name":"', times(n, 'n'), '"}'],
  },
  'name-search-operator': {
    size: 20_000_000,
    small: 200_000,
    path: 'res.partner/name_search',
    body: (n) => ['{"name":"a","operator":"', times(n, 'n'), '"}'],
  },
  'name-search-all': {
    size: 1,
    small: 1,
    path: 'res.partner/name_search',
    body: () => ['{"name":"","limit":null}'],
  },
  'has-access-ids': {
    size: 2_000_000,
    small: 5000,
    path: 'res.partner/has_access',
    body: (n, p) => ['{"operation":"write","ids":[', ids(n, p), ']}'],
  },
  'copy-data-ids': {
    size: 500_000,
    small: 2000,
    path: 'res.partner/copy_data',
    body: (n, p) => ['{"ids":[', ids(n, p), ']}'],
  },
  'unknown-parameters': {
    size: 3_000_000,
    small: 20_000,
    path: search,
    body: (n) => ['{', many(n, (at) => `"p${at}":0`), '}'],
  },
  'long-parameter-name': {
    size: 80_000_000,
    small: 200_000,
    path: search,
    body: (n) => ['{"', times(n, 'p'), '":0}'],
  },
  'get-property-definition': {
    size: 20_000_000,
    small: 200_000,
    path: 'res.partner/get_property_definition',
    body: (n) => ['{"full_name":"', times(n, 'p.'), '"}'],
  },
}

const bodies: Attack[] = Object.entries(shapes).map(
  ([name, { size, small, path, as = 'plain', body }], at) => ({
    name: `read/${name}`,
    area: 'C',
    size,
    ...(small === undefined || at % 2 ? {} : { small }),
    run: async ({ json2, world }, n) => {
      await json2(as, path, body(n, world.partners))
      if (at % 4 === 0) await json2('portal', path, body(n, world.partners))
    },
  }),
)

const documents: Attack[] = [
  {
    name: 'read/openapi-of-all',
    area: 'C',
    size: 60,
    small: 3,
    run: ({ send, crowd, world }, n) =>
      crowd(n, 10, (at) =>
        send({
          path: `/x/1/openapi.json?model=${['', 'res.partner', 'x'.repeat(at)][at % 3]}`,
          headers: { authorization: `bearer ${world.keys.plain}` },
        }),
      ),
  },
  {
    name: 'read/openapi-names',
    area: 'C',
    size: 4000,
    small: 1000,
    run: ({ send, crowd, world }, n) =>
      crowd(30, 10, (at) =>
        send({
          path: `/x/1/openapi.json?model=${Array.from({ length: n }, (_, i) => (i * at) % 997)}`.slice(
            0,
            15_000,
          ),
          headers: { authorization: `bearer ${world.keys.plain}` },
        }),
      ),
  },
  {
    name: 'read/doc-bearer',
    area: 'C',
    size: 200,
    small: 10,
    run: ({ send, crowd, world }, n) =>
      crowd(n, 10, (at) =>
        send({
          path: `/doc-bearer/${['index', 'res.partner', 'sale.order', 'product.template'][at % 4]}.json`,
          headers: { authorization: `bearer ${world.keys.admin}`, 'cache-control': 'no-cache' },
        }),
      ),
  },
]

export const reads: readonly Attack[] = [...bodies, ...documents]
