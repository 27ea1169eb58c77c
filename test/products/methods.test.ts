// Every public method of modules, as the documents of a database list them: with parameters that are wrong,
// missing or unknown, and on records that are gone. New methods are in it by themselves.
// Begins first: it takes 8 s.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openWires, type Wires } from '../support/three-wires.ts'

interface Documented {
  readonly module: string
  readonly api?: readonly string[]
  readonly parameters: Readonly<Record<string, { readonly default?: unknown; readonly annotation?: string }>>
}
interface Method extends Documented {
  readonly model: string
  readonly name: string
}

/** Values that are wrong for most parameters: texts, numbers, lists and objects of other types. */
const ODD = ['', 'x', 1e15, [999_999], { x: 1 }]
const GONE = 999_999
/** On how many models the parameters of a mixin's method are tried; its records are tried on all. */
const MODELS_OF_A_MIXIN = 3

/** Valid parameters, so that the code after validation runs. */
const RIGHT: Readonly<Record<string, unknown>> = {
  domain: [],
  limit: 10,
  offset: 0,
  amount: 5,
  amount1: 1,
  amount2: 2,
  currency: 1,
  price_unit: 5,
  counted_cash: 5,
  cashbox_value: 5,
  _type: 'in',
  reason: 'x',
  kind: 'cash_out',
  orders: [],
  models_to_load: ['pos.config'],
  models_to_filter: { 'product.product': [1] },
  data: { amount: 1, payment_method_id: 1, name: '2026-01-01' },
}

/** Methods that refuse the guessed parameters (422) before they look for records. */
const REFUSES_GUESSES = new Set([
  'comptoir.webhook/rotate_secret',
  'mail.mail/send',
  'res.users/has_group',
  'res.users.apikeys.description/make_key',
  'res.users.identitycheck/run_check',
])

/** Scheduled actions and installations cannot be rolled back, so they have no dry run. */
const LASTING = new Set(['ir.cron', 'ir.module.module'])

let wires: Wires
let methods: readonly Method[]

const document = async (path: string) => {
  const headers = { authorization: `bearer ${wires.key}` }
  const answer = await fetch(`${wires.server.url}/doc-bearer/${path}.json`, { headers })
  return (await answer.json()) as {
    readonly models: readonly { readonly model: string }[]
    readonly methods?: Readonly<Record<string, Documented>>
  }
}

before(async () => {
  wires = await openWires()
  const { models } = await document('index')
  const listed = models.filter(({ model }) => !LASTING.has(model))
  methods = (
    await Promise.all(
      listed.map(async ({ model }) =>
        Object.entries((await document(model)).methods ?? {})
          .filter(([, { module }]) => module !== 'core')
          .map(([name, method]) => ({ ...method, model, name })),
      ),
    )
  ).flat()
  await makeDocuments()
})
after(() => wires?.close())

/** Records that business methods run on: an invoice, a sale, a purchase, a transfer, scrap, a session. */
async function makeDocuments(): Promise<void> {
  const ask = async <T = number[]>(path: string, body: object): Promise<T> => {
    const { result, error } = await wires.json2(path, body)
    assert.equal(error, undefined, `${path}: ${error?.message}`)
    return result as T
  }
  const make = async (model: string, vals: object) =>
    (await ask(`${model}/create`, { vals_list: [vals] }))[0] as number
  const partner_id = await make('res.partner', { name: 'Somebody' })
  const product_id = await make('product.product', { name: 'Goods', is_storable: true })
  const line = [[0, 0, { product_id, quantity: 1, price_unit: 5 }]]
  const invoice = { move_type: 'out_invoice', partner_id, invoice_date: '2026-05-05', invoice_line_ids: line }
  await ask('account.move/action_post', { ids: [await make('account.move', invoice)] })
  await make('account.payment', { partner_id, amount: 5 })
  const order = { partner_id, order_line: [[0, 0, { product_id }]] }
  await ask('sale.order/action_confirm', { ids: [await make('sale.order', order)] })
  await make('purchase.order', order)
  await make('stock.scrap', { product_id })
  await make('pos.session', { config_id: 1 })
}

const isOfModel = ({ api }: Method) => api?.includes('model') === true
const path = ({ model, name }: Method) => `${model}/${name}`
const required = ({ parameters }: Method) =>
  Object.keys(parameters).filter((p) => !('default' in (parameters[p] ?? {})))
const usualFor = (name: string, annotation = '') =>
  name.endsWith('_ids')
    ? [1]
    : /^(int|float)\b/.test(annotation) || name.endsWith('_id')
      ? 1
      : /^(dict|list)\b/.test(annotation)
        ? []
        : 'x'
const rightFor = (method: Method) =>
  Object.fromEntries(
    required(method).map((name) => {
      const annotation = method.parameters[name]?.annotation
      const right = annotation === 'list' ? [] : RIGHT[name]
      return [name, right ?? usualFor(name, annotation)]
    }),
  )

