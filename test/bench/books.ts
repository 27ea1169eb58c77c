// Accounting compared with bare SQL that leaves the same rows: posting an invoice of ten lines, paying
// it, and the aged receivables over 100,000 items.
import type pg from 'pg'
import { agedSums } from '../../src/modules/account/reports/aged.ts'
import { fillBooks } from '../explain/fill-books.ts'
import { timed } from './timed.ts'
import { besides, openBeside } from './with-sql.ts'

const ROUNDS = 15
const ITEMS = 100_000

/** The rows that posting leaves: the number, the entry and its items. */
async function postBare(client: pg.Client, id: number): Promise<void> {
  await client.query('BEGIN')
  await client.query(
    'UPDATE account_journal SET numbering = COALESCE(numbering, 0) + 1 WHERE id = (SELECT journal_id FROM account_move WHERE id = $1)',
    [id],
  )
  const { rows } = await client.query(
    `SELECT COALESCE(max(o.sequence_number), 0) + 1 AS next FROM account_move m JOIN account_move o ON o.journal_id = m.journal_id AND o.sequence_prefix = 'INV/2025/' WHERE m.id = $1`,
    [id],
  )
  const name = `INV/2025/${String(rows[0].next).padStart(5, '0')}`
  await client.query(
    `UPDATE account_move_line SET parent_state = 'posted', move_name = $2 WHERE move_id = $1`,
    [id, name],
  )
  await client.query(
    `UPDATE account_move SET state = 'posted', name = $2, sequence_prefix = 'INV/2025/', sequence_number = $3, payment_reference = $2, posted_before = TRUE WHERE id = $1`,
    [id, name, rows[0].next],
  )
  await client.query('COMMIT')
}

/**
 * The rows that a payment leaves: an entry of two items, the payment, the match and the paid invoice.
 * They are copies of the rows of the payment `pattern`.
 */
async function payBare(client: pg.Client, pattern: number): Promise<void> {
  const copy = (table: string, where: string, more: string) =>
    client.query(
      `INSERT INTO ${table} SELECT r.* FROM (SELECT to_jsonb(x) AS row FROM ${table} x WHERE ${where}) e
        CROSS JOIN LATERAL jsonb_populate_record(NULL::${table}, e.row || jsonb_build_object('id', nextval('${table}_id_seq')${more})) r RETURNING id`,
    )
  await client.query('BEGIN')
  const name = `'P' || nextval('account_move_id_seq')::text`
  const move = (
    await copy(
      'account_move',
      `id = (SELECT move_id FROM account_payment WHERE id = ${pattern})`,
      `, 'state', 'draft', 'name', ${name}`,
    )
  ).rows[0].id
  const lines = await copy(
    'account_move_line',
    `move_id = (SELECT move_id FROM account_payment WHERE id = ${pattern})`,
    `, 'move_id', ${move}, 'full_reconcile_id', NULL`,
  )
  await copy('account_payment', `id = ${pattern}`, `, 'move_id', ${move}`)
  await client.query(`UPDATE account_move SET state = 'posted' WHERE id = $1`, [move])
  await copy('account_full_reconcile', `id = (SELECT max(id) FROM account_full_reconcile)`, '')
  await copy(
    'account_partial_reconcile',
    `id = (SELECT max(id) FROM account_partial_reconcile)`,
    `, 'credit_move_id', ${lines.rows[0].id}`,
  )
  await client.query(
    `UPDATE account_move_line SET amount_residual = 0, reconciled = TRUE WHERE id = (SELECT debit_move_id FROM account_partial_reconcile ORDER BY id DESC LIMIT 1)`,
  )
  await client.query(
    `UPDATE account_move SET payment_state = 'paid' WHERE id = (SELECT l.move_id FROM account_partial_reconcile p JOIN account_move_line l ON l.id = p.debit_move_id ORDER BY p.id DESC LIMIT 1)`,
  )
  await client.query('COMMIT')
}

/** Measures each case and its bare SQL; returns printable lines. */
export async function books(): Promise<string[]> {
  const bench = await openBeside(['base', 'mail', 'uom', 'product', 'account'])
  const { call, client, database } = bench
  try {
    const [partner_id] = await call('res.partner/create', { vals_list: [{ name: 'Bench' }] })
    const invoice_line_ids = Array.from({ length: 10 }, (_, n) => [
      0,
      0,
      { name: `Line ${n}`, quantity: n + 1, price_unit: 9.99 },
    ])
    const vals = { move_type: 'out_invoice', partner_id, invoice_date: '2025-03-10', invoice_line_ids }
    const ids = await call('account.move/create', {
      vals_list: Array.from({ length: 2 * ROUNDS + 2 }, () => vals),
    })
    const [journal_id] = await call('account.journal/search', { domain: [['type', '=', 'bank']], limit: 1 })
    const form = (id: number | undefined) => ({
      vals_list: [{ journal_id, payment_date: '2025-03-20' }],
      context: { active_model: 'account.move', active_ids: [id] },
    })
    const pay = async (id: number | undefined) =>
      call('account.payment.register/action_create_payments', {
        ids: await call('account.payment.register/create', form(id)),
      })
    await call('account.move/action_post', { ids: [ids[0]] })
    await pay(ids[0])
    const [pattern] = await call('account.payment/search', { domain: [], limit: 1 })
    const times = { post: [[], []], pay: [[], []], aged: [[], []] } as Record<
      'post' | 'pay' | 'aged',
      [number[], number[]]
    >
    for (let round = 0; round < ROUNDS; round++) {
      const [mine, bare] = [ids[2 * round + 1], ids[2 * round + 2] as number]
      times.post[0].push(await timed(() => call('account.move/action_post', { ids: [mine] })))
      times.post[1].push(await timed(() => postBare(client, bare)))
      times.pay[0].push(await timed(() => pay(mine)))
      times.pay[1].push(await timed(() => payBare(client, pattern as number)))
    }
    await database.run((env) => fillBooks(env, 3 * ITEMS, { openEvery: 1 }))
    const accounts = await call('account.account/search', {
      domain: [['account_type', '=', 'asset_receivable']],
    })
    const report = { type: 'asset_receivable', date: '2030-01-01', days: 30, partners: [] } as const
    const { text, values } = agedSums([1], accounts, report, false).compile()
    for (let round = 0; round < ROUNDS; round++) {
      times.aged[0].push(await timed(() => call('comptoir.books/aged_receivable', { date: report.date })))
      times.aged[1].push(await timed(() => client.query(text, [...values])))
    }
    return [
      besides('post an invoice of 10 lines', ...times.post),
      besides('pay it (form and payment)', ...times.pay),
      besides(`aged receivable over ${ITEMS} open items`, ...times.aged),
    ]
  } finally {
    await bench.close()
  }
}
