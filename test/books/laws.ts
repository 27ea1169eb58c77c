// Random documents, and the invariants that hold after any action on them (bookkeeping.ts). The test of
// account.move runs the short form, `npm run books` the long one.
import fc from 'fast-check'
import { sql } from '../../src/sql/index.ts'
import type { Accounting } from '../support/accounting.ts'
import { ledgerOf } from '../support/ledger.ts'

const parts = (...shares: readonly number[]) =>
  [
    [0, 0, { repartition_type: 'base' }],
    ...shares.map((factor_percent) => [0, 0, { repartition_type: 'tax', factor_percent }]),
  ] as const
const tax = (name: string, amount: number, more: object, ...shares: readonly number[]) => ({
  name,
  amount,
  invoice_repartition_line_ids: parts(...shares),
  refund_repartition_line_ids: parts(...shares),
  ...more,
})

const taxes = [
  tax('Law 20', 20, {}, 100),
  tax('Law 7.7 within', 7.7, { price_include_override: 'tax_included' }, 60, 40),
  tax('Law reverse', 21, { include_base_amount: true }, 100, -100),
  tax('Law reverse within', 10, { price_include_override: 'tax_included', sequence: 3 }, 100, -60, -40),
  tax('Law piece', 0.333, { amount_type: 'fixed', include_base_amount: true }, 33.33, 33.33, 33.34),
  tax('Law division', 20, { amount_type: 'division' }, 50, 50),
  tax('Law less', -10, { sequence: 5 }, 100),
]

const term = (name: string, ...shares: readonly number[]) => ({
  name,
  line_ids: shares.map((value_amount, n) => [0, 0, { value: 'percent', value_amount, nb_days: n * 30 }]),
})

const early = (early_pay_discount_computation: string) => ({
  ...term(`Law early ${early_pay_discount_computation}`, 100),
  early_discount: true,
  discount_percentage: 7.5,
  discount_days: 120,
  early_pay_discount_computation,
})

const decimal = (min: number, max: number, places: number) =>
  fc.integer({ min: min * 10 ** places, max: max * 10 ** places }).map((n) => n / 10 ** places)

export interface Masters {
  readonly taxes: readonly number[]
  readonly currencies: readonly number[]
  readonly terms: readonly number[]
  readonly coins: readonly number[]
  readonly partners: readonly number[]
  /** An account for what is written off. */
  readonly costs: number
}

const anyLine = (masters: Masters) =>
  fc.record({
    name: fc.constant('Line'),
    quantity: fc.oneof(fc.constant(1), decimal(0, 40, 2)),
    price_unit: decimal(0, 3000, 4),
    discount: fc.oneof(fc.constant(0), decimal(0, 100, 2)),
    tax_ids: fc.subarray([...masters.taxes], { maxLength: 3 }).map((ids) => [[6, 0, ids]]),
  })

export const anyDocument = (masters: Masters) =>
  fc.record({
    move_type: fc.constantFrom('out_invoice', 'out_refund', 'out_receipt', 'in_invoice', 'in_refund'),
    partner_id: fc.constantFrom(...masters.partners),
    invoice_date: fc.constantFrom('2025-01-31', '2025-02-28', '2024-12-01'),
    currency_id: fc.constantFrom(...masters.currencies),
    // Some at a rate that was agreed.
    invoice_currency_rate: fc.constantFrom(0, 0, 0, 1.3777),
    invoice_payment_term_id: fc.constantFrom(false, ...masters.terms),
    invoice_cash_rounding_id: fc.constantFrom(false, false, ...masters.coins),
    invoice_line_ids: fc
      .array(anyLine(masters), { minLength: 1, maxLength: 6 })
      .map((lines) => lines.map((line) => [0, 0, line])),
  })

/**
 * Master data of the documents: taxes of every type, currencies with unusual rounding, payment terms,
 * cash rounding, contacts.
 */
export async function mastersOf(office: Accounting): Promise<Masters> {
  const { makeAll } = ledgerOf(office)
  const currencies = await makeAll('res.currency', [
    { name: 'LWA', symbol: 'a', rounding: 0.05 },
    { name: 'LWB', symbol: 'b', rounding: 1 },
    { name: 'LWC', symbol: 'c', rounding: 0.001 },
  ])
  // Other ones on the days of payments than on those of documents, up and down.
  const rates = {
    '2025-01-01': [1.2345, 110.37, 0.3001],
    '2025-02-15': [1.1877, 118.91, 0.2914],
    '2025-04-01': [1.3019, 103.02, 0.3333],
    '2025-05-20': [1.2344, 110.4, 0.3],
  }
  await makeAll(
    'res.currency.rate',
    Object.entries(rates).flatMap(([name, values]) =>
      currencies.map((currency_id, i) => ({ currency_id, name, rate: values[i] })),
    ),
  )
  const accounts = await office.run(async (env) => ({
    gain: await env.ref('account.1_cash_diff_income'),
    loss: await env.ref('account.1_cash_diff_expense'),
    own: await env.ref('base.USD'),
    costs: await env.ref('account.1_cash_diff_expense'),
  }))
  const coin = { rounding: 0.5, profit_account_id: accounts.gain, loss_account_id: accounts.loss }
  return {
    taxes: await makeAll('account.tax', taxes),
    costs: accounts.costs,
    currencies: [accounts.own, accounts.own, ...currencies],
    terms: await makeAll('account.payment.term', [
      term('Law halves', 50, 50),
      term('Law thirds', 33.33, 33.33, 33.34),
      term('Law little', 1, 99),
      early('included'),
      early('excluded'),
      early('mixed'),
    ]),
    coins: await makeAll('account.cash.rounding', [
      { name: 'Law coins', strategy: 'add_invoice_line', ...coin },
      { name: 'Law coins in tax', strategy: 'biggest_tax', rounding_method: 'UP', ...coin },
    ]),
    partners: await makeAll('res.partner', [{ name: 'Law A' }, { name: 'Law B' }]),
  }
}

