// The migration that leaves saved searches of everybody to administrators, in databases from before.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openTestDatabase, type TestDatabase } from '../../../../test/support/databases.ts'
import { modulesWith } from '../../../../test/support/sets.ts'
import type { Environment } from '../../../models/language/environment.ts'
import { filterRule } from './filter-rule.ts'

let database: TestDatabase
before(async () => {
  database = await openTestDatabase(modulesWith('base'))
})
after(() => database?.close())

const operations = ['perm_read', 'perm_write', 'perm_create', 'perm_unlink'] as const

/** Sets the rule to these values, migrates, and gives what it allows afterwards. */
const migrated = (vals: object) =>
  database.run(async (env: Environment) => {
    const rule = env.model('ir.rule').browse([await env.ref('base.ir_filters_employee_rule')])
    await rule.write({ perm_write: true, perm_create: true, perm_unlink: true, ...vals })
    await filterRule.run(env, rule.ids)
    await filterRule.run(env, rule.ids)
    const [row] = await rule.load(operations)
    return operations.map((operation) => row?.[operation])
  })

test('ir.filters: the rule of employees is for reads alone after an upgrade', async () => {
  assert.deepEqual(await migrated({}), [true, false, false, false])
})

test('ir.filters: a rule that an administrator changed is left unchanged', async () => {
  const domain_force = "[('user_ids', 'in', [user.id])]"
  assert.deepEqual(await migrated({ domain_force }), [true, true, true, true])
  assert.deepEqual(await migrated({ perm_unlink: false }), [true, true, true, false])
})
