// Writing: creates, commands, imports, forms and contexts by the million.
import type { Attack, Who } from '../attack.ts'
import { type Body, many, times } from '../bodies.ts'

interface Shape {
  readonly size: number
  readonly small?: number
  readonly path: string
  readonly as?: Who
  readonly body: (n: number, partners: readonly number[]) => Body
}

const create = 'res.partner/create'
const onchange = 'res.partner/onchange'
const ids = (n: number, partners: readonly number[]) =>
  many(n, (at) => String(partners[at % partners.length]))
const vals = (inner: Body): Body => ['{"vals_list":[{"name":"written",', ...inner, '}]}']

const shapes: Readonly<Record<string, Shape>> = {
  'create-empty-objects': {
    size: 6_000_000,
    small: 20_000,
    path: create,
    body: (n) => ['{"vals_list":[', many(n, '{}'), ']}'],
  },
  'create-empty-objects-portal': {
    size: 6_000_000,
    small: 20_000,
    path: create,
    as: 'portal',
    body: (n) => ['{"vals_list":[', many(n, '{}'), ']}'],
  },
  'create-names': {
    size: 100_000,
    small: 300,
    path: create,
    body: (n) => ['{"vals_list":[', many(n, (at) => `{"name":"n${at}"}`), ']}'],
  },
  'create-within-bounds': {
    size: 9500,
    small: 300,
    path: create,
    body: (n) => [
      '{"vals_list":[',
      many(n, (at) => `{"name":"w${at}","city":"c","email":"e${at}@x.org"}`),
      ']}',
    ],
  },
  'create-different-fields': {
    size: 5000,
    small: 100,
    path: create,
    body: (n) => [
      '{"vals_list":[',
      many(
        n,
        (at) =>
          `{"name":"d${at}",${[
            'city',
            'zip',
            'street',
            'phone',
            'ref',
            'vat',
            'email',
            'website',
            'function',
            'barcode',
            'company_name',
            'street2',
          ]
            .filter((_, bit) => (at >> bit) & 1)
            .map((field) => `"${field}":"${at}"`)
            .concat('"color":1')}}`,
      ),
      ']}',
    ],
  },
  'create-unknown-fields': {
    size: 1_000_000,
    small: 5000,
    path: create,
    body: (n) => vals([many(n, (at) => `"f${at}":1`)]),
  },
  'create-nulls': {
    size: 3_000_000,
    small: 5000,
    path: create,
    body: (n) => ['{"vals_list":[', many(n, 'null'), ']}'],
  },
  'create-lists': {
    size: 3_000_000,
    small: 5000,
    path: create,
    body: (n) => ['{"vals_list":[', many(n, '[]'), ']}'],
  },
  'commands-create': {
    size: 200_000,
    small: 300,
    path: create,
    body: (n) => vals(['"child_ids":[', many(n, (at) => `[0,0,{"name":"k${at}"}]`), ']']),
  },
  'commands-within-bounds': {
    size: 9500,
    small: 300,
    path: create,
    body: (n) => vals(['"child_ids":[', many(n, (at) => `[0,0,{"name":"k${at}"}]`), ']']),
  },
  'commands-link': {
    size: 2_000_000,
    small: 3000,
    path: create,
    body: (n) => vals(['"category_id":[', many(n, (at) => `[4,${at}]`), ']']),
  },
  'commands-set': {
    size: 3_000_000,
    small: 3000,
    path: create,
    body: (n) => vals(['"category_id":[[6,0,[', many(n, String), ']]]']),
  },
  'commands-set-again': {
    size: 500_000,
    small: 2000,
    path: create,
    body: (n) => vals(['"category_id":[', many(n, '[6,0,[1,2,3]]'), ']']),
  },
  'commands-clear': {
    size: 2_000_000,
    small: 3000,
    path: create,
    body: (n) => vals(['"child_ids":[', many(n, '[5]'), ']']),
  },
  'commands-unknown': {
    size: 2_000_000,
    small: 3000,
    path: create,
    body: (n) => vals(['"child_ids":[', many(n, '[9,9,9]'), ']']),
  },
  'commands-nested': {
    size: 400,
    small: 40,
    path: create,
    body: (n) => vals([times(n, '"child_ids":[[0,0,{"name":"d",'), '"color":1', times(n, '}]]')]),
  },
  'commands-nested-too-deep': {
    size: 100_000,
    small: 3000,
    path: create,
    body: (n) => vals([times(n, '"child_ids":[[0,0,{"name":"d",'), '"color":1', times(n, '}]]')]),
  },
  'commands-many-to-one': {
    size: 3_000_000,
    small: 3000,
    path: create,
    body: (n) => vals(['"parent_id":[', many(n, '1'), ']']),
  },
  'commands-update': {
    size: 300_000,
    small: 500,
    path: 'res.partner/write',
    body: (n, p) => [
      `{"ids":[${p[0]}],"vals":{"child_ids":[`,
      many(n, (at) => `[1,${p[at % p.length]},{"name":"u${at}"}]`),
      ']}}',
    ],
  },
  'commands-unlink': {
    size: 300_000,
    small: 500,
    path: 'res.partner/write',
    body: (n, p) => [
      `{"ids":[${p[1]}],"vals":{"child_ids":[`,
      many(n, (at) => `[2,${900_000_000 + at}]`),
      ']}}',
    ],
  },
  'write-ids': {
    size: 5_000_000,
    small: 5000,
    path: 'res.partner/write',
    body: (n) => ['{"vals":{"color":1},"ids":[', many(n, (at) => String(900_000_000 + at)), ']}'],
  },
  'write-all': {
    size: 100_000,
    small: 3000,
    path: 'res.partner/write',
    body: (n, p) => ['{"vals":{"city":"written"},"ids":[', ids(n, p), ']}'],
  },
  'write-all-names': {
    size: 4000,
    small: 300,
    path: 'res.partner/write',
    body: (n, p) => ['{"vals":{"name":"renamed","street":"all of them"},"ids":[', ids(n, p), ']}'],
  },
  'write-parents': {
    size: 3000,
    small: 200,
    path: 'res.partner/write',
    body: (n, p) => [
      `{"vals":{"parent_id":${p[5]}},"ids":[`,
      many(Math.min(n, p.length - 10), (at) => String(p[at + 6])),
      ']}',
    ],
  },
  'write-keys': {
    size: 2_000_000,
    small: 5000,
    path: 'res.partner/write',
    body: (n, p) => [`{"ids":[${p[0]}],"vals":{`, many(n, (at) => `"k${at}":1`), '}}'],
  },
  'unlink-ids': {
    size: 5_000_000,
    small: 5000,
    path: 'res.partner/unlink',
    body: (n) => ['{"ids":[', many(n, (at) => String(900_000_000 + at)), ']}'],
  },
  'copy-ids': {
    size: 3000,
    small: 50,
    path: 'res.partner/copy',
    body: (n, p) => ['{"ids":[', ids(n, p), ']}'],
  },
  'copy-same': {
    size: 100_000,
    small: 100,
    path: 'res.partner/copy',
    body: (n, p) => ['{"ids":[', many(n, String(p[3])), ']}'],
  },
  'archive-ids': {
    size: 2_000_000,
    small: 5000,
    path: 'res.partner/action_archive',
    body: (n) => ['{"ids":[', many(n, (at) => String(900_000_000 + at)), ']}'],
  },
  'load-rows': {
    size: 300_000,
    small: 200,
    path: 'res.partner/load',
    body: (n) => ['{"fields":["name","city"],"data":[', many(n, (at) => `["l${at}","c"]`), ']}'],
  },
  'load-within-bounds': {
    size: 9500,
    small: 200,
    path: 'res.partner/load',
    body: (n) => [
      '{"fields":["id","name","parent_id"],"data":[',
      many(n, (at) => `["x.l${at}","l${at}","Contact ${at}"]`),
      ']}',
    ],
  },
  'load-wrong-rows': {
    size: 9500,
    small: 300,
    path: 'res.partner/load',
    body: (n) => [
      '{"fields":["name","country_id","color"],"data":[',
      many(n, (at) => `["l${at}","Nowhere ${at}","many"]`),
      ']}',
    ],
  },
  'load-columns': {
    size: 1_000_000,
    small: 2000,
    path: 'res.partner/load',
    body: (n) => ['{"fields":[', many(n, '"name"'), '],"data":[[', many(n, '"x"'), ']]}'],
  },
  'load-deep-columns': {
    size: 5000,
    small: 300,
    path: 'res.partner/load',
    body: (n) => [`{"fields":["name","${'child_ids/'.repeat(n)}name"],"data":[["a","b"],["","c"]]}`],
  },
  'load-cell': {
    size: 60_000_000,
    small: 200_000,
    path: 'res.partner/load',
    body: (n) => ['{"fields":["name"],"data":[["', times(n, 'c'), '"]]}'],
  },
  'load-tags': {
    size: 2_000_000,
    small: 5000,
    path: 'res.partner/load',
    body: (n) => ['{"fields":["name","category_id"],"data":[["a","', many(n, (at) => `tag${at}`), '"]]}'],
  },
  'load-lines': {
    size: 60_000,
    small: 200,
    path: 'res.partner/load',
    body: (n) => [
      '{"fields":["name","child_ids/name"],"data":[["a","b"],',
      many(n, (at) => `["","l${at}"]`),
      ']}',
    ],
  },
  'onchange-values': {
    size: 2_000_000,
    small: 5000,
    path: onchange,
    body: (n) => [
      '{"values":{',
      many(n, (at) => `"k${at}":1`),
      '},"field_names":["name"],"fields_spec":{"name":{}}}',
    ],
  },
  'onchange-names': {
    size: 2_000_000,
    small: 5000,
    path: onchange,
    body: (n) => [
      '{"values":{"name":"a"},"field_names":[',
      many(n, '"name"'),
      '],"fields_spec":{"name":{}}}',
    ],
  },
  'onchange-unknown-spec': {
    size: 1_000_000,
    small: 5000,
    path: onchange,
    body: (n) => ['{"values":{},"field_names":[],"fields_spec":{', many(n, (at) => `"s${at}":{}`), '}}'],
  },
  'onchange-deep-spec': {
    size: 300,
    small: 30,
    path: onchange,
    body: (n) => [
      '{"values":{"parent_id":1},"field_names":["parent_id"],"fields_spec":',
      times(n, '{"parent_id":{"fields":'),
      '{"name":{}}',
      times(n, '}}'),
      '}',
    ],
  },
  'onchange-lines': {
    size: 100_000,
    small: 300,
    path: onchange,
    body: (n) => [
      '{"values":{"name":"a","child_ids":[',
      many(n, (at) => `[0,"v${at}",{"name":"c"}]`),
      ']},"field_names":["child_ids"],"fields_spec":{"child_ids":{"fields":{"name":{}}}}}',
    ],
  },
  'onchange-order-lines': {
    size: 3000,
    small: 30,
    as: 'admin',
    path: 'sale.order/onchange',
    body: (n, p) => [
      `{"values":{"partner_id":${p[0]},"order_line":[`,
      many(n, (at) => `[0,"v${at}",{"product_id":1,"product_uom_qty":${at}}]`),
      ']},"field_names":["partner_id","order_line"],"fields_spec":{"order_line":{"fields":{"price_unit":{},"product_id":{}}},"amount_total":{}}}',
    ],
  },
  'web-save': {
    size: 300_000,
    small: 300,
    path: 'res.partner/web_save_multi',
    body: (n, p) => [
      '{"ids":[',
      ids(n, p),
      '],"vals_list":[',
      many(n, '{"color":2}'),
      '],"specification":{"name":{}}}',
    ],
  },
  'web-save-fan': {
    size: 6,
    small: 2,
    path: 'res.partner/web_save',
    body: (n, p) => [
      `{"ids":[${p[0]}],"vals":{"color":3},"specification":`,
      times(n, '{"child_ids":{"fields":{"parent_id":{"fields":'),
      '{"name":{}}',
      times(n, '}}}}'),
      '}',
    ],
  },
  'web-resequence': {
    size: 1_000_000,
    small: 2000,
    path: 'res.partner/web_resequence',
    body: (n, p) => ['{"field_name":"color","specification":{},"ids":[', ids(n, p), ']}'],
  },
  'name-create': {
    size: 60_000_000,
    small: 200_000,
    path: 'res.partner/name_create',
    body: (n) => ['{"name":"', times(n, 'n'), '"}'],
  },
  translations: {
    size: 500_000,
    small: 2000,
    path: 'res.partner.category/update_field_translations',
    body: (n) => ['{"ids":[1],"field_name":"name","translations":{', many(n, (at) => `"l${at}":"t"`), '}}'],
  },
  'recursive-tags': {
    size: 3000,
    small: 100,
    path: 'res.partner.category/create',
    body: (n) => [
      '{"vals_list":[{"name":"deep",',
      times(n, '"child_ids":[[0,0,{"name":"d",'),
      '"color":1',
      times(n, '}]]'),
      '}]}',
    ],
  },
  'context-keys': {
    size: 3_000_000,
    small: 20_000,
    path: 'res.partner/search',
    as: 'portal',
    body: (n) => ['{"domain":[],"limit":1,"context":{', many(n, (at) => `"k${at}":1`), '}}'],
  },
  'context-deep': {
    size: 1_000_000,
    small: 5000,
    path: 'res.partner/search',
    body: (n) => ['{"domain":[],"limit":1,"context":{"a":', times(n, '['), times(n, ']'), '}}'],
  },
  'context-defaults': {
    size: 1_000_000,
    small: 5000,
    path: create,
    body: (n) => ['{"vals_list":[{"name":"a"}],"context":{', many(n, (at) => `"default_f${at}":1`), '}}'],
  },
  'context-defaults-lines': {
    size: 100_000,
    small: 300,
    path: create,
    body: (n) => [
      '{"vals_list":[{"name":"a"},{"name":"b"}],"context":{"default_child_ids":[',
      many(n, (at) => `[0,0,{"name":"c${at}"}]`),
      ']}}',
    ],
  },
  'context-defaults-in-many': {
    size: 900,
    small: 20,
    path: create,
    body: (n) => [
      '{"vals_list":[',
      many(n, (at) => `{"name":"a${at}"}`),
      '],"context":{"default_comment":"',
      times(n * 100, '<p>'),
      '"}}',
    ],
  },
  'context-lang': {
    size: 60_000_000,
    small: 200_000,
    path: 'res.partner/search_read',
    body: (n) => ['{"limit":1,"context":{"lang":"', times(n, 'l'), '"}}'],
  },
  'context-tz': {
    size: 60_000_000,
    small: 200_000,
    path: 'res.partner/formatted_read_group',
    body: (n) => [
      '{"domain":[],"groupby":["create_date:day"],"aggregates":[],"context":{"tz":"',
      times(n, 't'),
      '"}}',
    ],
  },
  'context-companies': {
    size: 3_000_000,
    small: 5000,
    path: 'res.partner/search',
    body: (n) => ['{"domain":[],"context":{"allowed_company_ids":[', many(n, (at) => String(at + 1)), ']}}'],
  },
  'context-same-company': {
    size: 3_000_000,
    small: 5000,
    path: 'res.partner/search',
    body: (n) => ['{"domain":[],"limit":2,"context":{"allowed_company_ids":[', many(n, '1'), ']}}'],
  },
  'context-bin-size': {
    size: 1,
    small: 1,
    path: 'res.partner/search_read',
    body: () => [
      '{"context":{"bin_size":true,"active_test":"x","show_address":1,"show_vat":1,"formatted_display_name":true}}',
    ],
  },
}

export const writes: readonly Attack[] = Object.entries(shapes).map(
  ([name, { size, small, path, as = 'maker', body }], at) => ({
    name: `write/${name}`,
    area: 'D',
    size,
    ...(small === undefined || at % 2 ? {} : { small }),
    run: ({ json2, world }, n) => json2(as, path, body(n, world.partners)),
  }),
)
