// Stored values after long runs of changes chosen by chance, the same in every run: always what would be
// computed from scratch.
import { after, before, test } from 'node:test'
import { modules } from '../../src/main.ts'
import { works } from '../fixtures/modules/works/index.ts'
import { worksExtra } from '../fixtures/modules/works_extra/index.ts'
import { openTestDatabase, type TestDatabase } from '../support/databases.ts'
import { assertFresh, assertStands, loadDerived, type Name, some } from './fresh.ts'

let db: TestDatabase
before(async () => {
  db = await openTestDatabase([...modules.filter((module) => module.name === 'base'), works, worksExtra])
})
after(() => db?.close())

/** Numbers that look random and are the same in every run. */
function dice(seed: number): (sides: number) => number {
  let state = seed
  return (sides) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * sides)
  }
}

for (const seed of [1, 2, 3]) {
  test(`compute: any sequence of changes leaves every value up to date (seed ${seed})`, async () => {
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
          const line = () => ({
            price: roll(20),
            quantity: roll(4),
            ...(tags.length ? { tag_ids: [[4, pick(tags)]] } : {}),
          })
          const kinds: [string, () => Promise<unknown> | undefined][] = [
            [
              'group',
              () =>
                some(env, 'works.group', [
                  {
                    name: `g${roll(9)}`,
                    factor: roll(4),
                    item_ids: [[0, 0, line()], ...(items.length ? [[4, pick(items)]] : [])],
                  },
                ]),
            ],
            [
              'items',
              () =>
                some(env, 'works.item', [
                  line(),
                  { ...line(), group_id: groups.length ? pick(groups) : false },
                ]),
            ],
            [
              'tag',
              () =>
                some(env, 'works.tag', [
                  {
                    name: 't',
                    weight: roll(9),
                    item_ids: items.length ? [[6, 0, [pick(items), pick(items)]]] : [],
                  },
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
              'price',
              () =>
                items.length
                  ? env
                      .model('works.item')
                      .browse([pick(items), pick(items)])
                      .write({ price: roll(12) })
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
          // Half of the changes come to what was read before: it stands, or is forgotten.
          const isLoadedBefore = roll(2) === 0
          if (isLoadedBefore) await loadDerived(env)
          await act()
          if (isLoadedBefore) await assertStands(env, done.join(', '))
          if (roll(3) === 0) await assertFresh(env, `${done.join(', ')} (within the call)`)
        }
      })
      await db.run((env) => assertFresh(env, done.join(', ')))
    }
  })
}
