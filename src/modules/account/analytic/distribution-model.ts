// Distribution models (account.analytic.distribution.model): the distributions that items begin with, by
// partner, product and account.
import {
  boolean,
  char,
  computed,
  type Environment,
  extend,
  implement,
  integer,
  json,
  many2many,
  many2one,
  model,
  type Of,
} from '#models'
import { sql } from '../../../sql/index.ts'
import { analyticAccountsById, beginsWith } from './plan.ts'
import { accountsIn, assertDistribution } from './shares.ts'

const proposal = model('account.analytic.distribution.model', {
  label: 'Analytic Distribution Model',
  order: 'sequence, id desc',
  fields: {
    sequence: integer({ label: 'Sequence', default: 10 }),
    partner_id: many2one('res.partner', { label: 'Partner', ondelete: 'cascade', checkCompany: true }),
    partner_category_id: many2one('res.partner.category', { label: 'Partner Category', ondelete: 'cascade' }),
    product_id: many2one('product.product', { label: 'Product', ondelete: 'cascade', checkCompany: true }),
    product_categ_id: many2one('product.category', { label: 'Product Category', ondelete: 'cascade' }),
    account_prefix: char({
      label: 'Accounts Prefix',
      help: 'Codes of accounts that it is for begin with one of these, separated by commas.',
    }),
    company_id: many2one('res.company', { label: 'Company', ondelete: 'cascade' }),
    analytic_distribution: json({ label: 'Analytic Distribution' }),
    distribution_analytic_account_ids: many2many('account.analytic.account', {
      label: 'Distribution Analytic Account',
      computed: true,
    }),
  },
})

const company = extend('res.company', {
  fields: {
    has_distribution_models: boolean({
      label: 'Distribution Models Are in Use',
      readonly: true,
      help: 'Analytic distribution models exist; items look for one that fits.',
    }),
  },
})

declare module '#models' {
  interface Models {
    'account.analytic.distribution.model': DistributionModel
  }
  interface DistributionModel extends Of<typeof proposal> {}
  interface Company extends Of<typeof company> {}
}

const isUsed = async (env: Environment): Promise<boolean> =>
  (await env.sudo().model('account.analytic.distribution.model').searchCount([])) > 0

/**
 * Notes with the companies whether there are models: new items read it with their company, and look for
 * models only where there are some.
 */
async function noteUse(env: Environment): Promise<void> {
  const has_distribution_models = await isUsed(env)
  const companies = await env
    .sudo()
    .model('res.company')
    .search([['has_distribution_models', '!=', has_distribution_models]])
  if (companies.length) await companies.write({ has_distribution_models })
}

export const distributionCompany = implement(company, {
  defaults: { has_distribution_models: isUsed },
  writable: { server: ['has_distribution_models'] },
})

export const distributionModel = implement(proposal, {
  defaults: { company_id: (env) => env.companyId },
  prepare: assertDistribution,
  displayName: computed(proposal, ['id'], ({ id }) => `account.analytic.distribution.model,${id}`, {
    sql: ({ id }) => sql`('account.analytic.distribution.model,' || ${id})`,
  }),
  computed: {
    distribution_analytic_account_ids: computed(
      proposal,
      ['analytic_distribution'],
      ({ analytic_distribution: distribution }) => accountsIn(distribution),
    ),
  },
  wrapCreate: (next) => async (models, list) => {
    const created = await next(models, list)
    await noteUse(models.env)
    return created
  },
  wrapGeneric: {
    unlink: (next) => async (models, params) => {
      const answer = await next(models, params)
      await noteUse(models.env)
      return answer
    },
  },
})

/** Companies of lines with those above them. */
async function lineagesOf(env: Environment, lines: readonly Proposed[]) {
  const companies = [...new Set(lines.map(({ company }) => company))]
  const rows = await env.model('res.company').browse(companies).load(['parent_path'])
  return new Map(rows.map(({ id, parent_path: path }) => [id, (path ?? '').split('/').map(Number)]))
}

/** Values of a line that a model is compared with. */
export interface Proposed {
  readonly id: number
  readonly company: number
  readonly partner: number | null
  readonly partnerCategories: readonly number[]
  readonly product: number | null
  readonly productCategory: number | null
  readonly account: string | null
}

/**
 * Distributions of lines by the models that fit them, in their order; a later one adds only what is of plans
 * that no earlier one names. Models that name an account of another company, or one that is gone, are left
 * out: what they propose could not be posted.
 */
export async function proposalsFor(
  env: Environment,
  lines: readonly Proposed[],
): Promise<Map<number, Readonly<Record<string, unknown>>>> {
  const su = env.sudo()
  const models = await su.model('account.analytic.distribution.model').search([])
  const rows = await models.load([
    'partner_id',
    'partner_category_id',
    'product_id',
    'product_categ_id',
    'account_prefix',
    'company_id',
    'analytic_distribution',
  ])
  const accounts = await analyticAccountsById(
    su,
    rows.flatMap((row) => accountsIn(row.analytic_distribution)),
  )
  const plansOf = (distribution: unknown) =>
    accountsIn(distribution).map((id) => accounts.get(id)?.root_plan_id?.id)
  const lineages = await lineagesOf(su, lines)
  const isOpenTo = (account: number, company: number) => {
    const row = accounts.get(account)
    return row && (!row.company_id || lineages.get(company)?.includes(row.company_id.id))
  }
  const fits = (row: (typeof rows)[number], line: Proposed) =>
    (!row.company_id || row.company_id.id === line.company) &&
    (!row.partner_id || row.partner_id.id === line.partner) &&
    (!row.partner_category_id || line.partnerCategories.includes(row.partner_category_id.id)) &&
    (!row.product_id || row.product_id.id === line.product) &&
    (!row.product_categ_id || row.product_categ_id.id === line.productCategory) &&
    beginsWith(line.account, row.account_prefix) &&
    accountsIn(row.analytic_distribution).every((account) => isOpenTo(account, line.company))
  return new Map(
    lines.flatMap((line) => {
      const taken = new Set<number | undefined>()
      const shares: Record<string, unknown> = {}
      for (const row of rows.filter((candidate) => fits(candidate, line))) {
        const rowPlans = plansOf(row.analytic_distribution)
        if (rowPlans.some((plan) => taken.has(plan))) continue
        for (const plan of rowPlans) taken.add(plan)
        Object.assign(shares, row.analytic_distribution)
      }
      return Object.keys(shares).length ? [[line.id, shares] as const] : []
    }),
  )
}
