// Stored values over relations: whatever changes, on whichever side, what is kept equals what would be computed from scratch.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { modules } from '../../src/main.ts'
import type { Environment } from '../../src/models/index.ts'
import { works } from '../fixtures/modules/works/index.ts'
import { worksExtra } from '../fixtures/modules/works_extra/index.ts'
import { openTestDatabase, type TestDatabase } from '../support/databases.ts'

let db: TestDatabase
before(async () => {
  db = await openTestDatabase([...modules.filter((module) => module.name === 'base'), works, worksExtra])
})
after(() => db?.close())

type Name = 'works.group' | 'works.item' | 'works.tag' | 'works.node'

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

async function all(env: Environment, name: Name): Promise<Row[]> {
  const records = await env.model(name).search([], { order: 'id' })
  return (await records.read(null, null)) as Row[]
}

const cents = (n: number) => Math.round(n * 100) / 100
const sum = (numbers: readonly number[]) => cents(numbers.reduce((total, n) => total + n, 0))

function assertKept(row: Row, expected: Record<string, unknown>, when: string): void {
  const kept = Object.fromEntries(Object.keys(expected).map((name) => [name, row[name]]))
  assert.deepEqual(kept, expected, `${row.id} after ${when}: ${JSON.stringify(kept)} is not ${JSON.stringify(expected)}`)
}

/** Compares every stored value with one computed from plain columns and link tables alone. */
async function assertFresh(env: Environment, when: string): Promise<void> {
  const groups = await all(env, 'works.group')
  const items = await all(env, 'works.item')
  const tags = await all(env, 'works.tag')
  const amounts = new Map<number, number>()
  const nets = new Map<number, number>()
  const weights = new Map<number, number>()
  for (const i of items) {
    const g = groups.find((one) => one.id === i.group_id)
    const amount = cents(i.quantity * i.price * (g?.factor ?? 1))
    const net = cents(amount - (g?.rebate ?? 0))
    const tag_weight = sum(tags.filter((t) => i.tag_ids.includes(t.id)).map((t) => t.weight))
    amounts.set(i.id, amount)
    nets.set(i.id, net)
    weights.set(i.id, tag_weight)
    assertKept(i, { amount, net, tag_weight, group_name: g?.name ?? false, group_total: g?.total ?? 0 }, `${when} (item)`)
  }
  for (const g of groups) {
    const own = items.filter((i) => i.group_id === g.id).map((i) => i.id)
    const of = (values: ReadonlyMap<number, number>) => sum(own.map((i) => values.get(i) as number))
    const net_total = of(nets)
    const big = net_total > 100 ? own.length : 0
    assertKept(g, { item_ids: own, size: own.length, total: of(amounts), tag_weight: of(weights), net_total, big }, `${when} (group)`)
  }
  for (const t of tags) {
    const own = items.filter((i) => i.tag_ids.includes(t.id)).map((i) => i.id)
    assertKept(t, { item_ids: own, uses: own.length, item_total: sum(own.map((i) => amounts.get(i) as number)) }, `${when} (tag)`)
  }
  await assertTree(env, when)
}

async function assertTree(env: Environment, when: string): Promise<void> {
  const nodes = await all(env, 'works.node')
  const total = (n: Row): number => nodes.filter((child) => child.parent_id === n.id).reduce((s, child) => s + total(child), n.own)
  for (const n of nodes) {
    const up = nodes.find((one) => one.id === n.parent_id)
    const full_name = up ? `${up.full_name}/${n.name}` : n.name
    const parent_path = `${up?.parent_path ?? ''}${n.id}/`
    assertKept(n, { total: total(n), depth: up ? up.depth + 1 : 0, full_name, parent_path }, `${when} (node)`)
  }
}

async function some(env: Environment, name: Name, vals: object[]): Promise<number[]> {
  return [...(await env.model(name).create(vals as never)).ids]
}

