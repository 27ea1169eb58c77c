// Roles of users: groups of business modules under names that people know.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTestDatabase } from '../../test/support/databases.ts'
import { modules } from '../main.ts'
import { createUser, listRoles, listUsers } from './people.ts'
import { groupOfRole } from './roles.ts'

test('roles: each is a group of a module, and users are listed with theirs', async (t) => {
  const shop = await openTestDatabase(modules)
  t.after(() => shop.close())
  const listed = await listRoles(shop.databases, 'test')
  assert.deepEqual(
    listed.map(({ role }) => role),
    Object.keys(groupOfRole),
  )
  assert.deepEqual(
    listed.filter(({ description }) => !description),
    [],
  )
  assert.deepEqual(
    listed.find(({ role }) => role === 'cashier'),
    { role: 'cashier', group: 'Point of Sale / User', description: 'Sells at tills.' },
  )
  const joe = { login: 'joe', name: 'Joe', password: 'a long one', roles: ['sales-all', 'cashier'] } as const
  await createUser(shop.databases, 'test', joe)
  const users = await listUsers(shop.databases, 'test', false)
  const [user] = users.filter(({ login }) => login === 'joe')
  assert.deepEqual([user?.role, user?.roles], ['user', ['cashier', 'sales-all']])
  const may = await shop.run(async (env) => {
    const person = env.model('res.users').browse([user?.id ?? 0])
    return Promise.all(
      [groupOfRole.cashier, groupOfRole.sales, groupOfRole.stock].map((group_ext_id) =>
        person.has_group({ group_ext_id }),
      ),
    )
  })
  assert.deepEqual(may, [true, true, false])
})
