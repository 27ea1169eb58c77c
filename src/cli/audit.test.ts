// comptoir audit export: its lines, and options that it refuses.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runHere } from '../../test/support/command.ts'
import { openTestDatabase } from '../../test/support/databases.ts'
import { modules } from '../main.ts'
import { sql } from '../sql/index.ts'

test('audit export: writes entries as lines from a place or a moment on, and refuses what is neither', async (t) => {
  const db = await openTestDatabase(modules.filter(({ name }) => name === 'base'))
  t.after(() => db.close())
  await db.run((env) =>
    env.execute(
      sql`INSERT INTO comptoir_audit (time, event) VALUES ('2020-01-01', 'walk.old'), ('2026-01-01', 'walk.new')`,
    ),
  )
  const take = (...options: string[]) =>
    runHere(
      ...['audit', 'export', '--database', 'test', '--data-dir', db.databases.options.dataDir],
      ...options,
    )
  const eventsIn = (out: string) => out.match(/walk\.\w+/g)
  const all = await take()
  assert.deepEqual([all.code, eventsIn(all.out)], [0, ['walk.old', 'walk.new']], all.err)
  const last = all.out.trimEnd().split('\n').length
  assert.deepEqual(eventsIn((await take('--after', String(last - 1))).out), ['walk.new'])
  assert.deepEqual(eventsIn((await take('--since', '2025-01-01', '--until', '2027-01-01')).out), ['walk.new'])
  assert.match((await take('--since', 'soon')).err, /--since must be a moment/)
  assert.match((await take('--after', '-1')).err, /--after must be a place/)
})