test('a value two steps away is fresh when it is read, without anything between having been read', async () => {
  await db.run(async (env) => {
    const [group] = await some(env, 'works.group', [
      {
        name: 'Two steps',
        factor: 2,
        item_ids: [
          [0, 0, { price: 10 }],
          [0, 0, { price: 5, quantity: 2 }],
        ],
      },
    ])
    const groups = env.model('works.group').browse([group as number])
    assert.equal((await groups.one(['total'])).total, 40)
    await groups.write({ factor: 3, rebate: 1 })
    assert.equal((await groups.one(['net_total'])).net_total, 58)
    const { item_ids } = await groups.one(['item_ids'])
    const items = env.model('works.item').browse(item_ids.map((i) => i.id))
    await items.write({ price: 50 })
    assert.deepEqual(await groups.one(['big']), { id: group, big: 2 })
    assert.equal((await groups.one(['total'])).total, 450)
    await assertFresh(env, 'reading two steps away')
  })
})

test('moving lines, from either side, refreshes the old and the new owner', async () => {
  const [a, b, items] = await db.run(async (env) => {
    const [a, b] = await some(env, 'works.group', [{ name: 'A' }, { name: 'B', factor: 10, rebate: 1 }])
    const items = await some(
      env,
      'works.item',
      [1, 2, 3, 4].map((price) => ({ price, group_id: a })),
    )
    return [a as number, b as number, items]
  })
  const steps: [string, (env: Environment) => Promise<unknown>][] = [
    ['write on the many2one', (env) => env.model('works.item').browse(items.slice(0, 2)).write({ group_id: b })],
    [
      'link by the one2many',
      (env) =>
        env
          .model('works.group')
          .browse([b])
          .write({ item_ids: [[4, items[2]]] }),
    ],
    [
      'unlink by the one2many',
      (env) =>
        env
          .model('works.group')
          .browse([b])
          .write({ item_ids: [[3, items[0]]] }),
    ],
    [
      'replace',
      (env) =>
        env
          .model('works.group')
          .browse([a])
          .write({ item_ids: [[6, 0, [items[0], items[1]]]] }),
    ],
    [
      'clear',
      (env) =>
        env
          .model('works.group')
          .browse([a])
          .write({ item_ids: [[5]] }),
    ],
    [
      'change in a command',
      (env) =>
        env
          .model('works.group')
          .browse([b])
          .write({
            item_ids: [
              [1, items[2], { quantity: 7 }],
              [0, 0, { price: 2.5 }],
            ],
          }),
    ],
    [
      'remove in a command',
      (env) =>
        env
          .model('works.group')
          .browse([b])
          .write({ item_ids: [[2, items[2]]] }),
    ],
    ['remove an owner', (env) => env.model('works.group').browse([b]).unlink()],
  ]
  for (const [when, step] of steps) {
    await db.run(async (env) => {
      await step(env)
      await assertFresh(env, `${when}, within the call`)
    })
    await db.run((env) => assertFresh(env, when))
  }
})

test('many2many links from both sides, and removal of what is linked', async () => {
  const [tags, items, group] = await db.run(async (env) => {
    const tags = await some(env, 'works.tag', [
      { name: 'x', weight: 1 },
      { name: 'y', weight: 10 },
      { name: 'z', weight: 100 },
    ])
    const [group] = await some(env, 'works.group', [{ name: 'Tagged' }])
    const items = await some(
      env,
      'works.item',
      [1, 2, 3].map((price) => ({ price, group_id: group, tag_ids: tags.slice(0, 2) })),
    )
    return [tags, items, group as number]
  })
  const steps: [string, (env: Environment) => Promise<unknown>][] = [
    ['create', async () => undefined],
    [
      'link from the tag',
      (env) =>
        env
          .model('works.tag')
          .browse([tags[2] as number])
          .write({
            item_ids: [
              [4, items[0]],
              [4, items[1]],
            ],
          }),
    ],
    ['weight', (env) => env.model('works.tag').browse(tags.slice(1)).write({ weight: 5 })],
    [
      'unlink from the item',
      (env) =>
        env
          .model('works.item')
          .browse(items.slice(0, 2))
          .write({ tag_ids: [[3, tags[0]]] }),
    ],
    [
      'replace from the tag',
      (env) =>
        env
          .model('works.tag')
          .browse([tags[0] as number])
          .write({ item_ids: [[6, 0, [items[0]]]] }),
    ],
    [
      'create from the tag',
      (env) =>
        env
          .model('works.tag')
          .browse([tags[0] as number])
          .write({ item_ids: [[0, 0, { price: 9, group_id: group }]] }),
    ],
    [
      'false clears',
      (env) =>
        env
          .model('works.item')
          .browse([items[2] as number])
          .write({ tag_ids: false }),
    ],
    [
      'a tag goes',
      (env) =>
        env
          .model('works.tag')
          .browse([tags[1] as number])
          .unlink(),
    ],
    [
      'an item goes',
      (env) =>
        env
          .model('works.item')
          .browse([items[0] as number])
          .unlink(),
    ],
  ]
  for (const [when, step] of steps) {
    await db.run(async (env) => {
      await step(env)
      await assertFresh(env, `${when}, within the call`)
    })
  }
})

