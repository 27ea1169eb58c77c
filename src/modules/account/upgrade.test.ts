// A database whose `account` is older: an upgrade brings tables, columns and indexes that came since, and
// leaves the books as they are.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTestDatabase } from '../../../test/support/databases.ts'
import { modules } from '../../main.ts'
import { upgradeModules } from '../../services/admin.ts'
import { raw, sql } from '../../sql/index.ts'

const wanted = ['base', 'uom', 'product', 'account']

test('an older database gets what statements, reports and limits need, and keeps its invoices', async (t) => {
  const { databases, run, close } = await openTestDatabase(
    modules.filter(({ name }) => wanted.includes(name)),
  )
  t.after(close)
  const invoice = await run(async (env) => {
    const [partner] = (await env.model('res.partner').create([{ name: 'Old customer' }])).ids
    const receivable = await env.ref('account.1_receivable')
    const income = await env.ref('account.1_income')
    const line = (account_id: number, debit: number, credit: number) =>
      [0, 0, { account_id, partner_id: partner as number, debit, credit }] as const
    const move = await env
      .model('account.move')
      .create([{ date: '2024-05-05', line_ids: [line(receivable, 7, 0), line(income, 0, 7)] }])
    await move.action_post()
    return move.ids[0] as number
  })
  // As it was before: no statements, no limits, another index.
  await run(async (env) => {
    for (const statement of [
      'ALTER TABLE account_move DROP COLUMN statement_line_id',
      'DROP TABLE account_bank_statement_line, account_bank_statement CASCADE',
      'ALTER TABLE res_company DROP COLUMN account_use_credit_limit',
      'DROP INDEX account_move_line_ledger',
      "UPDATE ir_module_module SET latest_version = '19.0.1.0' WHERE name = 'account'",
    ])
      await env.query(raw(statement))
  })
  await upgradeModules(databases, 'test', ['account'])
  await run(async (env) => {
    const indexes = await env.query(
      sql`SELECT 1 FROM pg_indexes WHERE indexname = 'account_move_line_ledger'`,
    )
    const [version] = await env.query(sql`SELECT latest_version FROM ir_module_module WHERE name = 'account'`)
    const current = modules.find(({ name }) => name === 'account')?.version
    assert.deepEqual([indexes.length, version?.[0]], [1, current])
    const [move] = await env.model('account.move').browse([invoice]).load(['state', 'line_ids.balance'])
    assert.deepEqual(
      [move?.state, move?.line_ids.map((one) => one.balance).sort((a, b) => a - b)],
      ['posted', [-7, 7]],
    )
    const journals = await env.model('account.journal').search([['type', '=', 'cash']])
    const made = await env
      .model('account.bank.statement.line')
      .create([{ journal_id: journals.ids[0] as number, amount: 5, payment_ref: 'new' }])
    const [statement] = await made.load(['is_reconciled', 'move_id.state'])
    assert.deepEqual([statement?.is_reconciled, statement?.move_id.state], [false, 'posted'])
  })
})
