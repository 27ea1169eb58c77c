// Stored values over relations: whatever changes, on whichever side, what is kept equals what would be
// computed from scratch.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { modules } from '../../src/main.ts'
import type { Environment } from '../../src/models/index.ts'
import { works } from '../fixtures/modules/works/index.ts'
import { worksExtra } from '../fixtures/modules/works_extra/index.ts'
import { openTestDatabase, type TestDatabase } from '../support/databases.ts'
import { all, assertFresh, some } from './fresh.ts'

let db: TestDatabase
before(async () => {
  db = await openTestDatabase([...modules.filter((module) => module.name === 'base'), works, worksExtra])
})
after(() => db?.close())

test('compute: a value two relations away is up to date without a read of those between', async () => {
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

test('compute: a list is ordered by values that were just computed', async () => {
  await db.run(async (env) => {
    const [rare, common] = (await some(env, 'works.tag', [{ name: 'Rare' }, { name: 'Common' }])) as number[]
    const [item, ...others] = (await some(
      env,
      'works.item',
      [[rare, common], [common], [common], [common]].map((ids) => ({ tag_ids: [[6, 0, ids]] })),
    )) as number[]
    const items = env.model('works.item')
    const tagsOfItem = async () =>
      (await items.browse([item as number]).one(['tag_ids'])).tag_ids.map(({ id }) => id)
    assert.deepEqual(await tagsOfItem(), [common, rare])
    await env
      .model('works.tag')
      .browse([rare as number])
      .write({ weight: 7 })
    await items.browse(others).write({ tag_ids: [[6, 0, [rare as number]]] })
    assert.deepEqual(await tagsOfItem(), [rare, common])
    await assertFresh(env, 'lists in order')
  })
})

test('compute: moving child records, from either side, updates the old and the new owner', async () => {
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
    [
      'write on the many2one',
      (env) => env.model('works.item').browse(items.slice(0, 2)).write({ group_id: b }),
    ],
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

test('compute: many2many links from both sides, and removal of linked records', async () => {
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

test('compute: a tree keeps totals, depths and names through creation, moves and removal of subtrees', async () => {
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

test('compute: an editable value stays until a dependency changes', async () => {
  await db.run(async (env) => {
    const [group] = await some(env, 'works.group', [{ name: 'North' }])
    const [plain, explicit] = await some(env, 'works.item', [
      { group_id: group },
      { group_id: group, label: 'mine' },
    ])
    const items = env.model('works.item').browse([plain as number, explicit as number])
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