test('a tree keeps totals, depths and names through creation, moves and removal of subtrees', async () => {
  const tree = {
    name: 'r',
    own: 1,
    child_ids: [
      [
        0,
        0,
        {
          name: 'a',
          own: 2,
          child_ids: [
            [0, 0, { name: 'aa', own: 4 }],
            [0, 0, { name: 'ab', own: 8 }],
          ],
        },
      ],
      [0, 0, { name: 'b', own: 16 }],
    ],
  }
  const ids = await db.run(async (env) => {
    await some(env, 'works.node', [tree, { name: 'other' }])
    await assertFresh(env, 'creation')
    return new Map((await all(env, 'works.node')).map((n) => [n.name, n.id]))
  })
  const node = (env: Environment, name: string) => env.model('works.node').browse([ids.get(name) as number])
  const steps: [string, (env: Environment) => Promise<unknown>][] = [
    ['own', (env) => node(env, 'aa').write({ own: 5 })],
    ['move', (env) => node(env, 'a').write({ parent_id: ids.get('other') as number })],
    ['rename', (env) => node(env, 'other').write({ name: 'else' })],
    [
      'move two at once',
      (env) =>
        node(env, 'ab')
          .union(node(env, 'b'))
          .write({ parent_id: ids.get('a') as number }),
    ],
    ['to the top', (env) => node(env, 'a').write({ parent_id: false })],
    ['removal', (env) => node(env, 'aa').unlink()],
    ['removal with all below', (env) => node(env, 'a').unlink()],
  ]
  for (const [when, step] of steps) {
    await db.run(async (env) => {
      await step(env)
      await assertFresh(env, `${when}, within the call`)
    })
  }
})

test('an editable value stays until what it follows changes', async () => {
  await db.run(async (env) => {
    const [group] = await some(env, 'works.group', [{ name: 'North' }])
    const [plain, given] = await some(env, 'works.item', [{ group_id: group }, { group_id: group, label: 'mine' }])
    const items = env.model('works.item').browse([plain as number, given as number])
    const labels = async () => (await items.load(['label'])).map((i) => i.label)
    assert.deepEqual(await labels(), ['of North', 'mine'])
    await items.write({ price: 3 })
    assert.deepEqual(await labels(), ['of North', 'mine'])
    await items.browse([plain as number]).write({ label: null })
    assert.deepEqual(await labels(), [null, 'mine'])
    await env
      .model('works.group')
      .browse([group as number])
      .write({ name: 'South' })
    assert.deepEqual(await labels(), ['of South', 'of South'])
    const [other] = await some(env, 'works.group', [{ name: 'East' }])
    await items.write({ group_id: other as number, label: 'both' })
    assert.deepEqual(await labels(), ['both', 'both'])
  })
})

/** Numbers that look random and are the same in every run. */
function dice(seed: number): (sides: number) => number {
  let state = seed
  return (sides) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * sides)
  }
}

