// Amounts that contacts owe and are owed: open posted items, and the invoiced total; one statement for
// all contacts.
import {
  boolean,
  computedTogether,
  type Environment,
  extend,
  float,
  implement,
  integer,
  many2one,
  monetary,
  type Of,
  one2many,
  selection,
} from '#models'
import { UserError } from '../../errors.ts'
import { idList, sql } from '../../sql/index.ts'
import { countUpwards } from '../base/index.ts'
import { BOOKKEEPERS } from './account-types.ts'

const figures = extend('res.partner', {
  fields: {
    credit: monetary({
      label: 'Total Receivable',
      computed: true,
      groups: BOOKKEEPERS,
      help: 'Amount that the contact owes: invoices less payments.',
    }),
    debit: monetary({
      label: 'Total Payable',
      computed: true,
      groups: BOOKKEEPERS,
      help: 'Amount that the contact is owed: bills less payments.',
    }),
    total_invoiced: monetary({
      label: 'Total Invoiced',
      computed: true,
      groups: BOOKKEEPERS,
      help: 'Posted invoices less credit notes, without taxes.',
    }),
    credit_limit: float({ label: 'Credit Limit', companyDependent: true, groups: BOOKKEEPERS }),
    // A copy is another debtor: what was found out about the one does not hold for it.
    use_partner_credit_limit: boolean({
      label: 'Partner Limit',
      asStored: false,
      groups: BOOKKEEPERS,
      copy: false,
      help: 'The contact has its own credit limit instead of the default of the company.',
    }),
    trust: selection(
      { good: 'Good Debtor', normal: 'Normal Debtor', bad: 'Bad Debtor' },
      {
        label: 'Degree of trust you have in this debtor',
        default: 'normal',
        groups: BOOKKEEPERS,
        copy: false,
      },
    ),
    currency_id: many2one('res.currency', { label: 'Currency', computed: true }),
    invoice_ids: one2many('account.move', 'partner_id', { label: 'Invoices', groups: BOOKKEEPERS }),
    unreconciled_aml_ids: one2many('account.move.line', 'partner_id', {
      label: 'Open Items',
      groups: BOOKKEEPERS,
      domain: [
        ['reconciled', '=', false],
        ['parent_state', '=', 'posted'],
      ],
    }),
    journal_item_count: integer({ label: 'Journal Items', computed: true, groups: BOOKKEEPERS }),
    supplier_invoice_count: integer({
      label: '# Vendor Bills',
      computed: true,
      groups: BOOKKEEPERS,
      help: 'Bills and refunds of the contact and its sub-contacts, in any state.',
    }),
  },
})

declare module '#models' {
  interface Partner extends Of<typeof figures> {}
}

type Partners = readonly { readonly id: number }[]

/**
 * Open amounts of an account type, by contact; contacts are their items' own partner: the company for all its
 * people.
 */
async function open(env: Environment, partners: Partners, type: string): Promise<Map<number, number>> {
  const rows = await env.rows(
    sql`SELECT l.partner_id, COALESCE(sum(l.amount_residual), 0)::float8 FROM account_move_line l JOIN account_account a ON a.id = l.account_id
    WHERE l.partner_id = ANY(${idList(partners.map(({ id }) => id))}) AND a.account_type = ${type} AND l.parent_state = 'posted' AND NOT l.reconciled
    AND l.company_id = ANY(${idList([...env.companyIds])}) GROUP BY 1`,
    { reads: ['account.move.line', 'account.account'], row: ['int', 'float'] },
  )
  return new Map(rows.map((row) => [row[0], row[1]]))
}

const cents = (amount: number) => Number(amount.toFixed(6)) + 0

/** Invoiced totals of contacts and all contacts below them. */
async function invoiced(env: Environment, partners: Partners): Promise<Map<number, number>> {
  const rows = await env.rows(
    sql`WITH RECURSIVE family(root, id) AS (
      SELECT p, p FROM unnest(${idList(partners.map(({ id }) => id))}) AS p
      UNION SELECT f.root, c.id FROM family f JOIN res_partner c ON c.parent_id = f.id)
    SELECT f.root, COALESCE(sum(m.amount_untaxed_signed), 0)::float8 FROM family f JOIN account_move m ON m.partner_id = f.id
    WHERE m.state = 'posted' AND m.move_type IN ('out_invoice', 'out_refund') AND m.company_id = ANY(${idList([...env.companyIds])}) GROUP BY 1`,
    { reads: ['res.partner', 'account.move'], row: ['int', 'float'] },
  )
  return new Map(rows.map((row) => [row[0], row[1]]))
}

