// Waiting deliveries of an endpoint have a bound. Beyond it the endpoint is paused, shows the reason,
// and gets later changes once it is active again.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, test } from 'node:test'
import { setLimits } from '../../src/limits.ts'
import { type Hooked, openHooked } from '../support/hooked.ts'
import { until } from '../support/receiver.ts'

interface Endpoint {
  readonly id: number
  readonly state: string
  readonly reason: string | false
  readonly waiting: number
}

let { nodes, hook, close } = {} as Hooked
before(async () => {
  ;({ nodes, hook, close } = await openHooked())
})
after(async () => {
  setLimits()
  await close?.()
})

const call = async <T>(path: string, body: object): Promise<T> => {
  const { status, body: answer, text } = await nodes.post(path, body)
  assert.ok(status < 300, text.slice(0, 300))
  return answer as T
}
const register = (vals: object) =>
  call<Endpoint>('/x/1/webhooks', { url: hook.url, events: ['res.partner.created'], ...vals })
const now = async ({ id }: Endpoint) =>
  (await call<Endpoint[]>('/json/2/comptoir.webhook/overview', {})).find((endpoint) => endpoint.id === id)
const create = (name: string) => call('/json/2/res.partner/create', { vals_list: [{ name }] })
const namesFor = ({ id }: Endpoint) =>
  hook.got
    .filter(({ headers }) => String(headers['webhook-id']).endsWith(`_w${id}`))
    .map(({ body }) => body.data.values?.name)

test('webhooks: an endpoint with too many waiting bytes is paused with the reason, and no other', async () => {
  setLimits({ 'webhook-waiting': 20_000 })
  const fields = { 'res.partner': ['name'] }
  const [full, thin, hearing] = [
    await register({ fields, state: 'paused' }),
    await register({ state: 'paused' }),
    await register({ fields }),
  ]
  const before = { ...(await now(full)) }
  assert.equal(before.reason, false)
  // Few deliveries, each of a good part of the limit: names that do not shrink on the disk.
  const names: string[] = []
  const createAndWait = async (name: string) => {
    names.push(name)
    await create(name)
    await until(() => namesFor(hearing).includes(name), 'it was taken up')
  }
  for (let at = 0; at < 14; at++) await createAndWait(`${at} ${randomBytes(1350).toString('base64')}`)
  const stopped = await now(full)
  assert.equal(stopped?.state, 'paused')
  assert.match(String(stopped?.reason), /exceed the limit \(limit "webhook-waiting", 20000\)/)
  const kept = stopped?.waiting ?? 0
  assert.ok(kept >= 10 && kept < 14, `${kept} wait`)
  const light = await now(thin)
  assert.deepEqual([light?.state, light?.reason, light?.waiting], ['paused', false, 14])
  assert.deepEqual((await now(hearing))?.state, 'active')
  assert.deepEqual(namesFor(hearing), names)

  await call('/json/2/comptoir.webhook/write', { ids: [full.id], vals: { state: 'active' } })
  await until(() => namesFor(full).length === kept, 'what waited is sent')
  await createAndWait('after')
  await until(() => namesFor(full).includes('after'), 'it hears again')
  assert.deepEqual(namesFor(full), [...names.slice(0, kept), 'after'])
  assert.deepEqual([(await now(full))?.state, (await now(full))?.reason], ['active', false])
})
