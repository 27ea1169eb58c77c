// Random documents, what is done to them, and the laws that hold whatever was done: the small form is a test
// beside account.move, `npm run books` the long one.
import fc from 'fast-check'
import { raw, sql } from '../../src/sql/index.ts'
import type { Accounting } from '../support/accounting.ts'
import { type Ledger, ledgerOf } from '../support/ledger.ts'

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

const decimal = (min: number, max: number, places: number) =>
  fc.integer({ min: min * 10 ** places, max: max * 10 ** places }).map((n) => n / 10 ** places)

export interface Masters {
  readonly taxes: readonly number[]
  readonly currencies: readonly number[]
  readonly terms: readonly number[]
  readonly coins: readonly number[]
  readonly partners: readonly number[]
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
    move_type: fc.constantFrom('out_invoice', 'out_refund', 'out_receipt'),
    partner_id: fc.constantFrom(...masters.partners),
    invoice_date: fc.constantFrom('2025-01-31', '2025-02-28', '2024-12-01'),
    currency_id: fc.constantFrom(...masters.currencies),
    invoice_payment_term_id: fc.constantFrom(false, ...masters.terms),
    invoice_cash_rounding_id: fc.constantFrom(false, false, ...masters.coins),
    invoice_line_ids: fc
      .array(anyLine(masters), { minLength: 1, maxLength: 6 })
      .map((lines) => lines.map((line) => [0, 0, line])),
  })

/** What documents are made of: taxes of every sort, currencies with odd steps, terms, coins, contacts. */
export async function mastersOf(office: Accounting): Promise<Masters> {
  const { makeAll } = ledgerOf(office)
  const currencies = await makeAll('res.currency', [
    { name: 'LWA', symbol: 'a', rounding: 0.05 },
    { name: 'LWB', symbol: 'b', rounding: 1 },
    { name: 'LWC', symbol: 'c', rounding: 0.001 },
  ])
  const rates = [1.2345, 110.37, 0.3001]
  await makeAll(
    'res.currency.rate',
    currencies.map((currency_id, i) => ({ currency_id, name: '2025-01-01', rate: rates[i] })),
  )
  const accounts = await office.run(async (env) => ({
    gain: await env.ref('account.1_cash_diff_income'),
    loss: await env.ref('account.1_cash_diff_expense'),
    own: await env.ref('base.USD'),
  }))
  const coin = { rounding: 0.5, profit_account_id: accounts.gain, loss_account_id: accounts.loss }
  return {
    taxes: await makeAll('account.tax', taxes),
    currencies: [accounts.own, accounts.own, ...currencies],
    terms: await makeAll('account.payment.term', [
      term('Law halves', 50, 50),
      term('Law thirds', 33.33, 33.33, 33.34),
      term('Law little', 1, 99),
    ]),
    coins: await makeAll('account.cash.rounding', [
      { name: 'Law coins', strategy: 'add_invoice_line', ...coin },
      { name: 'Law coins in tax', strategy: 'biggest_tax', rounding_method: 'UP', ...coin },
    ]),
    partners: await makeAll('res.partner', [{ name: 'Law A' }, { name: 'Law B' }]),
  }
}

const FAULTS = 20