const all = (partners: Partners, of: ReadonlyMap<number, number>, sign = 1) =>
  new Map(partners.map(({ id }) => [id, cents(sign * (of.get(id) ?? 0))]))

export default implement(figures, {
  computed: {
    credit: computedTogether(figures, [], async (partners, env) =>
      all(partners, await open(env, partners, 'asset_receivable')),
    ),
    debit: computedTogether(figures, [], async (partners, env) =>
      all(partners, await open(env, partners, 'liability_payable'), -1),
    ),
    total_invoiced: computedTogether(figures, [], async (partners, env) =>
      all(partners, await invoiced(env, partners)),
    ),
    currency_id: computedTogether(figures, [], async (partners, env) => {
      const company = await env.sudo().model('res.company').browse([env.companyId]).one(['currency_id'])
      return new Map(partners.map(({ id }) => [id, company.currency_id]))
    }),
    journal_item_count: computedTogether(figures, [], async (partners, env) => {
      const rows = await env.rows(
        sql`SELECT partner_id, count(*)::int FROM account_move_line WHERE partner_id = ANY(${idList(partners.map(({ id }) => id))}) GROUP BY 1`,
        { reads: ['account.move.line'], row: ['int', 'int'] },
      )
      const counts = new Map(rows.map((row) => [row[0], row[1]]))
      return new Map(partners.map(({ id }) => [id, counts.get(id) ?? 0]))
    }),
    supplier_invoice_count: computedTogether(figures, [], async (partners, env) => {
      const ids = partners.map(({ id }) => id)
      const bills = await env.model('account.move').search([
        ['partner_id', 'child_of', ids],
        ['move_type', 'in', ['in_invoice', 'in_refund']],
      ])
      return countUpwards(env, ids, { ids: bills.ids, model: 'account.move' })
    }),
  },
  wrapGeneric: {
    unlink: (next) => async (partners, params) => {
      const rows = await partners.env.rows(
        sql`SELECT 1 FROM account_move m WHERE m.state IN ('draft', 'posted')
        AND (m.partner_id = ANY(${idList(partners.ids)}) OR m.commercial_partner_id = ANY(${idList(partners.ids)})) LIMIT 1`,
        { reads: ['account.move'], row: ['int'] },
      )
      if (rows.length) throw new UserError('A contact with journal entries cannot be deleted: archive it.')
      return next(partners, params)
    },
  },
})

/** Raises the ranks of those who were invoiced, and of the companies they belong to. */
export async function raiseRanks(env: Environment, moves: readonly number[]): Promise<void> {
  const entries = await env
    .sudo()
    .model('account.move')
    .browse(moves)
    .load(['move_type', 'partner_id', 'commercial_partner_id'])
  for (const [field, prefix] of [
    ['customer_rank', 'out'],
    ['supplier_rank', 'in'],
  ] as const) {
    const raised = new Map<number, number>()
    for (const entry of entries.filter(({ move_type }) => move_type.startsWith(prefix)))
      for (const partner of new Set([entry.partner_id?.id, entry.commercial_partner_id?.id]))
        if (partner !== undefined) raised.set(partner, (raised.get(partner) ?? 0) + 1)
    if (raised.size === 0) continue
    const ids = [...raised.keys()]
    // Journals take turns, contacts are in many of them.
    env.unit.turns.note('contacts', ids)
    const partners = env.sudo().model('res.partner').browse(ids)
    const ranks = new Map((await partners.load([field])).map((partner) => [partner.id, partner[field]]))
    await partners.writeEach(
      new Map([...raised].map(([id, more]) => [id, { [field]: (ranks.get(id) ?? 0) + more }])),
    )
  }
}
