// Attempts of dishonest users through endpoints beyond the documented API: batches and their
// references, conditions, dry runs, jobs, rows, retries and agents. The same authorization applies to
// all of them.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from '../../src/sql/index.ts'
import { message } from '../support/mcp.ts'
import type { Answer } from '../support/office.ts'
import { openTill, type Person, type Row, type Till } from '../support/till.ts'
import { standingOf } from './attempts.ts'

interface Attempt {
  readonly person: Person
  readonly model: string
  readonly method: string
  readonly body: Row
}

let till: Till
const attempts: Attempt[] = []

before(async () => {
  till = await openTill(['sales_team', 'sale', 'purchase', 'sale_stock', 'purchase_stock', 'pos_sale'])
  const product = await till.make('product.product', {
    ...{ name: 'Thing', is_storable: true, taxes_id: [[5]], supplier_taxes_id: [[5]] },
  })
  const partner_id = await till.make('res.partner', { name: 'Somebody' })
  const invoice = await till.make('account.move', {
    ...{ move_type: 'out_invoice', partner_id, invoice_date: '2026-05-05' },
    invoice_line_ids: [[0, 0, { product_id: product, quantity: 1, price_unit: 10 }]],
  })
  await till.ask('account.move/action_post', { ids: [invoice] })
  const { invoice_line_ids } = await till.read('account.move', invoice, ['invoice_line_ids'])
  const sold = await till.sync([till.order({ n: 1, lines: [{ product, price: 10 }] })])
  const [{ id: order }] = (sold.body as { 'pos.order': [{ id: number }] })['pos.order']
  const purchase = await till.make('purchase.order', {
    partner_id,
    order_line: [[0, 0, { product_id: product, product_qty: 1, price_unit: 1 }]],
  })
  await till.ask('purchase.order/button_confirm', { ids: [purchase] })
  const wrong = (person: Person, model: string, method: string, body: Row) =>
    attempts.push({ person, model, method, body })
  const write = (person: Person, model: string, ids: unknown, vals: Row) =>
    wrong(person, model, 'write', { ids, vals })
  write('biller', 'account.move', [invoice], { narration: '<p>other</p>' })
  write('biller', 'account.move.line', invoice_line_ids, { name: 'other' })
  write('cashier', 'pos.order', [order], { amount_total: 1 })
  write('cashier', 'pos.session', [till.session], { cash_register_balance_start: 1 })
  write('admin', 'purchase.order', [purchase], { currency_rate: 1e9 })
  wrong('biller', 'account.move', 'create', { vals_list: [{ move_type: 'entry', state: 'posted' }] })
  wrong('biller', 'account.move', 'copy', { ids: [invoice], default: { state: 'posted' } })
  wrong('cashier', 'pos.order', 'unlink', { ids: [order] })
  wrong('clerk', 'account.move', 'action_post', { ids: [invoice] })
  const { name } = await till.read('account.move', invoice, ['name'])
  await till.ask('ir.model.data/create', {
    vals_list: [{ module: 'test', name: 'invoice', model: 'account.move', res_id: invoice }],
  })
  const upsert = (key: unknown, vals: Row) =>
    wrong('biller', 'account.move', 'upsert', { key, vals_list: [vals] })
  upsert('external_id', { external_id: 'test.invoice', narration: 'other' })
  upsert(['name', 'move_type'], { name, move_type: 'out_invoice', narration: 'other' })
  upsert(['name', 'move_type'], { name: 'INV/2026/00099', move_type: 'out_invoice', state: 'posted' })
})
after(() => till?.close())

const BATCH = '/x/1/batch'
/** The answer of a job, once it is over. */
async function jobOf(person: Person, { body }: Answer): Promise<{ state: string; status: number | null }> {
  const { id } = body as { id: string }
  for (;;) {
    const job = JSON.parse(await (await till.get(person, `/x/1/jobs/${id}`)).text())
    if (!['queued', 'running'].includes(job.state)) return job
    await sleep(20)
  }
}

/** The answer to an agent that runs a batch with the key of a person. */
async function agent(person: Person, arguments_: Row): Promise<{ status: number; plan?: string }> {
  const request = message('tools/call', { name: 'run_batch', arguments: arguments_ })
  const { body } = await till.call(person, '/x/1/mcp', request.body, { headers: request.headers })
  const { result } = body as { result: { isError?: boolean; structuredContent: { status: number } } }
  return result.isError ? result.structuredContent : { ...result.structuredContent, status: 200 }
}

