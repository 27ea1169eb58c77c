// Implementation of products (product.template). Mirrored fields: template-mirror.ts; variants:
// variants/; prices: pricing/.

import {
  computed,
  computedTogether,
  type Environment,
  idsWhere,
  implement,
  linesOf,
  type Records,
} from '#models'
import { only, present } from '../../kit/present.ts'
import { idList, raw, sql } from '../../sql/index.ts'
import { givenVals, markCopies } from '../base/index.ts'
import { companyCurrency, ownCurrency } from './currencies.ts'
import { unitNameField } from './measures.ts'
import { contextualPrice } from './pricing/contextual.ts'
import { configurableSql, dynamicSql } from './product-sql.ts'
import { template } from './template.contract.ts'
import { copyExtras } from './template-copy.ts'
import { barcode, defaultCode, mirrored, standardPrice, volume, weight } from './template-mirror.ts'
import { keepingTemplate, keepsTemplate } from './variants/remove.ts'
import { postponeSettling, settlesLater, settleVariants } from './variants/settle.ts'

type Templates = Records<'product.template'>

/** Given values of mirrored fields, for the variant that is about to be made. */
const ofVariant = (vals: Record<string, unknown>) =>
  Object.fromEntries(mirrored.flatMap((name) => (vals[name] ? [[name, vals[name]]] : [])))

/** Mirrored fields that a product keeps itself. */
const keptFields = ['default_code', 'weight', 'volume'] as const

/**
 * Products that end up with several variants show what was given for them until a variant says otherwise. One
 * statement for all.
 */
async function showGiven(
  { env }: Templates,
  valuesOf: ReadonlyMap<number, Record<string, unknown>>,
): Promise<void> {
  const fields = keptFields.flatMap((name) => env.def('product.template').fields.get(name) ?? [])
  const rows = [...valuesOf].flatMap(([id, vals]) => {
    const columns = fields
      .filter((field) => field.name in vals)
      .map((field) => [field.name, field.type.toColumn(field, vals[field.name])])
    return columns.length ? [{ id, ...Object.fromEntries(columns) }] : []
  })
  if (rows.length === 0) return
  // Flush first: values computed from variants would overwrite these.
  await env.unit.registry.engine.flush(env, ({ model }) => model.name === 'product.template')
  await env.execute(
    sql`UPDATE product_template t SET default_code = COALESCE(x.default_code, t.default_code), weight = COALESCE(x.weight, t.weight),
      volume = COALESCE(x.volume, t.volume)
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS x(id int, default_code text, weight numeric, volume numeric)
    WHERE t.id = x.id AND (SELECT count(*) FROM product_product p WHERE p.product_tmpl_id = t.id AND p.active) <> 1`,
    { reads: ['product.template', 'product.product'] },
  )
  for (const field of fields) env.unit.cache.forget(field, valuesOf.keys())
}

async function variantsOf(templates: Templates): Promise<Records<'product.product'>> {
  const everything = templates.env
    .withContext({ active_test: false, ...keepingTemplate })
    .model('product.product')
  return everything.search([['product_tmpl_id', 'in', templates.ids]])
}

async function currencies(env: Environment, ids: readonly number[]): Promise<Map<number, { id: number }>> {
  const rows = await env.rows(
    sql`SELECT t.id, ${ownCurrency(env, sql`t.company_id`)} FROM product_template t WHERE t.id = ANY(${idList(ids)})`,
    { reads: ['product.template', 'res.company'], row: ['int', 'int'] },
  )
  return new Map(rows.map((row) => [row[0], { id: row[1] }]))
}

const lineValues = ['attribute_line_ids.value_ids.is_custom', 'attribute_line_ids.active'] as const