for (const seed of [1, 2, 3]) {
  test(`any sequence of changes leaves everything fresh (seed ${seed})`, async () => {
    const roll = dice(seed)
    const pick = (ids: readonly number[]) => ids[roll(ids.length)] as number
    for (let call = 0; call < 12; call++) {
      const done: string[] = []
      await db.run(async (env) => {
        for (let n = 0; n < 4; n++) {
          const ids = async (name: Name) => (await env.model(name).search([])).ids
          const [groups, items, tags, nodes] = [
            await ids('works.group'),
            await ids('works.item'),
            await ids('works.tag'),
            await ids('works.node'),
          ]
          const line = () => ({ price: roll(20), quantity: roll(4), ...(tags.length ? { tag_ids: [[4, pick(tags)]] } : {}) })
          const kinds: [string, () => Promise<unknown> | undefined][] = [
            [
              'group',
              () =>
                some(env, 'works.group', [
                  { name: `g${roll(9)}`, factor: roll(4), item_ids: [[0, 0, line()], ...(items.length ? [[4, pick(items)]] : [])] },
                ]),
            ],
            ['items', () => some(env, 'works.item', [line(), { ...line(), group_id: groups.length ? pick(groups) : false }])],
            [
              'tag',
              () =>
                some(env, 'works.tag', [
                  { name: 't', weight: roll(9), item_ids: items.length ? [[6, 0, [pick(items), pick(items)]]] : [] },
                ]),
            ],
            [
              'factor',
              () =>
                groups.length
                  ? env
                      .model('works.group')
                      .browse([pick(groups)])
                      .write({ factor: roll(5), rebate: roll(3) })
                  : undefined,
            ],
            [
              'move',
              () =>
                items.length && groups.length
                  ? env
                      .model('works.item')
                      .browse([pick(items), pick(items)])
                      .write({ group_id: pick(groups), price: roll(9) })
                  : undefined,
            ],
            [
              'swap',
              () =>
                items.length > 1 && groups.length > 1
                  ? env
                      .model('works.group')
                      .browse([pick(groups)])
                      .write({ item_ids: [[6, 0, [pick(items), pick(items)]]] })
                  : undefined,
            ],
            [
              'weigh',
              () =>
                tags.length && items.length
                  ? env
                      .model('works.tag')
                      .browse([pick(tags)])
                      .write({
                        weight: roll(9),
                        item_ids: [
                          [3, pick(items)],
                          [4, pick(items)],
                        ],
                      })
                  : undefined,
            ],
            [
              'drop item',
              () =>
                items.length > 6
                  ? env
                      .model('works.item')
                      .browse([pick(items)])
                      .unlink()
                  : undefined,
            ],
            [
              'drop group',
              () =>
                groups.length > 3
                  ? env
                      .model('works.group')
                      .browse([pick(groups)])
                      .unlink()
                  : undefined,
            ],
            [
              'drop tag',
              () =>
                tags.length > 3
                  ? env
                      .model('works.tag')
                      .browse([pick(tags)])
                      .unlink()
                  : undefined,
            ],
            [
              'nodes',
              () =>
                some(env, 'works.node', [
                  {
                    name: 'n',
                    own: roll(9),
                    parent_id: nodes.length ? pick(nodes) : false,
                    child_ids: [[0, 0, { name: 'c', own: roll(9) }]],
                  },
                ]),
            ],
            [
              'own',
              () =>
                nodes.length
                  ? env
                      .model('works.node')
                      .browse([pick(nodes)])
                      .write({ own: roll(9), name: `m${roll(9)}` })
                  : undefined,
            ],
            [
              'drop node',
              () =>
                nodes.length > 8
                  ? env
                      .model('works.node')
                      .browse([pick(nodes)])
                      .unlink()
                  : undefined,
            ],
          ]
          const [what, act] = kinds[roll(kinds.length)] as (typeof kinds)[number]
          done.push(what)
          await act()
          if (roll(3) === 0) await assertFresh(env, `${done.join(', ')} (within the call)`)
        }
      })
      await db.run((env) => assertFresh(env, done.join(', ')))
    }
  })
}
