// SQL of modules: pending values of the models it reads are computed first, and models it reads without
// declaring them are reported.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { modules as all } from '../../src/main.ts'
import {
  computed,
  defineModule,
  float,
  implement,
  many2one,
  model,
  type Of,
  one2many,
} from '../../src/models/index.ts'
import { sql } from '../../src/sql/index.ts'
import { openTestDatabase, type TestDatabase } from '../support/databases.ts'

const order = model('reads.order', {
  fields: { line_ids: one2many('reads.line', 'order_id'), total: float({ computed: true, stored: true }) },
})
const line = model('reads.line', {
  fields: {
    order_id: many2one('reads.order', { required: true, ondelete: 'cascade' }),
    price: float(),
    amount: float({ computed: true, stored: true }),
  },
})
declare module '#models' {
  interface Models {
    'reads.order': ReadsOrder
    'reads.line': ReadsLine
  }
  interface ReadsOrder extends Of<typeof order> {}
  interface ReadsLine extends Of<typeof line> {}
}
const reading = defineModule({
  name: 'reading',
  version: '1.0',
  summary: 'Statements that read.',
  depends: ['base'],
  models: [
    implement(order, {
      computed: {
        total: computed(order, ['line_ids.amount'], (order) =>
          order.line_ids.reduce((sum, { amount }) => sum + amount, 0),
        ),
      },
    }),
    implement(line, { computed: { amount: computed(line, ['price'], ({ price }) => price * 2) } }),
  ],
})

let database: TestDatabase
before(async () => {
  database = await openTestDatabase([...all.filter(({ name }) => name === 'base'), reading])
})
after(() => database.close())

test('SQL of modules: only columns that a statement names are computed before it runs', async () => {
  await database.run(async (env) => {
    const orders = await env.model('reads.order').create([{ line_ids: [[0, 0, { price: 1 }]] }])
    const id = orders.ensureOne()
    const lines = await env.model('reads.line').search([['order_id', '=', id]])
    const waiting = () => [...env.unit.recomputation.pending.keys()].map(({ name }) => name).sort()
    const amounts = () =>
      env.rows(sql`SELECT amount::float8 FROM reads_line WHERE order_id = ${id}::int`, {
        reads: ['reads.line'],
        row: ['float'],
      })
    assert.deepEqual(await amounts(), [[2]])
    await lines.write({ price: 5 })
    assert.deepEqual(waiting(), ['amount'])
    const before = await env.rows(sql`SELECT price::float8 FROM reads_line WHERE order_id = ${id}::int`, {
      reads: ['reads.line'],
      row: ['float'],
    })
    assert.deepEqual(before, [[5]])
    assert.deepEqual(waiting(), ['amount'], 'nothing was computed for a price')
    assert.deepEqual(await amounts(), [[10]])
    assert.deepEqual(waiting(), ['total'], 'what follows from it was not asked for')
    await lines.write({ price: 6 })
    await env.execute(sql`UPDATE reads_order o SET create_date = create_date WHERE o.total > 11`, {
      reads: ['reads.order'],
    })
    assert.deepEqual(waiting(), [])
  })
})

test('statements: an undeclared table is reported with what to do, and so is a missing model', async () => {
  await database.run(async (env) => {
    const silent = env.rows(sql`SELECT o.id FROM reads_line l JOIN reads_order o ON o.id = l.order_id`, {
      reads: ['reads.line'],
      row: ['int'],
    })
    await assert.rejects(silent, /reads reads_order: say so by `reads: \['reads.order'\]`/)
    const unknown = env.rows(sql`SELECT 1`, { reads: ['reads.nothing' as 'reads.line'], row: ['int'] })
    await assert.rejects(unknown, /reads reads.nothing, but this database has no such model/)
    // Tables without a model, and parameters, are not reads.
    assert.deepEqual(
      await env.rows(sql`SELECT count(*)::int > 0 FROM pg_class`, { reads: [], row: ['bool'] }),
      [[true]],
    )
  })
})
