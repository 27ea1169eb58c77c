// Expected stored values of the fixture module `works`, computed from plain columns and link tables
// alone.
import assert from 'node:assert/strict'
import type { Environment } from '../../src/models/index.ts'
import { loadPaths } from '../../src/models/load/load.ts'

export type Name = 'works.group' | 'works.item' | 'works.tag' | 'works.node'

/** A row as `read` gives it: many2ones as ids, unset as false. */
type Row = Record<string, unknown> & {
  id: number
  name: string
  group_id: number
  quantity: number
  price: number
  tag_ids: number[]
  item_ids: number[]
  weight: number
  factor: number
  rebate: number
  own: number
  parent_id: number | false
  depth: number
}

export async function all(env: Environment, name: Name): Promise<Row[]> {
  const records = await env.model(name).search([], { order: 'id' })
  return (await records.read(null, null)) as Row[]
}

const cents = (n: number) => Math.round(n * 100) / 100
const sum = (numbers: readonly number[]) => cents(numbers.reduce((total, n) => total + n, 0))

function assertKept(row: Row, expected: Record<string, unknown>, when: string): void {
  const kept = Object.fromEntries(Object.keys(expected).map((name) => [name, row[name]]))
  assert.deepEqual(
    kept,
    expected,
    `${row.id} after ${when}: ${JSON.stringify(kept)} is not ${JSON.stringify(expected)}`,
  )
}

/** Compares every stored value with one computed from plain columns and link tables alone. */
export async function assertFresh(env: Environment, when: string): Promise<void> {
  const groups = await all(env, 'works.group')
  const items = await all(env, 'works.item')
  const tags = await all(env, 'works.tag')
  const amounts = new Map<number, number>()
  const nets = new Map<number, number>()
  const weights = new Map<number, number>()
  for (const i of items) {
    const g = groups.find((group) => group.id === i.group_id)
    const amount = cents(i.quantity * i.price * (g?.factor ?? 1))
    const net = cents(amount - (g?.rebate ?? 0))
    const tag_weight = sum(tags.filter((t) => i.tag_ids.includes(t.id)).map((t) => t.weight))
    amounts.set(i.id, amount)
    nets.set(i.id, net)
    weights.set(i.id, tag_weight)
    assertKept(
      i,
      { amount, net, tag_weight, group_name: g?.name ?? false, group_total: g?.total ?? 0 },
      `${when} (item)`,
    )
  }
  for (const g of groups) {
    const itemsOfGroup = items.filter((i) => i.group_id === g.id).map((i) => i.id)
    const of = (values: ReadonlyMap<number, number>) => sum(itemsOfGroup.map((i) => values.get(i) as number))
    const net_total = of(nets)
    const big = net_total > 100 ? itemsOfGroup.length : 0
    assertKept(
      g,
      {
        item_ids: itemsOfGroup,
        size: itemsOfGroup.length,
        total: of(amounts),
        tag_weight: of(weights),
        net_total,
        big,
      },
      `${when} (group)`,
    )
  }
  for (const t of tags) {
    const itemsWithTag = items.filter((i) => i.tag_ids.includes(t.id)).map((i) => i.id)
    assertKept(
      t,
      {
        item_ids: itemsWithTag,
        uses: itemsWithTag.length,
        item_total: sum(itemsWithTag.map((i) => amounts.get(i) as number)),
      },
      `${when} (tag)`,
    )
  }
  await assertTree(env, when)
}

async function assertTree(env: Environment, when: string): Promise<void> {
  const nodes = await all(env, 'works.node')
  const total = (n: Row): number =>
    nodes.filter((child) => child.parent_id === n.id).reduce((s, child) => s + total(child), n.own)
  for (const n of nodes) {
    const up = nodes.find((node) => node.id === n.parent_id)
    const full_name = up ? `${up.full_name}/${n.name}` : n.name
    const parent_path = `${up?.parent_path ?? ''}${n.id}/`
    assertKept(n, { total: total(n), depth: up ? up.depth + 1 : 0, full_name, parent_path }, `${when} (node)`)
  }
}

export async function some(env: Environment, name: Name, vals: object[]): Promise<number[]> {
  return [...(await env.model(name).create(vals as never)).ids]
}

/** Lists of the fixture's models, and values that no table keeps. */
const derived: Readonly<Record<Name, readonly string[]>> = {
  'works.group': ['item_ids', 'dear_ids', 'labels'],
  'works.item': ['tag_ids', 'group_total', 'group_net', 'uses'],
  'works.tag': ['item_ids'],
  'works.node': ['child_ids'],
}

/** All of them, by model, as code sees them. */
export async function loadDerived(env: Environment): Promise<Map<string, unknown>> {
  const loaded = new Map<string, unknown>()
  for (const [name, fields] of Object.entries(derived) as [Name, readonly string[]][]) {
    const { ids } = await env.model(name).search([], { order: 'id' })
    loaded.set(name, await loadPaths(env.sudo(), env.def(name), ids, fields))
  }
  return loaded
}

/** Asserts that what the cache knows of them is what it finds when it knows nothing. */
export async function assertStands(env: Environment, when: string): Promise<void> {
  const derived = await loadDerived(env)
  env.unit.cache.clear()
  assert.deepEqual(derived, await loadDerived(env), `what was read before ${when}`)
}
