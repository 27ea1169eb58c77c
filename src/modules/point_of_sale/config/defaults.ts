// Defaults of new points of sale: journals, payment methods and sequences, so that they can sell at
// once.

import { type Environment, set, type Vals } from '#models'
import { isInteger, present } from '../../../kit/present.ts'
import { sql } from '../../../sql/index.ts'

type ConfigVals = Record<string, unknown>

/** The general journal of session entries. */
const sessionJournals = (env: Environment) =>
  env
    .sudo()
    .model('account.journal')
    .search(
      [
        ['code', '=', 'POSS'],
        ['company_id', '=', env.companyId],
        ['type', '=', 'general'],
      ],
      { limit: 1 },
    )

/** The journal that a form for a new point of sale offers; it is created with the first one. */
export const offeredJournal = async (env: Environment): Promise<number | null> =>
  (await sessionJournals(env)).ids[0] ?? null

/** The journal of sessions of the company, which is created if the company has no such journal. */
export async function sessionJournal(env: Environment): Promise<number> {
  const existing = await sessionJournals(env)
  if (existing.length) return present(existing.ids[0])
  const created = await env
    .sudo()
    .model('account.journal')
    .create([
      {
        name: 'Point of Sale',
        code: 'POSS',
        type: 'general',
        company_id: env.companyId,
        show_on_dashboard: false,
      },
    ])
  return created.ensureOne()
}

export async function invoiceJournal(env: Environment): Promise<number | null> {
  const saleJournal = await env
    .sudo()
    .model('account.journal')
    .search(
      [
        ['type', '=', 'sale'],
        ['company_id', '=', env.companyId],
      ],
      { limit: 1 },
    )
  return saleJournal.ids[0] ?? null
}

/**
 * For each of `count` points of sale: all payment methods without cash, and a cash method that no other
 * point of sale uses, while there are some.
 */
async function freeMethods(env: Environment, count: number): Promise<number[][]> {
  const rows = await env.rows(
    sql`SELECT m.id, COALESCE(j.type = 'cash', FALSE), EXISTS (
      SELECT FROM pos_config_pos_payment_method_rel r JOIN pos_payment_method o ON o.id = r.pos_payment_method_id
      WHERE o.id = m.id OR o.journal_id = m.journal_id), m.journal_id
    FROM pos_payment_method m LEFT JOIN account_journal j ON j.id = m.journal_id
    WHERE m.company_id = ${env.companyId}::int AND m.active ORDER BY m.sequence, m.id`,
    { reads: ['pos.payment.method', 'account.journal'], row: ['int', 'bool', 'bool', 'int?'] },
  )
  const drawers = rows.filter(
    (row, n) =>
      row[1] && !row[2] && rows.findIndex((other) => other[1] && !other[2] && other[3] === row[3]) === n,
  )
  return Array.from({ length: count }, (_, n) =>
    rows.filter((row) => !row[1] || row === drawers[n]).map((row) => row[0]),
  )
}

/** Payment methods that a form for a new point of sale offers. */
export const defaultMethods = async (env: Environment): Promise<ReturnType<typeof set>> =>
  set(present((await freeMethods(env, 1))[0]))

const numbers = [
  { field: 'order_seq_id', code: 'pos.order', label: 'orders', padding: 6 },
  {
    field: 'order_backend_seq_id',
    code: 'pos.order.backend',
    label: 'orders of the back office',
    padding: 6,
  },
  { field: 'order_line_seq_id', code: 'pos.order.line', label: 'order lines', padding: 6 },
  { field: 'device_seq_id', code: 'pos.device', label: 'devices', padding: 0 },
] as const

/** Adds sequences without gaps: one for each kind of number and point of sale. */
export async function withNumbers(env: Environment, list: readonly ConfigVals[]): Promise<ConfigVals[]> {
  const wanted = list.flatMap((vals) =>
    numbers.map(({ code, label, padding }): Vals<'ir.sequence'> => {
      const company = isInteger(vals.company_id) ? vals.company_id : env.companyId
      return {
        name: `POS ${label} of ${String(vals.name ?? '')}`,
        code,
        padding,
        implementation: 'no_gap',
        company_id: company,
      }
    }),
  )
  const createdSequences = await env.sudo().model('ir.sequence').create(wanted)
  return list.map((vals, i) => ({
    ...vals,
    ...Object.fromEntries(
      numbers.map(({ field }, n) => [field, createdSequences.ids[i * numbers.length + n]]),
    ),
  }))
}

/** Adds the journal of sessions to points of sale that name none. */
export async function withJournals(env: Environment, list: readonly ConfigVals[]): Promise<ConfigVals[]> {
  const isNamed = (vals: ConfigVals) => Boolean(vals.journal_id)
  if ('default_journal_id' in env.context || list.every(isNamed)) return [...list]
  const journal_id = await sessionJournal(env)
  return list.map((vals) => (isNamed(vals) ? vals : { ...vals, journal_id }))
}

/** Adds default payment methods to points of sale without any: each gets a cash method of its own. */
export async function withMethods(env: Environment, list: readonly ConfigVals[]): Promise<ConfigVals[]> {
  const without = list.filter((vals) => vals.payment_method_ids === undefined).length
  const free = (without > 0 ? await freeMethods(env, without) : []).values()
  return list.map((vals) =>
    vals.payment_method_ids === undefined
      ? { ...vals, payment_method_ids: set(present(free.next().value)) }
      : vals,
  )
}
