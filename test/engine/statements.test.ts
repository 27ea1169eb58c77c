// Round trips: what one call sends does not grow with the records it is about, and large recomputations go in
// sets.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { modules } from '../../src/main.ts'
import type { Environment } from '../../src/models/index.ts'
import { ValueCache } from '../../src/models/unit/cache.ts'
import { sql } from '../../src/sql/index.ts'
import { trials } from '../fixtures/modules/trials/index.ts'
import { works } from '../fixtures/modules/works/index.ts'
import { worksExtra } from '../fixtures/modules/works_extra/index.ts'
import { openTestDatabase, type TestDatabase } from '../support/databases.ts'
import { statementsOf } from '../support/statements.ts'

let db: TestDatabase
before(async () => {
  db = await openTestDatabase([
    ...modules.filter((module) => module.name === 'base'),
    works,
    worksExtra,
    trials,
  ])
})
after(() => db?.close())

const times = <T>(count: number, make: (n: number) => T): T[] =>
  Array.from({ length: count }, (_, n) => make(n))

/** Values that change nothing are not written: few records are to change what many do. */
const dear = 1000

/** Each prepares `count` records and gives the work whose statements count. */
const calls: Record<string, (env: Environment, count: number) => Promise<() => Promise<unknown>>> = {
  'create with computed values and links': async (env, count) => {
    const groups = (
      await env.model('works.group').create(times(count, (n) => ({ name: `g${n}`, factor: n })))
    ).ids
    const tags = (await env.model('works.tag').create([{ weight: 1 }, { weight: 2 }])).ids
    return () =>
      env.model('works.item').create(
        times(count, (n) => ({
          price: dear + n,
          group_id: groups[n] as number,
          tag_ids: [[6, 0, [tags[n % 2]]]],
        })),
      )
  },
  'create with nested lines': async (env, count) => () =>
    env.model('trials.owner').create(
      times(count, (n) => ({
        name: `o${n}`,
        line_ids: [[0, 0, { name: `l${n}`, sub_ids: [[0, 0, { value: n }]] }]],
      })),
    ),
  'create through two levels of delegation': async (env, count) => () =>
    env
      .model('trials.top')
      .create(times(count, (n) => ({ title: `t${n}`, level: n, name: `n${n}` })) as never),
  'write on the one side': async (env, count) => {
    const [group] = (await env.model('works.group').create([{ name: 'to' }])).ids
    const items = await env.model('works.item').create(times(count, (n) => ({ price: dear + n })))
    return () => items.write({ group_id: group as number, quantity: 3 })
  },
  'write on what many follow': async (env, count) => {
    const group = await env
      .model('works.group')
      .create([{ name: 'g', item_ids: times(count, (n) => [0, 0, { price: n }] as const) }])
    return () => group.write({ factor: 3, rebate: 1 })
  },
  'write lines of many owners': async (env, count) => {
    const owners = await env.model('trials.owner').create(times(count, (n) => ({ name: `o${n}` })))
    return () => owners.write({ line_ids: [[0, 0, { name: 'new' }]], mark_ids: [[0, 0, { name: 'm' }]] })
  },
  'replace lines of many owners': async (env, count) => {
    const owners = await env
      .model('trials.owner')
      .create(times(count, (n) => ({ name: `o${n}`, line_ids: [[0, 0, { name: 'old' }]] })))
    return () => owners.write({ line_ids: [[5], [0, 0, { name: 'new' }]] })
  },
  'change many lines through one owner': async (env, count) => {
    const owner = await env
      .model('trials.owner')
      .create([{ name: 'o', line_ids: times(count, () => [0, 0, {}] as const) }])
    const { line_ids } = await owner.one(['line_ids'])
    return () => owner.write({ line_ids: line_ids.map((line) => [1, line.id, { name: 'same' }] as const) })
  },
  'change many lines, each in its own way': async (env, count) => {
    const owner = await env
      .model('trials.owner')
      .create([{ name: 'o', line_ids: times(count, () => [0, 0, {}] as const) }])
    const { line_ids } = await owner.one(['line_ids'])
    return () =>
      owner.write({
        line_ids: line_ids.map(
          (line, n) => [1, line.id, { name: `n${n}`, sub_ids: [[0, 0, { value: n }]] }] as const,
        ),
      })
  },
  'link lines to many owners': async (env, count) => {
    const owners = (await env.model('trials.owner').create(times(count, (n) => ({ name: `o${n}` })))).ids
    const from = await env
      .model('trials.owner')
      .create([{ name: 'from', line_ids: times(count, () => [0, 0, {}] as const) }])
    const { line_ids } = await from.one(['line_ids'])
    const vals_list = line_ids.map((line) => ({ line_ids: [[4, line.id]] }))
    return () =>
      env.model('trials.owner').browse(owners).invoke('web_save_multi', { vals_list, specification: {} })
  },
  'save many records, each in its own way': async (env, count) => {
    const notes = await env.model('trials.note').create(times(count, () => ({ name: 'n', code: 'c' })))
    const vals_list = times(count, (n) => ({
      name: `n${n}`,
      code: n % 2 ? false : `c${n}`,
      amount: n + 0.5,
      fahrenheit: n,
    }))
    return () => notes.invoke('web_save_multi', { vals_list, specification: { name: {} } })
  },
  'number many records': async (env, count) => {
    const notes = await env.model('trials.note').create(times(count, () => ({ name: 'n' })))
    return () => notes.invoke('web_resequence', { specification: {}, field_name: 'serial', offset: 3 })
  },
  'write on the delegates of many, each in its own way': async (env, count) => {
    const tops = await env
      .model('trials.top')
      .create(times(count, (n) => ({ title: `t${n}`, name: `n${n}` })) as never)
    const vals_list = times(count, (n) => ({ title: `u${n}`, name: `m${n}`, level: n, size: n }))
    return () => tops.invoke('web_save_multi', { vals_list, specification: {} })
  },
  'create on delegates that are there': async (env, count) => {
    const mids = (await env.model('trials.mid').create(times(count, (n) => ({ name: `n${n}` })) as never)).ids
    return () =>
      env
        .model('trials.top')
        .create(times(count, (n) => ({ title: `t${n}`, mid_id: mids[n], name: `m${n}` })) as never)
  },
  'move many branches to as many places': async (env, count) => {
    const nodes = (await env.model('works.node').create(times(2 * count, (n) => ({ name: `n${n}` })))).ids
    const moved = env.model('works.node').browse(nodes.slice(0, count))
    return () =>
      moved.invoke('web_save_multi', {
        vals_list: nodes.slice(count).map((parent_id) => ({ parent_id })),
        specification: {},
      })
  },
  'removal of owners with lines': async (env, count) => {
    const owners = await env
      .model('trials.owner')
      .create(times(count, (n) => ({ name: `o${n}`, line_ids: [[0, 0, { sub_ids: [[0, 0, {}]] }]] })))
    return () => owners.unlink()
  },
  copy: async (env, count) => {
    const tags = (await env.model('works.tag').create([{ weight: 1 }])).ids
    const items = await env
      .model('works.item')
      .create(times(count, (n) => ({ price: n, tag_ids: [[6, 0, tags]] })))
    return () => items.copy()
  },
  'copy of delegating records': async (env, count) => {
    const tops = await env
      .model('trials.top')
      .create(times(count, (n) => ({ title: `t${n}`, name: `n${n}` })) as never)
    return () => tops.copy()
  },
  'amounts in many currencies': async (env, count) => {
    const currencies = (await env.model('res.currency').search([], { limit: 3 })).ids
    return () =>
      env
        .model('trials.note')
        .create(times(count, (n) => ({ amount: n + 0.123, currency_id: currencies[n % 3] as number })))
  },
  'write through a related field': async (env, count) => {
    const owners = (await env.model('trials.owner').create(times(count, (n) => ({ name: `o${n}` })))).ids
    const notes = await env.model('trials.note').create(owners.map((owner_id) => ({ owner_id })))
    return () => notes.write({ owner_name: 'all' })
  },
  'load three levels': async (env, count) => {
    const owners = await env
      .model('trials.owner')
      .create(times(count, (n) => ({ name: `o${n}`, line_ids: [[0, 0, { sub_ids: [[0, 0, {}]] }]] })))
    return async () => {
      env.unit.cache.clear()
      await owners.load([
        'name',
        'marks',
        'line_ids.name',
        'line_ids.has_mark',
        'line_ids.sub_ids.keeper_id.total',
      ])
    }
  },
}

