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

async function all(env: Environment, name: Name): Promise<Record<string, never>[]> {
  const records = await env.model(name).search([], { order: 'id' })
  return (await records.read(null, null)) as Record<string, never>[]
}

/** Compares every stored value with one computed from plain columns and link tables alone. */
async function assertFresh(env: Environment, when: string): Promise<void> {
  const cents = (n: number) => Math.round(n * 100) / 100
  const sum = (numbers: number[]) => cents(numbers.reduce((total, n) => total + n, 0))
  const [groups, items, tags, nodes] = await Promise.all(
    (['works.group', 'works.item', 'works.tag', 'works.node'] as const).map((name) => all(env, name)),
  )
  const groupOf = new Map(groups?.map((g) => [g.id, g]))
  const tagOf = new Map(tags?.map((t) => [t.id, t]))
  const amounts = new Map<number, number>()
  const nets = new Map<number, number>()
  const weights = new Map<number, number>()
  for (const i of items as { id: number; group_id: never; quantity: number; price: number; tag_ids: never[]; label: unknown }[]) {
    const g = groupOf.get(i.group_id) as { factor: number; rebate: number; name: string; total: number } | undefined
    amounts.set(i.id, cents(i.quantity * i.price * (g?.factor ?? 1)))
    nets.set(i.id, cents((amounts.get(i.id) as number) - (g?.rebate ?? 0)))
    weights.set(i.id, sum(i.tag_ids.map((t) => tagOf.get(t)?.weight as unknown as number)))
    const kept = i as unknown as Record<string, unknown>
    assert.deepEqual(
      { amount: kept.amount, net: kept.net, tag_weight: kept.tag_weight, group_name: kept.group_name, group_total: kept.group_total },
      {
        amount: amounts.get(i.id),
        net: nets.get(i.id),
        tag_weight: weights.get(i.id),
        group_name: g?.name ?? false,
        group_total: g?.total ?? 0,
      },
      `item ${i.id} after ${when}`,
    )
  }
  for (const g of (groups ?? []) as unknown as { id: number; item_ids: number[]; [name: string]: unknown }[]) {
    const own = items?.filter((i) => i.group_id === (g.id as never)).map((i) => i.id as unknown as number) ?? []
    const net = sum(own.map((i) => nets.get(i) as number))
    assert.deepEqual(
      { size: g.size, total: g.total, tag_weight: g.tag_weight, net_total: g.net_total, big: g.big, lines: g.item_ids },
      {
        size: own.length,
        total: sum(own.map((i) => amounts.get(i) as number)),
        tag_weight: sum(own.map((i) => weights.get(i) as number)),
        net_total: net,
        big: net > 100 ? own.length : 0,
        lines: own,
      },
      `group ${g.id} after ${when}`,
    )
  }
  for (const t of (tags ?? []) as unknown as { id: number; item_ids: number[]; [name: string]: unknown }[]) {
    const own = items?.filter((i) => (i.tag_ids as number[]).includes(t.id)).map((i) => i.id as unknown as number) ?? []
    assert.deepEqual(
      { uses: t.uses, item_total: t.item_total },
      { uses: own.length, item_total: sum(own.map((i) => amounts.get(i) as number)) },
      `tag ${t.id} after ${when}`,
    )
  }
  const known = new Map((nodes as unknown as { id: number; parent_id: number | false; own: number; name: string }[]).map((n) => [n.id, n]))
  const children = Map.groupBy(known.values(), (n) => n.parent_id)
  const total = (n: { id: number; own: number }): number => (children.get(n.id) ?? []).reduce((s, child) => s + total(child), n.own)
  for (const n of known.values()) {
    const above = n.parent_id ? known.get(n.parent_id) : undefined
    const kept = n as unknown as { total: number; depth: number; full_name: string; parent_path: string }
    const up = above as unknown as typeof kept | undefined
    assert.deepEqual(
      { total: kept.total, depth: kept.depth, full_name: kept.full_name, parent_path: kept.parent_path },
      {
        total: total(n),
        depth: up ? up.depth + 1 : 0,
        full_name: up ? `${up.full_name}/${n.name}` : n.name,
        parent_path: `${up?.parent_path ?? ''}${n.id}/`,
      },
      `node ${n.id} after ${when}`,
    )
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
    return new Map((await all(env, 'works.node')).map((n) => [n.name as string, n.id as number]))
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