const FAULTS = 20

/** Violated invariants of posted entries, a line each; the first `FAULTS` of them. */
export async function faultsOf(office: Accounting): Promise<string[]> {
  const rows = await office.run((env) =>
    env.query(sql`WITH items AS (
        SELECT m.id, m.name, m.move_type, m.amount_untaxed, m.amount_tax, m.amount_total, m.amount_residual, m.amount_total_signed, m.amount_residual_signed,
          m.payment_state, c.rounding::numeric AS step, sum(l.balance) AS balance, sum(l.amount_currency) AS own,
          count(*) FILTER (WHERE l.display_type = 'payment_term') AS terms,
          sum(l.amount_currency) FILTER (WHERE l.display_type = 'payment_term') AS owed,
          sum(l.balance) FILTER (WHERE l.display_type = 'payment_term') AS booked,
          sum(l.amount_residual_currency) FILTER (WHERE l.display_type = 'payment_term') AS open,
          sum(l.amount_residual) FILTER (WHERE l.display_type = 'payment_term') AS open_signed,
          COALESCE(sum(l.amount_currency) FILTER (WHERE l.tax_line_id IS NOT NULL), 0) AS tax,
          bool_or(l.debit - l.credit <> l.balance OR l.currency_id = l.company_currency_id AND l.amount_currency <> l.balance) AS sided,
          bool_or(round(l.amount_currency / c.rounding::numeric) * c.rounding::numeric <> l.amount_currency OR round(l.balance, 2) <> l.balance) AS crooked,
          bool_or((l.parent_state, l.date, l.journal_id, l.company_id) IS DISTINCT FROM (m.state, m.date, m.journal_id, m.company_id)) AS apart
        FROM account_move m JOIN res_currency c ON c.id = m.currency_id JOIN account_move_line l ON l.move_id = m.id
        WHERE m.state = 'posted' GROUP BY m.id, c.id),
      matched AS (SELECT l.id, l.balance, l.amount_residual, l.amount_currency, l.amount_residual_currency, l.reconciled, COALESCE((SELECT sum(p.amount) FROM account_partial_reconcile p WHERE p.debit_move_id = l.id), 0)
          - COALESCE((SELECT sum(p.amount) FROM account_partial_reconcile p WHERE p.credit_move_id = l.id), 0) AS settled,
          COALESCE((SELECT sum(p.debit_amount_currency) FROM account_partial_reconcile p WHERE p.debit_move_id = l.id), 0)
          - COALESCE((SELECT sum(p.credit_amount_currency) FROM account_partial_reconcile p WHERE p.credit_move_id = l.id), 0) AS settled_currency
        FROM account_move_line l JOIN account_account a ON a.id = l.account_id AND a.reconcile WHERE l.parent_state = 'posted')
    SELECT name || ' does not balance' FROM items WHERE round(balance, 6) <> 0 OR (move_type <> 'entry' AND round(own, 6) <> 0)
    UNION ALL SELECT name || ' has amounts between the steps of its currency' FROM items WHERE crooked AND move_type <> 'entry'
    UNION ALL SELECT name || ' and its items say different things' FROM items WHERE apart
    UNION ALL SELECT name || ' has other taxes than its items' FROM items WHERE move_type <> 'entry' AND round(abs(tax) - abs(amount_tax), 6) <> 0
    UNION ALL SELECT name || ' has a total that is none' FROM items WHERE move_type <> 'entry' AND round(amount_untaxed + amount_tax - amount_total, 6) <> 0
    UNION ALL SELECT name || ' is owed something else than its total' FROM items
      WHERE move_type <> 'entry' AND (terms = 0 OR round(abs(owed) - abs(amount_total), 6) <> 0 OR round(booked - amount_total_signed, 6) <> 0)
    UNION ALL SELECT name || ' is open by something else than its items' FROM items
      WHERE move_type <> 'entry' AND (round(abs(open) - abs(amount_residual), 6) <> 0 OR round(open_signed - amount_residual_signed, 6) <> 0)
    UNION ALL SELECT name || ' is ' || payment_state || ' with ' || amount_residual || ' open' FROM items
      WHERE move_type <> 'entry' AND amount_total <> 0 AND (payment_state IN ('paid', 'reversed')) <> (amount_residual = 0)
    UNION ALL SELECT 'item ' || id || ' is open by ' || amount_residual || ' of ' || balance || ', matched ' || settled FROM matched
      WHERE round(balance - settled - amount_residual, 6) <> 0
    UNION ALL SELECT 'item ' || id || ' is open by ' || amount_residual_currency || ' of ' || amount_currency || ' in its currency, matched ' || settled_currency FROM matched
      WHERE round(amount_currency - settled_currency - amount_residual_currency, 6) <> 0
    UNION ALL SELECT 'item ' || id || ' of ' || balance || ' and ' || amount_currency || ' is open by ' || amount_residual || ' and ' || amount_residual_currency FROM matched
      WHERE reconciled <> (amount_residual = 0 AND amount_residual_currency = 0) OR abs(amount_residual) > abs(balance) OR amount_residual * balance < 0
        OR abs(amount_residual_currency) > abs(amount_currency) OR amount_residual_currency * amount_currency < 0
        OR amount_currency <> 0 AND amount_residual_currency = 0 AND amount_residual <> 0
    UNION ALL SELECT 'item ' || l.id || ' is settled in the money of the company, and open by ' || l.amount_residual_currency || ' in its currency'
      FROM matched l JOIN account_move_line o ON o.id = l.id JOIN res_currency c ON c.id = o.currency_id
      WHERE l.amount_residual = 0 AND l.balance <> 0 AND abs(l.amount_residual_currency) > c.rounding
        AND abs(l.amount_residual_currency * l.balance / NULLIF(l.amount_currency, 0)) >= 0.01
    UNION ALL SELECT name || ' is open by ' || amount_residual || ' in its currency, and by ' || amount_residual_signed || ' in the money of the company'
      FROM items WHERE move_type <> 'entry' AND amount_residual = 0 AND amount_residual_signed <> 0
    UNION ALL SELECT m.name || ' books a difference of rates that no match caused, and nothing takes it back'
      FROM account_move m JOIN res_company o ON o.id = m.company_id AND o.currency_exchange_journal_id = m.journal_id
      WHERE m.state = 'posted' AND m.reversed_entry_id IS NULL AND NOT EXISTS (SELECT FROM account_partial_reconcile p WHERE p.exchange_move_id = m.id)
        AND NOT EXISTS (SELECT FROM account_move r WHERE r.reversed_entry_id = m.id AND r.state = 'posted')
    UNION ALL SELECT m.name || ' books a difference of rates, and ' || r.name || ' takes it back while its match stands'
      FROM account_move m JOIN account_partial_reconcile p ON p.exchange_move_id = m.id
      JOIN account_move r ON r.reversed_entry_id = m.id AND r.state = 'posted'
    UNION ALL SELECT name || ' has items whose sides are not their balance' FROM items WHERE sided
    UNION ALL SELECT o.name || ' and its credit note ' || m.name || ' are not opposite, line by line'
      FROM account_move m JOIN account_move o ON o.id = m.reversed_entry_id AND o.move_type <> 'entry' WHERE m.state = 'posted' AND EXISTS (
        SELECT display_type, CASE WHEN display_type <> 'rounding' THEN account_id END, tax_line_id, -COALESCE(amount_currency, 0), count(*) FROM account_move_line
          WHERE move_id = o.id AND display_type IN ('product', 'tax', 'rounding') AND amount_currency <> 0 GROUP BY 1, 2, 3, 4
        EXCEPT SELECT display_type, CASE WHEN display_type <> 'rounding' THEN account_id END, tax_line_id, COALESCE(amount_currency, 0), count(*) FROM account_move_line
          WHERE move_id = m.id AND display_type IN ('product', 'tax', 'rounding') GROUP BY 1, 2, 3, 4)
    UNION ALL SELECT m.name || ' has an instalment of ' || l.amount_currency || ', which cannot be paid in coins of ' || r.rounding
      FROM account_move m JOIN account_cash_rounding r ON r.id = m.invoice_cash_rounding_id JOIN account_move_line l ON l.move_id = m.id
      WHERE m.state = 'posted' AND l.display_type = 'payment_term'
        AND mod(m.amount_total::numeric, r.rounding::numeric) = 0 AND mod(l.amount_currency::numeric, r.rounding::numeric) <> 0
    UNION ALL SELECT 'the numbers of ' || COALESCE(m.sequence_prefix, '') || ' have gaps' FROM account_move m
      WHERE m.state = 'posted' OR m.name IS NOT NULL GROUP BY m.journal_id, m.sequence_prefix
      HAVING count(DISTINCT m.sequence_number) <> count(*) OR max(m.sequence_number) - min(m.sequence_number) + 1 <> count(*)
    LIMIT ${FAULTS}::int`),
  )
  return rows.map((row) => row[0] as string)
}