export default implement(template, {
  displayName: computed(
    template,
    ['name', 'default_code'],
    (template, env) =>
      template.default_code && shown(env) ? `[${template.default_code}] ${template.name}` : template.name,
    {
      context: ['display_default_code'],
      sql: (scope) => {
        const name = scope.path('name')
        return name && shown(scope.env)
          ? sql`(COALESCE('[' || NULLIF(${scope.column('default_code')}, '') || '] ', '') || ${name})`
          : name
      },
    },
  ),
  defaults: { uom_id: async (env) => (await env.find('uom.product_uom_unit')) ?? undefined },
  computed: {
    standard_price: standardPrice,
    barcode,
    default_code: defaultCode,
    weight,
    volume,
    currency_id: computedTogether(
      template,
      ['company_id'],
      (templates, env) =>
        currencies(
          env,
          templates.map(({ id }) => id),
        ),
      {
        sql: (scope) => ownCurrency(scope.env, scope.column('company_id')),
      },
    ),
    cost_currency_id: computedTogether(
      template,
      [],
      async (templates, env) => {
        const [currency] = only(
          await env.rows(sql`SELECT ${companyCurrency(env)}`, { reads: ['res.company'], row: ['int'] }),
        )
        return new Map(templates.map(({ id }) => [id, { id: currency }]))
      },
      { sql: (scope) => companyCurrency(scope.env) },
    ),
    weight_uom_name: unitNameField(template, 'weight'),
    volume_uom_name: unitNameField(template, 'volume'),
    is_product_variant: computed(template, [], () => false, { searchable: false, sql: () => raw('false') }),
    product_variant_id: computed(
      template,
      ['product_variant_ids'],
      (template) => template.product_variant_ids[0] ?? null,
      {
        sql: (scope) => {
          const variants = linesOf(scope, 'product_variant_ids')
          return variants && sql`(${variants} LIMIT 1)`
        },
      },
    ),
    product_variant_count: computed(
      template,
      ['product_variant_ids'],
      (template) => template.product_variant_ids.length,
      {
        sql: (scope) => {
          const shown = scope.env.activeTest ? sql` AND p.active` : sql``
          return sql`(SELECT count(*)::int FROM product_product p WHERE p.product_tmpl_id = ${scope.id}${shown})`
        },
      },
    ),
    has_configurable_attributes: computed(
      template,
      lineValues,
      (template) =>
        template.attribute_line_ids.some(
          (line) =>
            line.active && (line.value_ids.length > 1 || line.value_ids.some((value) => value.is_custom)),
        ),
      { sql: configurableSql },
    ),
    is_dynamically_created: computed(
      template,
      ['attribute_line_ids.active', 'attribute_line_ids.attribute_id.create_variant'],
      (template) =>
        template.attribute_line_ids.some(
          (line) => line.active && line.attribute_id.create_variant === 'dynamic',
        ),
      { sql: dynamicSql },
    ),
  },
  checks: {
    'A combo product needs at least one choice.': computed(
      template,
      ['type', 'combo_ids'],
      (template) => template.type !== 'combo' || template.combo_ids.length > 0,
    ),
  },
  prepare(vals, _env, ids) {
    if (ids !== null && vals.type && vals.type !== 'combo') vals.combo_ids = [[5, 0, 0]]
  },
  methods: {
    get_contextual_price: (templates, { product }) => contextualPrice(templates, product),
  },
  wrapWrite: (next) => async (templates, changes) => {
    const offering = changes.filter(({ vals }) => 'attribute_line_ids' in vals)
    const others = changes.filter(({ vals }) => !('attribute_line_ids' in vals))
    if (offering.length) await next(templates.withContext(postponeSettling), offering)
    if (others.length) await next(templates, others)
    if (settlesLater(templates.env)) return
    const archived = idsWhere(changes, (vals) => 'active' in vals && !vals.active)
    if (archived.length) await (await variantsOf(templates.browse(archived))).write({ active: false })
    const woken = idsWhere(changes, (vals) => vals.active)
    const bare = woken.length ? await withoutVariants(templates.browse(woken)) : []
    const stale = [...new Set([...offering.flatMap(({ ids }) => ids), ...bare])]
    if (stale.length) await settleVariants(templates.env, stale)
  },
  wrapGeneric: {
    create: (next) => async (templates, params) => {
      if (settlesLater(templates.env)) return next(templates, params)
      const list = givenVals(params.vals_list)
      const createdTemplates = (await next(templates.withContext(postponeSettling), params)) as Templates
      const valuesOf = new Map(createdTemplates.ids.map((id, i) => [id, ofVariant(present(list[i]))]))
      await settleVariants(templates.env, createdTemplates.ids, valuesOf)
      await showGiven(templates.browse(createdTemplates.ids), valuesOf)
      return templates.browse(createdTemplates.ids)
    },
    unlink: (next) => async (templates, params) => {
      const variants = keepsTemplate(templates.env) ? null : await variantsOf(templates)
      if (variants?.length) await variants.unlink()
      return next(templates, params)
    },
    copy_data: markCopies,
    copy: (next) => async (templates, params) => {
      const createdTemplates = (await next(templates, params)) as Templates
      await copyExtras(templates, createdTemplates)
      return createdTemplates
    },
  },
})

const shown = ({ context }: Environment): boolean =>
  !('display_default_code' in context) || Boolean(context.display_default_code)

async function withoutVariants(templates: Templates): Promise<number[]> {
  const rows = await templates.env.rows(
    sql`SELECT t.id FROM product_template t WHERE t.id = ANY(${idList(templates.ids)})
    AND NOT EXISTS (SELECT FROM product_product p WHERE p.product_tmpl_id = t.id AND p.active)`,
    { reads: ['product.template', 'product.product'], row: ['int'] },
  )
  return rows.map((row) => row[0])
}