/** What does not hold of posted entries, a line each; the first of them. */
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
          bool_or(round(l.amount_currency / c.rounding::numeric) * c.rounding::numeric <> l.amount_currency OR round(l.balance, 2) <> l.balance) AS crooked,
          bool_or((l.parent_state, l.date, l.journal_id, l.company_id) IS DISTINCT FROM (m.state, m.date, m.journal_id, m.company_id)) AS apart
        FROM account_move m JOIN res_currency c ON c.id = m.currency_id JOIN account_move_line l ON l.move_id = m.id
        WHERE m.state = 'posted' GROUP BY m.id, c.id),
      matched AS (SELECT l.id, l.balance, l.amount_residual, l.reconciled, COALESCE((SELECT sum(p.amount) FROM account_partial_reconcile p WHERE p.debit_move_id = l.id), 0)
          - COALESCE((SELECT sum(p.amount) FROM account_partial_reconcile p WHERE p.credit_move_id = l.id), 0) AS settled
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
    UNION ALL SELECT 'the numbers of ' || COALESCE(m.sequence_prefix, '') || ' have gaps' FROM account_move m
      WHERE m.state = 'posted' OR m.name IS NOT NULL GROUP BY m.journal_id, m.sequence_prefix
      HAVING count(DISTINCT m.sequence_number) <> count(*) OR max(m.sequence_number) - min(m.sequence_number) + 1 <> count(*)
    LIMIT ${FAULTS}::int`),
  )
  return rows.map((row) => row[0] as string)
}

/** Posted rows as they are: nothing but posting, resetting and cancelling changes it. */
const fingerprint = (office: Accounting): Promise<string> =>
  office.run(async (env) => {
    const [row] = await env.query(
      raw(`SELECT md5(string_agg(x.row, ',' ORDER BY x.row)) FROM (
        SELECT (m.id, m.name, m.state, m.date, m.journal_id, m.partner_id, m.amount_total)::text AS row FROM account_move m WHERE m.state = 'posted'
        UNION ALL SELECT (l.id, l.move_id, l.account_id, l.balance, l.debit, l.amount_currency, l.parent_state, l.date, l.tax_line_id)::text
        FROM account_move_line l JOIN account_move m ON m.id = l.move_id WHERE m.state = 'posted') x`),
    )
    return String(row?.[0])
  })

/** Ways in which somebody may try to change what is posted: none of them does. */
const attempts = (move: number, line: number): readonly (readonly [string, object])[] => [
  ['account.move/write', { ids: [move], vals: { state: 'draft' } }],
  [
    'account.move/write',
    { ids: [move], vals: { amount_total: 1, amount_residual: 0, payment_state: 'paid' } },
  ],
  ['account.move/write', { ids: [move], vals: { line_ids: [[1, line, { debit: 7 }]] } }],
  ['account.move/write', { ids: [move], vals: { line_ids: [[2, line, 0]] } }],
  ['account.move/write', { ids: [move], vals: { line_ids: [[5]] } }],
  ['account.move/write', { ids: [move], vals: { date: '2020-01-01', name: 'X/1' } }],
  ['account.move/unlink', { ids: [move] }],
  [
    'account.move/load',
    {
      fields: ['.id', 'date', 'line_ids/.id', 'line_ids/debit'],
      data: [[`${move}`, '2020-01-01', `${line}`, '9']],
    },
  ],
  ['account.move/web_save', { ids: [move], vals: { partner_id: false }, specification: {} }],
  ['account.move.line/write', { ids: [line], vals: { balance: 1, account_id: 1 } }],
  [
    'account.move.line/write',
    { ids: [line], vals: { parent_state: 'draft', date: '2020-01-01', reconciled: true } },
  ],
  ['account.move.line/write', { ids: [line], vals: { move_id: false } }],
  ['account.move.line/unlink', { ids: [line] }],
  ['account.move.line/create', { vals_list: [{ move_id: move, name: 'More', price_unit: 5 }] }],
  ['account.move.line/copy', { ids: [line], default: { move_id: move } }],
  [
    'account.partial.reconcile/create',
    { vals_list: [{ debit_move_id: line, credit_move_id: line, amount: 3 }] },
  ],
]

interface Story {
  readonly next: () => number
  readonly operations: number
  readonly bank: number
}

const pick = <T>(list: readonly T[], next: () => number): T => list[Math.floor(next() * list.length)] as T

/** One thing that a bookkeeper does to a document; refusals are answers too. */
async function operate(office: Accounting, id: number, { next, bank }: Story): Promise<string | null> {
  const call = async (path: string, body: object): Promise<unknown> => {
    const { status, body: answer } = await office.call('admin', path, body)
    if (status >= 500 || status === 403)
      throw new Error(`${path}: ${status} ${JSON.stringify(answer).slice(0, 200)}`)
    return status === 200 ? answer : null
  }
  const context = { active_model: 'account.move', active_ids: [id] }
  const day = pick(['2025-03-01', '2025-04-15', '2025-05-31'], next)
  const kind = next()
  if (kind < 0.45) {
    const amount = next() < 0.5 ? {} : { amount: Math.round(next() * 50_000) / 100 }
    const vals = { journal_id: bank, payment_date: day, ...amount }
    const ids = await call('account.payment.register/create', { vals_list: [vals], context })
    if (ids) await call('account.payment.register/action_create_payments', { ids })
  } else if (kind < 0.6) {
    const ids = await call('account.move.reversal/create', {
      vals_list: [{ date: day, reason: 'back' }],
      context,
    })
    if (ids) await call(`account.move.reversal/${next() < 0.5 ? 'refund_moves' : 'modify_moves'}`, { ids })
  } else if (kind < 0.75) {
    await call('account.move/button_draft', { ids: [id] })
    await call('account.move/action_post', { ids: [id] })
  } else if (kind < 0.85) {
    const lines = await call('account.move.line/search', {
      domain: [
        ['move_id', '=', id],
        ['display_type', '=', 'payment_term'],
      ],
    })
    if (lines) await call('account.move.line/remove_move_reconcile', { ids: lines })
  } else return changedBy(office, id, next)
  return null
}

/** Tries to change a posted document in every way; gives the way that did. */
async function changedBy(office: Accounting, id: number, next: () => number): Promise<string | null> {
  const { search } = ledgerOf(office)
  const lines = await search(
    'account.move.line',
    [
      ['move_id', '=', id],
      ['parent_state', '=', 'posted'],
    ],
    [],
  )
  if (lines.length === 0) return null
  const before = await fingerprint(office)
  for (const [path, body] of attempts(id, pick(lines, next).id as number)) {
    const { status } = await office.call('admin', path, body)
    if (status >= 500) return `${path} ${JSON.stringify(body)}: ${status}`
  }
  return (await fingerprint(office)) === before ? null : `document ${id} was changed while it was posted`
}

/** Posts documents, 16 at a time; gives those that were posted. */
export async function postTogether(
  office: Accounting,
  ids: readonly number[],
  workers = 16,
): Promise<number[]> {
  const left = [...ids]
  const posted: number[] = []
  const worker = async () => {
    for (let id = left.pop(); id !== undefined; id = left.pop()) {
      const { status, body } = await office.call('admin', 'account.move/action_post', { ids: [id] })
      if (status === 200) posted.push(id)
      else if (status !== 422)
        throw new Error(`posting ${id}: ${status} ${JSON.stringify(body).slice(0, 200)}`)
    }
  }
  await Promise.all(Array.from({ length: workers }, worker))
  return posted
}

/** Random documents, posted by many at once, and what bookkeepers do to them; gives what does not hold. */
export async function bookkeeping(
  office: Accounting,
  { documents, ...story }: Story & { readonly documents: number; readonly seed: number },
  known: Masters,
): Promise<string[]> {
  const { makeAll }: Ledger = ledgerOf(office)
  const posted: number[] = []
  const BATCH = 250
  for (let from = 0; from < documents; from += BATCH) {
    const numRuns = Math.min(BATCH, documents - from)
    const made = await makeAll(
      'account.move',
      fc.sample(anyDocument(known), { numRuns, seed: story.seed + from }),
    )
    posted.push(...(await postTogether(office, made)))
  }
  const wrong: string[] = []
  for (let n = 0; n < story.operations && posted.length; n++) {
    const flaw = await operate(office, pick(posted, story.next), story)
    if (flaw) wrong.push(flaw)
  }
  return [...wrong, ...(await faultsOf(office))]
}
