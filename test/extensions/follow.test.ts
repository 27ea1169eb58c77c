// A client that applies the change feed has the records of a search, and the feed reports no change
// that PostgreSQL did not see: snapshot and changes during concurrent writes, over random operations on
// a tree of models.
// A long run: COMPTOIR_TEST_STEPS=10000 node --test test/extensions/follow.test.ts
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { modules } from '../../src/main.ts'
import { type Nodes, openNodes } from '../support/nodes.ts'
import { untold, watchRows } from '../support/row-triggers.ts'

const STEPS = Number(process.env.COMPTOIR_TEST_STEPS ?? 150)

let nodes: Nodes
before(async () => {
  nodes = await openNodes({
    known: modules.filter(({ name }) => ['base', 'mail', 'uom', 'product'].includes(name)),
  })
})
after(() => nodes?.close())

const followed = {
  'res.partner': [
    'name',
    'email',
    'parent_id',
    'category_id',
    'complete_name',
    'commercial_partner_id',
    'active',
  ],
  'res.partner.category': ['name', 'parent_id', 'color'],
  'res.partner.bank': ['acc_number', 'partner_id'],
  'product.product': ['name', 'default_code', 'lst_price', 'categ_id'],
  'product.template': ['name', 'list_price'],
} as const
type Model = keyof typeof followed
const names = Object.keys(followed) as Model[]

const question = {
  models: Object.fromEntries(names.map((name) => [name, { fields: followed[name] }])),
  limit: 40,
}

interface Change {
  readonly model: Model
  readonly id: number
  readonly op: 'upsert' | 'remove'
  readonly values: Record<string, unknown>
}

class Copy {
  readonly rows = new Map<Model, Map<number, unknown>>(names.map((name) => [name, new Map()]))
  #cursor: string | undefined

  /** Applies pages until there is no more, or one. */
  async catchUp(once = false): Promise<void> {
    for (;;) {
      const { status, body, text } = await nodes.post('/x/1/changes', {
        ...question,
        ...(this.#cursor ? { cursor: this.#cursor } : {}),
      })
      assert.equal(status, 200, text)
      const { changes, cursor, more } = body as { changes: Change[]; cursor: string; more: boolean }
      for (const { model, id, op, values } of changes) {
        if (op === 'upsert') this.rows.get(model)?.set(id, values)
        else this.rows.get(model)?.delete(id)
      }
      this.#cursor = cursor
      if (!more || once) return
    }
  }
}

/** Many2ones as ids: that a linked record is called otherwise is a change of that one alone. */
const plain = (row: unknown) =>
  Object.fromEntries(
    Object.entries(row as object).map(([name, value]) => [
      name,
      Array.isArray(value) && typeof value[1] === 'string' ? value[0] : value,
    ]),
  )

const random = (below: number) => Math.floor(Math.random() * below)
const pick = <T>(list: readonly T[]): T | undefined => list[random(list.length)]

test('change feed: random operations applied from the feed equal a search, and all changes are reported', async () => {
  const copy = new Copy()
  await nodes.database.system(async (env) => watchRows(env, followed))
  const ids: Record<Model, number[]> = {
    'res.partner': [],
    'res.partner.category': [],
    'res.partner.bank': [],
    'product.product': [],
    'product.template': [],
  }
  let worked = 0
  const make = async (model: Model, vals: object) => {
    const { status, body } = await nodes.call(`${model}/create`, { vals_list: [vals] })
    if (status !== 200) return []
    worked++
    ids[model].push(...(body as number[]))
    return body as number[]
  }
  /**
   * Calls a method of a random record. Deleted records leave the list: every call that names them would
   * fail.
   */
  const act = async (model: Model, method: string, rest: object = {}) => {
    const id = pick(ids[model])
    if (id === undefined) return
    const { status, body } = await nodes.call(`${model}/${method}`, { ids: [id], ...rest })
    if (status === 200) worked++
    if (status === 404 || (status === 200 && method === 'unlink'))
      ids[model] = ids[model].filter((member) => member !== id)
    if (status === 200 && method === 'copy') ids[model].push(...(body as number[]))
  }
  const steps: (() => Promise<unknown>)[] = [
    () =>
      make('res.partner', {
        name: `p${random(99)}`,
        is_company: random(3) === 0,
        parent_id: ids['res.partner'].at(-1 - random(5)) ?? false,
        category_id: [[6, 0, ids['res.partner.category'].slice(0, random(3))]],
      }),
    () =>
      make('res.partner.category', {
        name: `c${random(99)}`,
        parent_id: pick([false, pick(ids['res.partner.category']) ?? false]),
      }),
    () =>
      make('res.partner.bank', { acc_number: `b${random(1e6)}`, partner_id: pick(ids['res.partner']) ?? 1 }),
    async () => {
      const product = await make('product.product', { name: `m${random(99)}`, list_price: random(9) })
      const { body } = await nodes.call('product.product/read', { ids: product, fields: ['product_tmpl_id'] })
      for (const { product_tmpl_id } of body as { product_tmpl_id: [number, string] }[])
        ids['product.template'].push(product_tmpl_id[0])
    },
    () => act('res.partner', 'write', { vals: { name: `q${random(99)}`, email: `e${random(9)}@x` } }),
    () => act('res.partner', 'write', { vals: { parent_id: pick(ids['res.partner']) ?? false } }),
    () => {
      const tag = pick(ids['res.partner.category'])
      return act('res.partner', 'write', { vals: { category_id: tag ? [[random(2) ? 4 : 3, tag]] : [] } })
    },
    () => act('res.partner', 'write', { vals: { active: random(2) === 0 } }),
    () => act('product.template', 'write', { vals: { name: `n${random(99)}`, list_price: random(9) } }),
    () => act('res.partner.category', 'unlink'),
    () => act('res.partner', 'unlink'),
    () => act('product.template', 'unlink'),
    () => act('res.partner', 'copy'),
  ]
  for (let done = 0; done < STEPS; done += 3) {
    // Some at a time, and the copy in the middle of it.
    await Promise.all([
      pick(steps)?.(),
      pick(steps)?.(),
      pick(steps)?.(),
      ...(random(3) === 0 ? [copy.catchUp(true)] : []),
    ])
  }
  await copy.catchUp()
  for (const name of names) {
    const { body } = await nodes.call(`${name}/search_read`, {
      domain: [],
      fields: followed[name],
      order: 'id',
    })
    const kept = [...(copy.rows.get(name) as Map<number, unknown>)]
      .sort(([a], [b]) => a - b)
      .map(([, row]) => plain(row))
    assert.deepEqual(kept, (body as unknown[]).map(plain), name)
  }
  const { seen, untold: left } = await nodes.database.system(untold)
  assert.ok(worked > STEPS / 4, `only ${worked} of ${STEPS} worked`)
  assert.ok(seen > STEPS / 2, `only ${seen} changes`)
  assert.deepEqual(left, [])
})
