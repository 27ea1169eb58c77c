// Record rules with parent companies: cached facts of the caller's companies are never stale, on any
// node.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { modules } from '../../src/main.ts'
import { createKey } from '../../src/services/admin.ts'
import { type Nodes, openNodes } from '../support/nodes.ts'

let nodes: Nodes
before(async () => {
  nodes = await openNodes({ count: 2, known: modules.filter(({ name }) => name === 'base') })
})
after(() => nodes?.close())

async function create(model: string, vals: object, node = 0): Promise<number> {
  const { status, body, text } = await nodes.call(`${model}/create`, { vals_list: [vals] }, {}, node)
  assert.equal(status, 200, text)
  return (body as [number])[0]
}

test('branches: a user sees records of parent companies, new branches and new companies from the next call on', async () => {
  const [north, south] = [
    await create('res.company', { name: 'North' }),
    await create('res.company', { name: 'South' }),
  ]
  const branch = await create('res.company', { name: 'Branch', parent_id: north })
  const login = 'branches'
  const user = await create('res.users', {
    name: 'Branches',
    login,
    company_id: branch,
    company_ids: [[6, 0, [branch]]],
  })
  const key = await createKey(nodes.databases, 'test', login, { scope: 'rpc', name: 'b', days: 1 })
  const contact = (name: string, company_id: number | false) => create('res.partner', { name, company_id })
  const ids = {
    north: await contact('b north', north),
    south: await contact('b south', south),
    branch: await contact('b branch', branch),
    all: await contact('b all', false),
  }
  const named = new Map(Object.entries(ids).map(([name, id]) => [id, name]))
  const sees = async (companies: readonly number[], node: number) => {
    const { status, body } = await nodes.call(
      'res.partner/search',
      {
        domain: [['id', 'in', Object.values(ids)]],
        order: 'id',
        context: { allowed_company_ids: companies },
      },
      { authorization: `bearer ${key}` },
      node,
    )
    return status === 200 ? (body as number[]).map((id) => named.get(id)).join() : status
  }
  for (const node of [0, 1]) assert.equal(await sees([branch], node), 'north,branch,all')
  assert.equal(await sees([branch, south], 0), 403)

  // The other node adds a company, and a branch created after the user was cached.
  const give = async (company: number) => {
    const values = { ids: [user], vals: { company_ids: [[4, company]] } }
    assert.equal((await nodes.call('res.users/write', values, {}, 1)).status, 200)
  }
  await give(south)
  assert.equal(await sees([branch, south], 0), 'north,south,branch,all')
  assert.equal(await sees([south], 0), 'south,all')
  const below = await create('res.company', { name: 'Below', parent_id: branch }, 1)
  await give(below)
  assert.equal(await sees([below], 0), 'north,branch,all')

  // Writes and deletions are authorized by the same rule.
  const write = (id: number, companies: readonly number[]) =>
    nodes.call(
      'res.partner/write',
      { ids: [id], vals: { comment: 'x' }, context: { allowed_company_ids: companies } },
      { authorization: `bearer ${key}` },
    )
  assert.equal((await write(ids.south, [below])).status, 403)
  // The parent of a company cannot change, so cached facts stay valid.
  for (const [vals, status] of [
    [{ parent_id: south }, 422],
    [{ parent_path: `${south}/${below}/` }, 200],
  ] as const) {
    const moved = await nodes.call('res.company/write', { ids: [below], vals }, {}, 1)
    assert.equal(moved.status, status, moved.text)
  }
  assert.equal(await sees([below], 0), 'north,branch,all')
})
