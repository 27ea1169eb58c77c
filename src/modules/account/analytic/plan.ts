// Analytic plans (account.analytic.plan): the views that costs and revenues are split by, such as projects or
// departments; and where each asks for a distribution (account.analytic.applicability).
import {
  char,
  computed,
  computedTogether,
  type Environment,
  implement,
  integer,
  many2one,
  model,
  type Of,
  one2many,
  type Records,
  selection,
  text,
} from '#models'
import { idList, sql } from '../../../sql/index.ts'

export const applicabilities = {
  optional: 'Optional',
  mandatory: 'Mandatory',
  unavailable: 'Unavailable',
} as const

const plan = model('account.analytic.plan', {
  label: 'Analytic Plans',
  order: 'complete_name, id',
  recName: 'complete_name',
  parent: 'parent_id',
  parentStore: true,
  fields: {
    name: char({ label: 'Name', required: true, translate: true }),
    description: text({ label: 'Description' }),
    parent_id: many2one('account.analytic.plan', { label: 'Parent', ondelete: 'cascade', index: true }),
    parent_path: char({ label: 'Parent Path', index: true, copy: false }),
    root_id: many2one('account.analytic.plan', { label: 'Root', computed: true }),
    children_ids: one2many('account.analytic.plan', 'parent_id', { label: 'Children' }),
    complete_name: char({ label: 'Complete Name', computed: true, stored: true }),
    account_ids: one2many('account.analytic.account', 'plan_id', { label: 'Accounts' }),
    applicability_ids: one2many('account.analytic.applicability', 'analytic_plan_id', {
      label: 'Applicability',
      copy: true,
    }),
    default_applicability: selection(applicabilities, {
      label: 'Default Applicability',
      companyDependent: true,
      default: 'optional',
      help: 'Whether items need a distribution over the plan, unless an applicability says otherwise.',
    }),
    color: integer({ label: 'Color' }),
    sequence: integer({ label: 'Sequence', default: 10 }),
    account_count: integer({ label: 'Analytic Accounts Count', computed: true }),
    all_account_count: integer({
      label: 'All Analytic Accounts Count',
      computed: true,
      help: 'Accounts of the plan and of all plans below it.',
    }),
    children_count: integer({ label: 'Children Plans Count', computed: true }),
  },
})

const applicability = model('account.analytic.applicability', {
  label: "Analytic Plan's Applicabilities",
  fields: {
    analytic_plan_id: many2one('account.analytic.plan', {
      label: 'Analytic Plan',
      ondelete: 'cascade',
      index: true,
    }),
    business_domain: selection(
      {
        general: 'Miscellaneous',
        invoice: 'Customer Invoice',
        bill: 'Vendor Bill',
        purchase_order: 'Purchase Order',
        sale_order: 'Sale Order',
      },
      { label: 'Domain', required: true },
    ),
    applicability: selection(applicabilities, { label: 'Applicability', required: true }),
    account_prefix: char({
      label: 'Financial Accounts Prefixes',
      help: 'Codes of accounts that it is for begin with one of these, separated by commas.',
    }),
    product_categ_id: many2one('product.category', { label: 'Product Category', ondelete: 'cascade' }),
    company_id: many2one('res.company', { label: 'Company', ondelete: 'cascade' }),
  },
})

declare module '#models' {
  interface Models {
    'account.analytic.plan': AnalyticPlan
    'account.analytic.applicability': AnalyticApplicability
  }
  interface AnalyticPlan extends Of<typeof plan> {}
  interface AnalyticApplicability extends Of<typeof applicability> {}
}

/** The topmost of the plans in a path of ids, as the table keeps it. */
export const topOf = (path: string | null): number | null => Number(path?.split('/')[0]) || null

/** Analytic accounts by id with their root plans, archived ones too, of those that the environment reads. */
export async function analyticAccountsById(env: Environment, ids: readonly number[]) {
  const accounts = await env
    .model('account.analytic.account')
    .withContext({ active_test: false })
    .search([['id', 'in', [...new Set(ids)]]])
  const rows = await accounts.load(['root_plan_id', 'company_id'])
  return new Map(rows.map((row) => [row.id, row]))
}