for (const [name, prepare] of Object.entries(calls)) {
  test(`${name}: 300 records take as many statements as 4`, async () => {
    const sentFor = (count: number) =>
      db.run(async (env) => {
        const work = await prepare(env, count)
        // What nobody waits for leaves with the next statement: the last of the preparation before, the last
        // of the work with it.
        const settle = async () => {
          await env.unit.registry.engine.flush(env)
          await env.query(sql`SELECT 1`)
        }
        await settle()
        return statementsOf(async () => {
          await work()
          await settle()
        })
      })
    const few = await sentFor(4)
    const many = await sentFor(300)
    assert.equal(
      many.length,
      few.length,
      `few: ${few.length}, many: ${many.length}; the last of them: ${many.at(-3)?.slice(0, 200)}`,
    )
  })
}

test('20,000 records recompute in batches, each a few statements', async () => {
  const group = await db.run(async (env) => {
    const [group] = (await env.model('works.group').create([{ name: 'big' }])).ids as [number]
    await env.query(
      sql`INSERT INTO works_item (name, group_id, quantity, price, amount, net) SELECT 'i' || n, ${group}::int, 1, 2, 2, 2 FROM generate_series(1, 20000) n`,
    )
    return group
  })
  const sent = await statementsOf(() =>
    db.run((env) => env.model('works.group').browse([group]).write({ factor: 3 })),
  )
  assert.ok(sent.length < 150, `${sent.length} statements`)
  await db.run(async (env) => {
    const { total, size } = await env.model('works.group').browse([group]).one(['total', 'size'])
    // `size` follows the lines only: they came past the engine.
    assert.deepEqual([total, size], [120_000, 0])
    assert.equal(
      await env.model('works.item').searchCount([
        ['group_id', '=', group],
        ['amount', '=', 6],
        ['net', '=', 6],
      ]),
      20_000,
    )
  })
})