async function call(
  method: Method,
  body: object,
): Promise<{ readonly status: number; readonly text: string }> {
  const answer = await fetch(`${wires.server.url}/json/2/${path(method)}`, {
    method: 'POST',
    headers: {
      authorization: `bearer ${wires.key}`,
      'content-type': 'application/json',
      prefer: 'tx=rollback',
    },
    body: JSON.stringify(body),
  })
  return { status: answer.status, text: await answer.text() }
}

test('methods: odd parameters and ids of all types cause no server error', async () => {
  const faults: string[] = []
  let calls = 0
  const judge = async (method: Method, body: object) => {
    const { status, text } = await call(method, body)
    calls++
    if (status >= 500) faults.push(`${path(method)} ${JSON.stringify(body)}: ${status} ${text.slice(0, 200)}`)
  }
  const { registry } = await wires.databases.database('test')
  /** Models that were tried with odd parameters, by the code that runs: that of mixins is the same in thirty. */
  const tried = new Map<unknown, number>()
  for (const method of methods) {
    const right = rightFor(method)
    const ids = isOfModel(method) ? {} : { ids: [1] }
    if (!isOfModel(method))
      for (const some of [[1], [1, 1], [1, 2]]) await judge(method, { ids: some, ...right })
    const code = registry.models.get(method.model)?.methods.get(method.name)?.run
    const models = tried.get(code) ?? 0
    tried.set(code, models + 1)
    if (models >= MODELS_OF_A_MIXIN) continue
    for (const name of Object.keys(method.parameters))
      for (const value of ODD) await judge(method, { ...ids, ...right, [name]: value })
  }
  assert.deepEqual(faults, [])
  assert.ok(calls > 600, `${calls} calls`)
})

test('methods: reject unknown parameters, and need only documented ones', async () => {
  for (const method of methods) {
    const unknown = await call(method, { ...rightFor(method), nonsense: 1 })
    assert.equal(unknown.status, 422, path(method))
    assert.match(unknown.text, /nonsense/)
    for (const name of required(method)) {
      const { [name]: _, ...others } = rightFor(method)
      const missing = await call(method, others)
      assert.equal(missing.status, 422, `${path(method)} without ${name}`)
      assert.match(missing.text, new RegExp(`'${name}'`))
    }
  }
})

test('methods: refuse values of another type than their documents say', async () => {
  const accepted: string[] = []
  let calls = 0
  const { registry } = await wires.databases.database('test')
  for (const method of methods) {
    if (registry.models.get(method.model)?.methods.get(method.name)?.checksItself) continue
    const ids = isOfModel(method) ? {} : { ids: [1] }
    for (const [name, { annotation = '' }] of Object.entries(method.parameters)) {
      const types = annotation.split('|').map((type) => type.trim().replace(/\[.*/s, ''))
      if (!types.every((type) => ['str', 'int', 'float', 'list', 'dict', 'None', 'False'].includes(type)))
        continue
      const value = types.includes('dict') ? 'x' : { x: 1 }
      if (types.includes('dict') && types.includes('str')) continue
      const { status } = await call(method, { ...ids, ...rightFor(method), [name]: value })
      calls++
      if (status !== 422) accepted.push(`${path(method)} ${name}: ${status}`)
    }
  }
  assert.deepEqual(accepted, [])
  assert.ok(calls > 300, `${calls} calls`)
})

test('methods: refuse missing records, alone and among others', async () => {
  const done: string[] = []
  for (const method of methods) {
    if (isOfModel(method)) continue
    for (const ids of [[GONE], [1, GONE]]) {
      const { status } = await call(method, { ids, ...rightFor(method) })
      const isRefused = status === 422 && REFUSES_GUESSES.has(path(method))
      if (status !== 404 && status !== 410 && !isRefused) done.push(`${path(method)} ${ids}: ${status}`)
    }
  }
  assert.deepEqual(done, [])
})

test('methods: values that a till sends about money are used or rejected, never ignored', async () => {
  const [session] = (await wires.json2('pos.session/search', { domain: [], limit: 1 })).result as number[]
  const ids = [session]
  await wires.json2('pos.session/set_opening_control', { ids, cashbox_value: 0 })
  const money = { ids, _type: 'in', amount: 5, reason: 'x' }
  const refused = [
    ...['x', {}, [[1]], 1.5].map((partner_id) => ['try_cash_in_out', { ...money, partner_id }] as const),
    ...['x', 5, [7], [['x', 1]], { x: 1 }, [[1, 'x']], [[null, 5]]].flatMap((diffs) => [
      ['close_session_from_ui', { ids, bank_payment_method_diff_pairs: diffs }] as const,
      ['action_pos_session_closing_control', { ids, bank_payment_method_diffs: diffs }] as const,
    ]),
    ['action_pos_session_closing_control', { ids, balancing_account: 'x' }] as const,
  ]
  for (const [method, body] of refused) {
    const { error } = await wires.json2(`pos.session/${method}`, body)
    assert.equal(error?.status, 422, `${method} ${JSON.stringify(body)}`)
  }
  for (const none of [null, false, '', [], {}]) {
    const body = { ids, bank_payment_method_diff_pairs: none }
    assert.equal((await wires.json2('pos.session/close_session_from_ui', body)).error, undefined)
  }
})
