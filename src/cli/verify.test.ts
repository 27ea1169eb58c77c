// comptoir verify: its report on chains, and its exit code.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { runHere } from '../../test/support/command.ts'
import { openTestDatabase, type TestDatabase } from '../../test/support/databases.ts'
import { CHAIN_START } from '../kit/chain.ts'
import { modules } from '../main.ts'
import type { Verified } from '../services/verify.ts'
import { sql } from '../sql/index.ts'

let db: TestDatabase
before(async () => {
  db = await openTestDatabase(modules.filter(({ name }) => name === 'base'))
})
after(() => db?.close())

const verify = (...args: string[]) => runHere('verify', ...args, '--data-dir', db.databases.options.dataDir)

test('verify: a database whose chains are whole ends with 0', async () => {
  const { code, out } = await verify('--database', 'test')
  assert.equal(code, 0)
  assert.match(out, /^test: 1 chain, 0 broken\nchain .*\nwhole {2}audit log /)
})

test('verify: a broken chain is named and ends with 1', async () => {
  await db.run(async (env) => {
    await env.query(
      sql`INSERT INTO comptoir_chain (res_model, res_id, series, position, hash) VALUES ('account.journal', 7, 'INV/#', 2, ${CHAIN_START})`,
    )
  })
  const lines = await verify('--all')
  assert.equal(lines.code, 1)
  assert.match(lines.out, /^test: 2 chains, 1 broken\nchain .*\nbroken {2}account\.journal 7 INV\/# /)
  assert.match(lines.out, /Entry 1 of the chain is missing/)
  const { code, out } = await verify('--database', 'test', '--json')
  const report = JSON.parse(out) as { ok: boolean; databases: Verified[] }
  assert.deepEqual([code, report.ok, report.databases[0]?.chains[0]?.break?.position], [1, false, 1])
})

test('verify: says which databases, and only those that exist', async () => {
  assert.equal((await verify()).code, 2)
  assert.equal((await verify('--all', '--database', 'test')).code, 2)
  assert.match((await verify('--database', 'nowhere')).err, /Database not found/)
})

test('verify: a database of an older build is to be upgraded first', async () => {
  await db.run(async (env) => {
    await env.query(sql`DROP TABLE comptoir_chain_link`)
  })
  const { code, err } = await verify('--all')
  assert.deepEqual([code, /run comptoir module upgrade/.test(err)], [1, true], err)
})
