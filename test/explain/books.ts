// `node test/explain/books.ts --items 1000000`: fills the books and shows what reports, what contacts owe and
// residuals take; fails where one reads all items from the table.
import { setTimeout } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { modules } from '../../src/main.ts'
import type { Environment } from '../../src/models/index.ts'
import { aged, agedSums } from '../../src/modules/account/reports/aged.ts'
import { partnerStatement, salesJournal } from '../../src/modules/account/reports/documents.ts'
import { generalLedger } from '../../src/modules/account/reports/ledger.ts'
import { taxReport, taxReportSums } from '../../src/modules/account/reports/taxes.ts'
import { sumsOfAccounts, trialBalance } from '../../src/modules/account/reports/trial-balance.ts'
import { type Sql, sql } from '../../src/sql/index.ts'
import { openTestDatabase } from '../support/databases.ts'
import { fillBooks } from './fill-books.ts'

const { values } = parseArgs({ options: { items: { type: 'string', default: '1000000' } } })
const db = await openTestDatabase(
  modules.filter(({ name }) => ['base', 'mail', 'uom', 'product', 'account'].includes(name)),
)

const year = { from: '2025-01-01', to: '2025-12-31' }
const day = '2025-12-31'
const owed = { type: 'asset_receivable', date: day, days: 30, partners: [] } as const

const debtors = (env: Environment, limit: number) =>
  env.model('res.partner').search([['name', '=like', 'Debtor%']], { limit })

const timed: Readonly<Record<string, (env: Environment) => Promise<unknown>>> = {
  'trial balance of a year': (env) => trialBalance(env, year, []),
  'general ledger, first page': (env) => generalLedger(env, year, [], { limit: 1000, offset: 0 }),
  'general ledger, a page far in': (env) => generalLedger(env, year, [], { limit: 1000, offset: 100_000 }),
  'aged receivable, today': (env) => aged(env, owed, day),
  'aged receivable, a day gone by': (env) => aged(env, { ...owed, date: '2025-06-30' }, day),
  'tax report of a month': (env) => taxReport(env, { from: '2025-03-01', to: '2025-03-31' }),
  'tax report of a year': (env) => taxReport(env, year),
  'journal of sales of a year': (env) => salesJournal(env, year, [], { limit: 1000, offset: 0 }),
  'journal of sales, a page far in': (env) => salesJournal(env, year, [], { limit: 1000, offset: 100_000 }),
  'statement of a customer': async (env) => partnerStatement(env, year, (await debtors(env, 1)).ids[0]),
  'what 100 contacts owe': async (env) =>
    (await debtors(env, 100)).load(['credit', 'debit', 'total_invoiced']),
  'residuals of 1000 documents': async (env) => {
    const moves = await env.model('account.move').search([['state', '=', 'posted']], { limit: 1000 })
    return moves.load(['amount_residual', 'payment_state'])
  },
}

/** Statements that must not read all items. */
const planned = (accounts: readonly number[]): Readonly<Record<string, Sql>> => ({
  'trial balance': sumsOfAccounts([1], year),
  'aged receivable': agedSums([1], accounts, owed, false),
  'tax report': taxReportSums([1], year),
})

/**
 * Retries, because transactions that are still open keep VACUUM from marking rows as visible to all.
 */
async function vacuumed(client: pg.Client, table: string): Promise<void> {
  for (let round = 0; round < 60; round++) {
    await client.query(`VACUUM (ANALYZE) ${table}`)
    const { rows } = await client.query<{ whole: boolean }>(
      'SELECT relallvisible >= 0.9 * relpages AS whole FROM pg_class WHERE oid = $1::regclass',
      [table],
    )
    if (rows[0]?.whole) return
    await setTimeout(1000)
  }
  throw new Error(`Somebody holds on to old rows of ${table}.`)
}

try {
  const started = performance.now()
  await db.run((env) => fillBooks(env, Number(values.items)))
  console.log(`filled in ${Math.round((performance.now() - started) / 1000)} s`)
  // As PostgreSQL does by itself after a while: then sums come from indexes alone.
  const client = new pg.Client({ ...db.databases.address, database: 'test' } as pg.ClientConfig)
  await client.connect()
  for (const table of ['account_move_line', 'account_move', 'account_move_line_account_tax_rel'])
    await vacuumed(client, table)
  await client.end()
  await db.run(async (env) => {
    for (const [name, run] of Object.entries(timed)) {
      await run(env)
      const began = performance.now()
      await run(env)
      console.log(`${name.padEnd(36)} ${(performance.now() - began).toFixed(0).padStart(6)} ms`)
    }
    const accounts = await env.model('account.account').search([['account_type', '=', 'asset_receivable']])
    for (const [name, statement] of Object.entries(planned(accounts.ids))) {
      const plan = (await env.query(sql`EXPLAIN ${statement}`)).map((row) => String(row[0])).join('\n')
      const whole = /Seq Scan on account_move_line(?!_)/.test(plan)
      console.log(
        `${whole ? 'NO ' : 'ok '} ${name}: ${/(Index[^\n]*?Scan)[^\n]*/.exec(plan)?.[0] ?? plan.split('\n')[0]}`,
      )
      if (whole) process.exitCode = 1
    }
  })
} finally {
  await db.close()
}