/** Counts of accounts of the caller's companies by plan; with `below`, those of lower plans too. */
const accountCounts = (below: boolean) =>
  computedTogether(plan, [], async (plans, env) => {
    const ids = plans.map(({ id }) => id)
    const lower = below ? sql`starts_with(p.parent_path, top.parent_path)` : sql`p.id = top.id`
    const rows = await env.rows(
      sql`SELECT top.id, count(a.id)::int FROM account_analytic_plan top JOIN account_analytic_plan p ON ${lower}
      JOIN account_analytic_account a ON a.plan_id = p.id AND a.active AND (a.company_id IS NULL OR EXISTS (
          SELECT FROM res_company c JOIN res_company above ON starts_with(c.parent_path, above.parent_path)
          WHERE c.id = ANY(${idList([...env.companyIds])}) AND above.id = a.company_id))
      WHERE top.id = ANY(${idList(ids)}) GROUP BY 1`,
      { reads: ['account.analytic.plan', 'account.analytic.account', 'res.company'], row: ['int', 'int'] },
    )
    const counts = new Map(rows)
    return new Map(ids.map((id) => [id, counts.get(id) ?? 0]))
  })

export const analyticPlan = implement(plan, {
  defaults: { color: () => 1 + Math.floor(Math.random() * 11) },
  computed: {
    complete_name: computed(plan, ['name', 'parent_id.complete_name'], ({ name, parent_id: parent }) =>
      parent ? `${parent.complete_name} / ${name}` : name,
    ),
    root_id: computed(plan, ['parent_path', 'id'], ({ parent_path: path, id }) => topOf(path) ?? id),
    account_count: accountCounts(false),
    all_account_count: accountCounts(true),
    children_count: computed(plan, ['children_ids'], ({ children_ids: children }) => children.length),
  },
})

export const analyticApplicability = implement(applicability, {
  defaults: { company_id: (env) => env.companyId },
  displayName: computed(
    applicability,
    ['business_domain', 'applicability'],
    (rule) => `${rule.business_domain}: ${rule.applicability}`,
    { sql: (scope) => sql`(${scope.column('business_domain')} || ': ' || ${scope.column('applicability')})` },
  ),
})

/** An item that a plan may ask for a distribution. */
export interface Distributed {
  readonly domain: 'general' | 'invoice' | 'bill' | 'purchase_order' | 'sale_order'
  readonly account: string | null
  readonly category: number | null
  readonly company: number
}

/** Whether a text begins with one of the prefixes, which commas separate; with any where there are none. */
export const beginsWith = (code: string | null, prefixes: string | null): boolean =>
  !prefixes ||
  prefixes
    .split(/[,;]/)
    .map((prefix) => prefix.trim())
    .some((prefix) => prefix !== '' && (code ?? '').startsWith(prefix))

/**
 * Gives the plans that ask an item for a whole distribution: by their applicability that says most about
 * it, else by their default.
 */
export async function mandatoryPlans(
  plans: Records<'account.analytic.plan'>,
): Promise<(item: Distributed) => number[]> {
  const roots = await plans.sudo().search([['parent_id', '=', false]])
  const rows = await roots.load([
    'default_applicability',
    'applicability_ids.business_domain',
    'applicability_ids.applicability',
    'applicability_ids.account_prefix',
    'applicability_ids.product_categ_id',
    'applicability_ids.company_id',
  ])
  return (item) =>
    rows.flatMap(({ id, default_applicability: usual, applicability_ids: rules }) => {
      const fitting = rules
        .filter(
          (rule) =>
            rule.business_domain === item.domain &&
            (!rule.company_id || rule.company_id.id === item.company) &&
            beginsWith(item.account, rule.account_prefix) &&
            (!rule.product_categ_id || rule.product_categ_id.id === item.category),
        )
        .toSorted((a, b) => specificity(b) - specificity(a))
      return (fitting[0]?.applicability ?? usual) === 'mandatory' ? id : []
    })
}

const specificity = (rule: {
  readonly account_prefix: string | null
  readonly product_categ_id: object | null
  readonly company_id: object | null
}) => Number(!!rule.account_prefix) + Number(!!rule.product_categ_id) + Number(!!rule.company_id)
