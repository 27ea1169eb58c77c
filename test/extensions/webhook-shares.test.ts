// Receivers that hang, as many as a user may have: others are sent to meanwhile, and so are that user's own
// that answer.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createKey } from '../../src/services/admin.ts'
import { type Hooked, openHooked } from '../support/hooked.ts'
import { until } from '../support/receiver.ts'

/** Endpoints that a user may have. */
const MOST = 20

let { nodes, hook, close } = {} as Hooked
before(async () => {
  ;({ nodes, hook, close } = await openHooked())
})
after(() => close?.())

test('webhooks: hanging receivers of a user delay neither other users nor their other receivers', async () => {
  const as = async (login: string) => {
    const employees = await nodes.database.system((env) => env.ref('base.group_user'))
    const vals = { name: login, login, group_ids: [[4, employees]] }
    await nodes.call('res.users/create', { vals_list: [vals] })
    const key = await createKey(nodes.databases, 'test', login, { scope: null, name: 'hooks', days: 1 })
    return { authorization: `bearer ${key}` }
  }
  const register = async (headers: Record<string, string>, path: string, concurrency = 4) => {
    const url = hook.url.replace('/hook', path)
    const events = ['res.partner.created']
    const { status, body, text } = await nodes.post('/x/1/webhooks', { url, events, concurrency }, headers)
    assert.equal(status, 201, text)
    return body as { id: number }
  }
  const came = ({ id }: { id: number }) =>
    hook.got.filter(({ headers }) => String(headers['webhook-id']).endsWith(`_w${id}`)).length
  const [hostile, other] = [await as('hostile'), await as('other')]
  let answered = 0
  const answering = new Set<number>()
  hook.answer = ({ headers }, response) => {
    const id = Number(/_w(\d+)$/.exec(String(headers['webhook-id']))?.[1])
    if (answering.has(id)) return void response.writeHead(200).end()
    // The server lost patience with it.
    response.once('close', () => answered++)
  }
  const hanging: { id: number }[] = []
  for (let at = 0; at < MOST - 1; at++) hanging.push(await register(hostile, `/${at}`, 16))
  const many = Array.from({ length: 100 }, (_, at) => ({ name: `P${at}` }))
  await nodes.call('res.partner/create', { vals_list: many })
  await until(() => hanging.every((endpoint) => came(endpoint) > 0), 'all hang')
  const ownEndpoint = await register(hostile, '/own')
  const others = await register(other, '/others')
  for (const { id } of [ownEndpoint, others]) answering.add(id)
  await nodes.call('res.partner/create', { vals_list: [{ name: 'Heard' }] })
  await until(() => came(ownEndpoint) > 0 && came(others) > 0, 'those that answer have heard')
  assert.equal(answered, 0, 'before any attempt at the others was given up')
})