/**
 * Three values each: far more of them than may be kept at once, also where every change waits for the tests.
 */
const COUNT = process.env.CI ? 50_000 : 100_000

test('very many names that follow one: a few statements a batch, and no more than some batches in memory', async () => {
  const top = await db.run(async (env) => {
    const [top] = (await env.model('works.node').create([{ name: 'top' }])).ids as [number]
    await env.query(
      sql`INSERT INTO works_node (name, parent_id, depth, full_name) SELECT 'n' || n, ${top}::int, 1, 'top/n' || n FROM generate_series(1, ${COUNT}::int) n`,
    )
    return top
  })
  const kept: number[] = []
  const { trim } = ValueCache.prototype
  ValueCache.prototype.trim = function () {
    kept.push(this.size)
    trim.call(this)
  }
  try {
    const sent = await statementsOf(() =>
      db.run((env) => env.model('works.node').browse([top]).write({ name: 'new' })),
    )
    assert.ok(sent.length < 20 + COUNT / 420, `${sent.length} statements`)
  } finally {
    ValueCache.prototype.trim = trim
  }
  assert.ok(
    kept.length >= COUNT / 2000 && Math.max(...kept) < 120_000,
    `${kept.length} batches, ${Math.max(...kept)} values at most`,
  )
  await db.run(async (env) =>
    assert.equal(await env.model('works.node').searchCount([['full_name', '=like', 'new/n%']]), COUNT),
  )
})
