// Sales teams: who is in them, in one at a time, and which team a salesperson's document gets.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openTestDatabase, type TestDatabase } from '../../../test/support/databases.ts'
import { modulesWith } from '../../../test/support/sets.ts'
import { InvalidValue } from '../../errors.ts'
import { teamsFor } from './index.ts'

let database: TestDatabase
before(async () => {
  database = await openTestDatabase(modulesWith('base', 'sales_team'))
})
after(() => database?.close())

test('who joins a team leaves the others, unless they may be in several', () =>
  database.run(async (env) => {
    const user = await env.model('res.users').create([{ name: 'Sam', login: 'sam' } as object])
    const [north, south] = (
      await env
        .model('crm.team')
        .create([{ name: 'North', member_ids: [[4, user.ensureOne()]] }, { name: 'South' }])
    ).ids as [number, number]
    const teams = env.model('crm.team')
    const members = async (team: number) =>
      (await teams.browse([team]).one(['member_ids'])).member_ids.map(({ id }) => id)
    assert.deepEqual([await members(north), await members(south)], [user.ids, []])
    const joined = await teams.browse([north]).one(['crm_team_member_ids.user_in_teams_ids', 'is_favorite'])
    const taken = joined.crm_team_member_ids[0]?.user_in_teams_ids.map(({ id }) => id) ?? []
    // The administrator is in the team that is there from the start.
    assert.deepEqual([taken, joined.is_favorite], [[await env.ref('base.user_admin')], true])
    await teams.browse([south]).write({ member_ids: [[6, 0, user.ids]] })
    assert.deepEqual([await members(north), await members(south)], [[], user.ids])
    await env.model('ir.config_parameter').set_param({ key: 'sales_team.membership_multi', value: 'True' })
    assert.equal((await teams.browse([north]).one(['is_membership_multi'])).is_membership_multi, true)
    await teams.browse([north]).write({ member_ids: [[4, user.ensureOne()]] })
    assert.deepEqual([await members(north), await members(south)], [user.ids, user.ids])
    await teams.browse([south]).write({ member_ids: [[3, user.ensureOne()]] })
    assert.deepEqual(await members(south), [])
    for (const value of ['all', [['x']], [[0, 0, { name: 'New' }]], [[6, 0, 'all']], [[4, 'sam']]])
      await assert.rejects(
        teams.browse([south]).write({ member_ids: value as never }),
        InvalidValue,
        JSON.stringify(value),
      )
    assert.deepEqual(await members(north), user.ids)
  }))

test('a tag has a colour of its own', () =>
  database.run(async (env) => {
    const [tag] = await (await env.model('crm.tag').create([{ name: 'Fairs' }])).load(['color'])
    assert.ok(tag && tag.color >= 1 && tag.color <= 11)
  }))

test("a document has its salesperson's team, else the first of its company", () =>
  database.run(async (env) => {
    const [far] = (await env.model('res.company').create([{ name: 'Far' }])).ids as [number]
    const user = await env.model('res.users').create([{ name: 'Ida', login: 'ida' } as object])
    const first = await env.ref('sales_team.team_sales_department')
    const [teamId] = (
      await env
        .model('crm.team')
        .create([{ name: 'Hers', company_id: 1, member_ids: [[4, user.ensureOne()]], sequence: 99 }])
    ).ids
    const sales = [
      { user: user.ensureOne(), company: 1 },
      { user: user.ensureOne(), company: far },
      { user: null, company: 1 },
    ]
    assert.deepEqual(await teamsFor(env, sales), [teamId, first, first])
  }))

test('who leads to nothing is found by it, over every path that a search rule takes', () =>
  database.run(async (env) => {
    const [inside, outside] = (
      await env
        .model('res.users')
        .create([{ name: 'In', login: 'in' } as object, { name: 'Out', login: 'out' } as object])
    ).ids as [number, number]
    const [full, empty] = (
      await env.model('crm.team').create([{ name: 'Full', member_ids: [[4, inside]] }, { name: 'Empty' }])
    ).ids as [number, number]
    const [group] = (await env.model('res.groups').create([{ name: 'Alone' }])).ids as [number]
    const cases = [
      ['res.users', 'sale_team_id', full, [inside], [outside]],
      ['res.users', 'crm_team_ids', full, [inside], [outside]],
      ['crm.team', 'member_ids', inside, [full], [empty]],
      ['res.groups', 'all_user_ids', inside, [await env.ref('base.group_user')], [group]],
      ['res.groups', 'all_implied_ids', group, [group], []],
      ['res.groups', 'all_implied_by_ids', group, [group], []],
    ] as const
    for (const [name, field, id, led, unled] of cases) {
      const search = async (operator: string, value: unknown) =>
        (
          await env.model(name as 'res.users').search([
            [field as 'sale_team_id', operator, value],
            ['id', 'in', [...led, ...unled]],
          ] as never)
        ).ids
      for (const [operator, value, expected] of [
        ['=', false, unled],
        ['!=', false, led],
        ['in', [false], unled],
        ['not in', [false], led],
        ['in', [false, id], [...led, ...unled]],
        ['not in', [false, id], []],
        ['=', id, led],
        ['!=', id, unled],
      ] as const)
        assert.deepEqual(
          [...(await search(operator, value))].sort(),
          [...expected].sort(),
          `${name} ${field} ${operator} ${value}`,
        )
    }
  }))