/** Ways besides a plain call; each returns the status of the attempt. */
const routes: Readonly<Record<string, (attempt: Attempt) => Promise<number | null>>> = {
  'a batch': async ({ person, model, method, body }) =>
    (await till.call(person, BATCH, { calls: [{ model, method, body }] })).status,
  'a batch, behind calls that work, with values that they gave': async ({ person, model, method, body }) => {
    const literal = { id: 'given', model: 'res.users', method: 'context_get', body: {} }
    const search = { id: 'ids', model, method: 'search', body: { domain: [['id', 'in', body.ids ?? []]] } }
    const ids = body.ids && person !== 'clerk' ? { ids: { $ref: '/ids' } } : {}
    const calls = [literal, ...('ids' in ids ? [search] : []), { model, method, body: { ...body, ...ids } }]
    return (await till.call(person, BATCH, { calls })).status
  },
  'a batch of calls that stand for themselves': async ({ person, model, method, body }) => {
    const answer = await till.call(person, BATCH, { atomic: false, calls: [{ model, method, body }] })
    return (answer.body as { results: [{ status: number }] }).results[0].status
  },
  'a rehearsal': ({ person, model, method, body }) =>
    till
      .call(person, `${model}/${method}`, body, { headers: { prefer: 'tx=rollback' } })
      .then(({ status }) => status),
  'a rehearsal of a batch': ({ person, model, method, body }) =>
    till
      .call(person, BATCH, { calls: [{ model, method, body }] }, { headers: { prefer: 'tx=rollback' } })
      .then(({ status }) => status),
  'a condition that holds': ({ person, model, method, body }) =>
    till
      .call(person, `${model}/${method}`, body, { headers: body.ids ? { 'if-match': '*' } : {} })
      .then(({ status }) => status),
  'a key for retries': async ({ person, model, method, body }) => {
    const headers = { 'idempotency-key': `${model}-${method}-${JSON.stringify(body)}`.slice(0, 200) }
    await till.call(person, `${model}/${method}`, body, { headers })
    return (await till.call(person, `${model}/${method}`, body, { headers })).status
  },
  'a job': async ({ person, model, method, body }) =>
    (
      await jobOf(
        person,
        await till.call(person, `${model}/${method}`, body, { headers: { prefer: 'respond-async' } }),
      )
    ).status,
  'an agent': async ({ person, model, method, body: { ids, ...parameters } }) => {
    const calls = [{ model, method, ...(ids ? { ids } : {}), parameters }]
    const statuses: number[] = []
    const request_key = `${model}/${method}/${JSON.stringify(parameters)}`
    for (const once of [{}, { dry_run: false, request_key }])
      statuses.push((await agent(person, { calls, ...once })).status)
    assert.equal(statuses[0], statuses[1])
    return statuses[1] ?? null
  },
}

describe('what is refused in a plain call is refused', () => {
  for (const [route, attemptBy] of Object.entries(routes))
    test(`refused calls: by ${route}, without any change`, async () => {
      const was = await standingOf(till)
      for (const attempt of attempts) {
        const { person, model, method, body } = attempt
        const plain = await till.call(person, `${model}/${method}`, body)
        assert.ok([403, 422].includes(plain.status), `${model}/${method}: ${plain.status}`)
        const status = await attemptBy(attempt)
        // Agents call the methods of tools alone, unless their keys list others.
        if (route !== 'an agent' || status !== 403)
          assert.equal(status, plain.status, `${model}/${method} ${JSON.stringify(body)}`)
      }
      assert.equal(await standingOf(till), was)
    })
})

/**
 * Drafts that a person created by jobs while a lock keeps entries from being written: two jobs run, and
 * the third waits.
 */
async function draftsOf(person: Person, meanwhile: () => Promise<unknown>) {
  const queued: Answer[] = []
  await till.run(async ({ unit }) => {
    await unit.query(sql`LOCK TABLE account_move IN SHARE ROW EXCLUSIVE MODE`)
    for (let n = 0; n < 3; n++) {
      const draft = { vals_list: [{ move_type: 'entry', ref: `by job ${n}` }] }
      queued.push(
        await till.call(person, 'account.move/create', draft, { headers: { prefer: 'respond-async' } }),
      )
    }
    await meanwhile()
  })
  return queued
}
const drafts = (ref: string) => till.ask<number>('account.move/search_count', { domain: [['ref', '=', ref]] })
const rightsOf = (login: Person, vals: Row) =>
  till.run(async (env) => {
    const users = env.model('res.users')
    const persons = await users.withContext({ active_test: false }).search([['login', '=', login]])
    await persons.write(vals)
  })

describe('whose rights end in between', () => {
  const bill = { model: 'account.move', method: 'create', parameters: { vals_list: [{ ref: 'by a plan' }] } }
  test('refused calls: a waiting job, a plan and an idempotency key do not help the user, or others', async () => {
    const headers = { 'idempotency-key': 'kept' }
    const body = { vals_list: [{ move_type: 'entry', ref: 'by a key' }] }
    assert.equal((await till.call('biller', 'account.move/create', body, { headers })).status, 200)
    assert.equal((await till.call('clerk', 'account.move/create', body, { headers })).status, 403)
    const { plan, status } = await agent('biller', { calls: [bill] })
    assert.equal(status, 200)
    const run = { calls: [bill], dry_run: false, plan }
    assert.equal((await agent('boss', run)).status, 422, 'a plan is of one user')
    const another = { ...bill, parameters: { vals_list: [{ ref: 'by a plan', narration: 'other' }] } }
    assert.equal((await agent('biller', { ...run, calls: [another] })).status, 422, 'and of one call')
    const group = await till.run((env) => env.ref('account.group_account_invoice'))
    const queued = await draftsOf('biller', () => rightsOf('biller', { group_ids: [[3, group]] }))
    const last = await jobOf('biller', queued[2] as Answer)
    assert.deepEqual([last.state, last.status], ['failed', 403])
    assert.equal((await agent('biller', run)).status, 403)
    assert.equal(await drafts('by a plan'), 0)
    await rightsOf('biller', { group_ids: [[4, group]] })
  })
  test('refused calls: jobs of an archived user do nothing, even after the user is active again', async () => {
    const queued = await draftsOf('biller', () => rightsOf('biller', { active: false }))
    const { id } = (queued[2] as Answer).body as Row
    const over = () =>
      till.run((env) => env.query(sql`SELECT state FROM comptoir_job WHERE id = ${id}::uuid`))
    while (['queued', 'running'].includes(String((await over())[0]?.[0]))) await sleep(20)
    await rightsOf('biller', { active: true })
    assert.notEqual((await over())[0]?.[0], 'done')
    assert.equal(await drafts('by job 2'), 0)
  })
})
