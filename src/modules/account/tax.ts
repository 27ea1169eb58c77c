// Implementation of taxes (account.tax). Amounts: tax-engine/ and tax-compute.ts; rules: tax-rules.ts;
// parts: tax-parts.ts.
import { computed, computedTogether, type Environment, idsWhere, implement } from '#models'
import { sql } from '../../sql/index.ts'
import { keptOnceIssued, keptOnceListed, markCopies } from '../base/index.ts'
import { tax } from './tax.contract.ts'
import { computeAll } from './tax-compute.ts'
import { withMirroredParts, withParts } from './tax-parts.ts'
import { taxChecks } from './tax-rules.ts'

type Vals = Record<string, unknown>

/** Posted items are reported by the kind, the country and the group of their taxes. */
const keepIssued = keptOnceIssued<'account.tax'>(['type_tax_use', 'country_id', 'tax_group_id'])

export default implement(tax, {
  defaults: { company_id: (env) => env.companyId },
  computed: {
    price_include: computed(
      tax,
      ['price_include_override', 'company_id.account_price_include'],
      (t) => (t.price_include_override ?? t.company_id.account_price_include) === 'tax_included',
      {
        sql: (scope) => {
          const company = scope.model.fields.get('company_id')
          if (!company) return null
          const override = scope.column('price_include_override')
          return sql`(COALESCE(${override}, ${scope.join(company).column('account_price_include')}) = 'tax_included')`
        },
      },
    ),
    has_negative_factor: computed(tax, ['invoice_repartition_line_ids.factor_percent'], (t) =>
      t.invoice_repartition_line_ids.some((line) => line.factor_percent < 0),
    ),
    country_id: computedTogether(
      tax,
      ['company_id.account_fiscal_country_id'],
      (taxes) => new Map(taxes.map((t) => [t.id, t.company_id.account_fiscal_country_id])),
      { editable: true },
    ),
    tax_group_id: computedTogether(tax, ['company_id', 'country_id'], firstGroups, { editable: true }),
  },
  checks: taxChecks,
  methods: { compute_all: computeAll },
  wrapWrite: (inner) => async (taxes, changes) => {
    const next = keepIssued(inner)
    const sided = changes.map(({ ids, vals }) => ({ ids, vals: withMirroredParts(vals) }))
    const kind = ({ amount_type, ...vals }: Vals) =>
      amount_type !== undefined && amount_type !== 'group' && !('invoice_repartition_line_ids' in vals)
    const kindIds = idsWhere(sided, kind)
    if (kindIds.length === 0) return next(taxes, sided)
    // A former group of taxes has no parts yet.
    const rows = await taxes.browse(kindIds).sudo().load(['repartition_line_ids'])
    const bare = new Set(rows.filter((row) => row.repartition_line_ids.length === 0).map((row) => row.id))
    const parted = sided.flatMap(({ ids, vals }) =>
      kind(vals) ? [{ ids: ids.filter((id) => bare.has(id)), vals: withParts(vals) as Vals }] : [],
    )
    const others = sided.map(({ ids, vals }) => ({
      ids: kind(vals) ? ids.filter((id) => !bare.has(id)) : ids,
      vals,
    }))
    return next(
      taxes,
      [...parted, ...others].filter(({ ids }) => ids.length > 0),
    )
  },
  wrapGeneric: {
    create: (next) => (taxes, params) =>
      next(taxes, { ...params, vals_list: (params.vals_list as readonly unknown[]).map(withParts) }),
    unlink: keptOnceListed as never,
    copy_data: markCopies,
  },
})

interface Placed {
  readonly id: number
  readonly company_id: { readonly id: number }
  readonly country_id: { readonly id: number } | null
}

/** The first group of the company (or one above it) and the country. */
async function firstGroups(
  taxes: readonly Placed[],
  env: Environment,
): Promise<Map<number, { id: number } | null>> {
  const groups = await env.sudo().model('account.tax.group').search([])
  const rows = await groups.load(['company_id', 'country_id'])
  const companies = await env
    .sudo()
    .model('res.company')
    .browse([...new Set(taxes.map((t) => t.company_id.id))])
    .load(['parent_ids'])
  const above = new Map(companies.map((c) => [c.id, new Set(c.parent_ids.map((p) => p.id)).add(c.id)]))
  return new Map(
    taxes.map((t) => {
      const ownGroups = rows.filter((g) => above.get(t.company_id.id)?.has(g.company_id.id))
      const taxGroup =
        ownGroups.find((g) => g.country_id?.id === t.country_id?.id) ??
        ownGroups.find((g) => g.country_id === null)
      return [t.id, taxGroup ? { id: taxGroup.id } : null]
    }),
  )
}
