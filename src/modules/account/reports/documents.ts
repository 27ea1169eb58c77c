// Journals of sales and statements of customers: documents and items in the order of their days.
import type { Environment } from '#models'
import { InvalidValue, MissingError } from '../../../errors.ts'
import { only } from '../../../kit/present.ts'
import { idList, sql } from '../../../sql/index.ts'
import type { Page } from './ledger.ts'
import { cents, companiesOf, type Period } from './parameters.ts'

/** Customer documents of a period by day and number, and their sums over the whole period. */
export async function salesJournal(
  env: Environment,
  { from, to }: Period,
  journals: readonly number[],
  { limit, offset }: Page,
) {
  const companies = await companiesOf(env)
  const which = journals.length ? sql`m.journal_id = ANY(${idList([...journals])})` : sql`TRUE`
  const within = sql`m.state = 'posted' AND m.move_type IN ('out_invoice', 'out_refund', 'out_receipt') AND m.company_id = ANY(${idList([...companies])})
    AND m.date BETWEEN ${from}::date AND ${to}::date AND ${which}`
  const sums = await env.rows(
    sql`SELECT count(*)::int, COALESCE(sum(m.amount_untaxed_signed), 0)::float8, COALESCE(sum(m.amount_tax_signed), 0)::float8,
    COALESCE(sum(m.amount_total_signed), 0)::float8, COALESCE(sum(m.amount_residual_signed), 0)::float8 FROM account_move m WHERE ${within}`,
    { reads: ['account.move'], row: ['int', 'float', 'float', 'float', 'float'] },
  )
  // The page is found in the order of an index of documents, and only its rows are given the rest.
  const documentRows = await env.rows(
    sql`SELECT m.id, m.name, m.move_type, m.date::text, m.invoice_date_due::text, p.complete_name, m.payment_state,
      m.amount_untaxed_signed::float8, m.amount_tax_signed::float8, m.amount_total_signed::float8, m.amount_residual_signed::float8
    FROM (SELECT * FROM account_move m WHERE ${within} ORDER BY m.date, m.name, m.invoice_date, m.id LIMIT ${limit}::int OFFSET ${offset}::int) m
    LEFT JOIN res_partner p ON p.id = m.partner_id ORDER BY m.date, m.name, m.invoice_date, m.id`,
    {
      reads: ['account.move', 'res.partner'],
      row: [
        'int',
        'text?',
        'text',
        'text?',
        'text?',
        'text?',
        'text?',
        'float?',
        'float?',
        'float?',
        'float?',
      ],
    },
  )
  const rows = documentRows.map(
    ([id, name, move_type, date, due, partner, payment_state, untaxed, tax, total, open]) => ({
      id,
      name,
      move_type,
      date,
      due,
      partner,
      payment_state,
      untaxed,
      tax,
      total,
      open,
    }),
  )
  const [count, untaxed, tax, total, open] = only(sums)
  const totals = { untaxed: cents(untaxed), tax: cents(tax), total: cents(total), open: cents(open) }
  return { rows, count, totals, next: offset + rows.length < count ? offset + rows.length : false }
}

/** The longest statement; beyond it a shorter period is asked for. */
const LONGEST = 10_000

/**
 * Invoices and payments of a contact's company in a period, with the balance before and after. Throws
 * InvalidValue for an invalid id, MissingError for a missing contact.
 */
export async function partnerStatement(env: Environment, period: Period, partner: unknown) {
  const companies = await companiesOf(env)
  if (typeof partner !== 'number' || !Number.isInteger(partner))
    throw new InvalidValue('partner_id is required: pass the id of the contact.')
  const [contact] = await env.model('res.partner').browse([partner]).load(['commercial_partner_id'])
  if (!contact) throw new MissingError('Contact not found.')
  const id = contact.commercial_partner_id?.id ?? contact.id
  const within = sql`l.partner_id = ${id}::int AND l.parent_state = 'posted' AND l.company_id = ANY(${idList([...companies])}) AND a.account_type = 'asset_receivable'`
  const [before] = await env.rows(
    sql`SELECT COALESCE(sum(l.balance), 0)::float8 FROM account_move_line l JOIN account_account a ON a.id = l.account_id
    WHERE ${within} AND l.date < ${period.from}::date`,
    { reads: ['account.move.line', 'account.account'], row: ['float'] },
  )
  const itemRows = await env.rows(
    sql`SELECT l.id, l.date::text, l.date_maturity::text, COALESCE(l.move_name, ''), l.name, COALESCE(l.debit, 0)::float8, COALESCE(l.credit, 0)::float8, COALESCE(l.amount_residual, 0)::float8
    FROM account_move_line l JOIN account_account a ON a.id = l.account_id WHERE ${within} AND l.date BETWEEN ${period.from}::date AND ${period.to}::date
    ORDER BY l.date, COALESCE(l.date_maturity, l.date), l.id LIMIT ${LONGEST + 1}::int`,
    {
      reads: ['account.move.line', 'account.account'],
      row: ['int', 'text', 'text?', 'text', 'text?', 'float', 'float', 'float'],
    },
  )
  if (itemRows.length > LONGEST)
    throw new InvalidValue(`The statement has more than ${LONGEST} items: choose a shorter period.`)
  const opening = cents(before?.[0] ?? 0)
  let balance = opening
  const rows = itemRows.map(([item, date, due, move_name, name, debit, credit, open]) => {
    balance = cents(balance + debit - credit)
    return { id: item, date, due, move_name, name, debit, credit, open, balance }
  })
  const overdue = cents(
    rows.reduce((sum, row) => ((row.due ?? row.date) < period.to ? sum + row.open : sum), 0),
  )
  return { partner_id: id, opening, rows, closing: balance, overdue }
}
