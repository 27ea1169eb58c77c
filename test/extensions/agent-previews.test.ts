// Previews of agents in a whole shop: each effect is listed, or the answer says that more would change.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { modules } from '../../src/main.ts'
import { createKey } from '../../src/services/admin.ts'
import { message } from '../support/mcp.ts'
import { type Nodes, openNodes } from '../support/nodes.ts'

type Values = Readonly<Record<string, unknown>>

let nodes: Nodes
before(async () => {
  nodes = await openNodes({ known: modules })
})
after(() => nodes?.close())

let keys = 0

/** The result of `call_method` under a key with the listed methods. */
async function callMethod(methods: readonly string[], parameters: Values): Promise<Values> {
  const scope = ['rpc mcp mcp:write', ...methods.map((method) => `method:${method}`)].join(' ')
  const key = await createKey(nodes.databases, 'test', 'admin', { scope, name: `agent ${++keys}`, days: 1 })
  const { body, headers } = message('tools/call', { name: 'call_method', arguments: parameters })
  const answer = await nodes.post('/x/1/mcp', body, { authorization: `Bearer ${key}`, ...headers })
  const { result } = answer.body as { result?: { isError?: boolean; structuredContent: Values } }
  assert.ok(result && !result.isError, answer.text)
  return result.structuredContent
}

async function create(model: string, values: Values): Promise<number> {
  const { body, text } = await nodes.call(`${model}/create`, { vals_list: [values] })
  const [id] = body as readonly number[]
  assert.ok(id, text)
  return id
}

async function quotation(): Promise<number> {
  const product = await create('product.product', { name: 'Mug', list_price: 3 })
  return create('sale.order', { partner_id: 1, order_line: [[0, 0, { product_id: product }]] })
}

const EVERYTHING = ['*/*']

test('preview: confirming an order under a key of one method says that more would change', async () => {
  const order = await quotation()
  const confirm = { model: 'sale.order', method: 'action_confirm', ids: [order] }
  const preview = await callMethod(['sale.order/action_confirm'], confirm)
  assert.deepEqual([preview.changes, preview.hidden], [[], true])
  assert.match(String(preview.note), /More would change than is shown/)
  const { text } = await nodes.call('sale.order/read', { ids: [order], fields: ['state'] })
  assert.match(text, /"draft"/, 'a preview confirms nothing')
  const done = await callMethod(['sale.order/action_confirm'], {
    ...confirm,
    dry_run: false,
    plan: preview.plan,
  })
  assert.equal(done.done, true)
})

test('preview: lists the order, its lines and its delivery under a key that may read them', async () => {
  const order = await quotation()
  const preview = await callMethod(
    ['sale.order/*', 'sale.order.line/read', 'stock.picking/read', 'stock.move/read', 'stock.move.line/read'],
    { model: 'sale.order', method: 'action_confirm', ids: [order] },
  )
  const models = (preview.changes as { model: string }[]).map(({ model }) => model)
  assert.deepEqual([...new Set(models)].sort(), [
    'sale.order',
    'sale.order.line',
    'stock.move',
    'stock.move.line',
    'stock.picking',
  ])
  assert.match(String(preview.note), /^More would change than is shown/, 'its messages may not be read')
})

test('preview: names models whose records would change and whose changes are not recorded', async () => {
  const ids = [await quotation()]
  const post = { model: 'sale.order', method: 'message_post', ids, parameters: { body: 'On Monday' } }
  const posted = await callMethod(EVERYTHING, post)
  assert.deepEqual([posted.changes, posted.hidden], [[], true])
  assert.match(String(posted.note), /^Records of .*mail\.message.* would change too, and are not listed\.$/)
  const unread = await callMethod(['sale.order/message_post'], post)
  assert.deepEqual([unread.changes, unread.hidden], [[], true])
  assert.doesNotMatch(String(unread.note), /mail/, 'models that the key may not read are not named')
})

test('preview: a change of one field is all that is shown and nothing is hidden', async () => {
  const preview = await callMethod(EVERYTHING, {
    model: 'sale.order',
    method: 'write',
    ids: [await quotation()],
    parameters: { vals: { client_order_ref: 'PO 7' } },
  })
  assert.equal('hidden' in preview, false)
  const [change] = preview.changes as { after: Values }[]
  assert.equal(change?.after.client_order_ref, 'PO 7')
})

test('preview: counts none of the records that record rules hide', async () => {
  const contacts = Array.from({ length: 70 }, (_, n) => [0, 0, { name: n % 2 ? `Ann ${n}` : `Secret ${n}` }])
  const ids = [await create('res.partner', { name: 'Corner Shop', is_company: true, child_ids: contacts })]
  const { body } = await nodes.call('ir.model/search', { domain: [['model', '=', 'res.partner']] })
  const [model_id] = body as readonly number[]
  const domain_force = "[('name', 'not ilike', 'secret')]"
  const rule = await create('ir.rule', { name: 'No secrets', model_id, domain_force })
  const vat = { parameters: { vals: { vat: 'BE0477472701' } } }
  const preview = await callMethod(EVERYTHING, { model: 'res.partner', method: 'write', ids, ...vat })
  await nodes.call('ir.rule/unlink', { ids: [rule] })
  const { length } = preview.changes as readonly Values[]
  assert.equal(length + Number(preview.more), 36, 'the shop and 35 of its 70 contacts')
  assert.equal(preview.hidden, true)
})
