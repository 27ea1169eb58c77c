// A database whose `account` is older: an upgrade brings tables, columns and indexes that came since, and
// leaves the books as they are.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTestDatabase } from '../../../test/support/databases.ts'
import { modules } from '../../main.ts'
import type { ChainReport } from '../../models/engine.ts'
import type { Environment } from '../../models/index.ts'
import { upgradeModules } from '../../services/admin.ts'
import { raw, sql } from '../../sql/index.ts'

const wanted = ['base', 'mail', 'uom', 'product', 'account']

test('an older database gets what statements, reports, limits and seals need, and keeps its invoices', async (t) => {
  const { databases, run, close } = await openTestDatabase(
    modules.filter(({ name }) => wanted.includes(name)),
  )
  t.after(close)
  const posted = (env: Environment) => async (partner: number) => {
    const receivable = await env.ref('account.1_receivable')
    const income = await env.ref('account.1_income')
    const line = (account_id: number, debit: number, credit: number) =>
      [0, 0, { account_id, partner_id: partner, debit, credit }] as const
    const move = await env
      .model('account.move')
      .create([{ date: '2024-05-05', line_ids: [line(receivable, 7, 0), line(income, 0, 7)] }])
    await move.action_post()
    return move.ensureOne()
  }
  const invoice = await run(async (env) =>
    posted(env)((await env.model('res.partner').create([{ name: 'Old customer' }])).ensureOne()),
  )
  const open = await run((env) =>
    env.query(sql`SELECT task FROM comptoir_upgrade WHERE task LIKE 'module account/%' AND finished IS NULL`),
  )
  assert.deepEqual(open, [], 'a new database has nothing to migrate')
  const branch = await run(async (env) => {
    const records = await env.model('res.company').create([{ name: 'Branch', parent_id: env.companyId }])
    return records.ensureOne()
  })
  // As it was before: no statements, no limits, another index, no seals.
  await run(async (env) => {
    for (const statement of [
      'ALTER TABLE account_move DROP COLUMN statement_line_id',
      'DROP TABLE account_bank_statement_line, account_bank_statement CASCADE',
      'ALTER TABLE res_company DROP COLUMN account_use_credit_limit, DROP COLUMN anglo_saxon_accounting',
      'DROP INDEX account_move_line_ledger',
      'ALTER TABLE account_move DROP COLUMN inalterable_hash CASCADE',
      'ALTER TABLE account_journal DROP COLUMN restrict_mode_hash_table CASCADE',
      'DROP TABLE comptoir_chain, comptoir_chain_link CASCADE',
      "UPDATE ir_module_module SET latest_version = '19.0.1.0' WHERE name IN ('base', 'account')",
      "DELETE FROM comptoir_upgrade WHERE task LIKE 'module account/%'",
    ])
      await env.query(raw(statement))
  })
  await upgradeModules(databases, 'test', ['base', 'account'])
  await run(async (env) => {
    const indexes = await env.query(
      sql`SELECT 1 FROM pg_indexes WHERE indexname = 'account_move_line_ledger'`,
    )
    const [version] = await env.query(sql`SELECT latest_version FROM ir_module_module WHERE name = 'account'`)
    const current = modules.find(({ name }) => name === 'account')?.version
    assert.deepEqual([indexes.length, version?.[0]], [1, current])
    const [move] = await env.model('account.move').browse([invoice]).load(['state', 'line_ids.balance'])
    assert.deepEqual(
      [move?.state, move?.line_ids.map((line) => line.balance).sort((a, b) => a - b)],
      ['posted', [-7, 7]],
    )
    const companies = env.model('res.company').browse([env.companyId, branch])
    for (const row of await companies.load(['anglo_saxon_accounting']))
      assert.equal(row.anglo_saxon_accounting, true, 'a company with accounts, and its branch')
    await companies.write({ anglo_saxon_accounting: false })
    const journals = await env.model('account.journal').search([['type', '=', 'cash']])
    const createdLines = await env
      .model('account.bank.statement.line')
      .create([{ journal_id: journals.ids[0] as number, amount: 5, payment_ref: 'new' }])
    const [statement] = await createdLines.load(['is_reconciled', 'move_id.state'])
    assert.deepEqual([statement?.is_reconciled, statement?.move_id.state], [false, 'posted'])
  })
  await upgradeModules(databases, 'test', ['account'])
  await run(async (env) => {
    const company = env.model('res.company').browse([env.companyId])
    assert.equal((await company.one(['anglo_saxon_accounting'])).anglo_saxon_accounting, false)
  })
  // Entries from before are not sealed; those that follow are.
  await run(async (env) => {
    const move = env.model('account.move').browse([invoice])
    const { journal_id } = await move.one(['journal_id'])
    await env.model('account.journal').browse([journal_id.id]).write({ restrict_mode_hash_table: true })
    const [partner] = (await env.model('res.partner').search([['name', '=', 'Old customer']])).ids
    await posted(env)(partner as number)
  })
  const { chains } = (await run((env) => env.model('comptoir.chain').verify())) as {
    chains: readonly ChainReport[]
  }
  assert.deepEqual(
    chains
      .filter(({ model }) => model === 'account.journal')
      .map((chain) => [chain.sealed, chain.unsealed, chain.break]),
    [[1, 1, null]],
  )
})
