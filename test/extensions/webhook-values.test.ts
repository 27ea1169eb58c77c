// Values that are too long to be sent, or to be read together, do not disable the endpoints of other
// users.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Hooked, openHooked } from '../support/hooked.ts'
import { until } from '../support/receiver.ts'

let { nodes, hook, close } = {} as Hooked
before(async () => {
  ;({ nodes, hook, close } = await openHooked())
})
after(() => close?.())

/** Contacts whose values together are more than one statement of PostgreSQL has memory for. */
const LONG = 150

test('webhooks: values that are too long together come in parts, and one that is too long alone is left out', async () => {
  const createdBy = async (path: string, body: object) => {
    const { status, body: answer, text } = await nodes.post(path, body)
    assert.ok(status < 300, text.slice(0, 300))
    return answer
  }
  const register = async (...fields: string[]) =>
    (await createdBy('/x/1/webhooks', {
      url: hook.url,
      events: ['res.partner.created'],
      fields: { 'res.partner': fields },
    })) as { id: number }
  const [long, short] = [await register('name', 'industry_id'), await register('name')]
  const came = ({ id }: { id: number }) =>
    hook.got
      .filter(({ headers }) => String(headers['webhook-id']).endsWith(`_w${id}`))
      .map(({ body }) => body.data)
      .toSorted((a, b) => a.id - b.id)
  const name = 'n'.repeat(1_000_000)
  const [industry] = (await createdBy('/json/2/res.partner.industry/create', {
    vals_list: [{ name }],
  })) as number[]
  const some = Array.from({ length: LONG }, (_, at) => ({ name: `L${at}`, industry_id: industry }))
  const vals = [{ name: 'First' }, ...some, { name: 'Last' }]
  await createdBy('/json/2/res.partner/create', { vals_list: vals })
  const overview = async () =>
    (await createdBy('/json/2/comptoir.webhook/overview', {})) as { state: string; reason: unknown }[]
  await until(
    async () =>
      [long, short].every((endpoint) => came(endpoint).length >= vals.length) ||
      (await overview()).some(({ state }) => state !== 'active'),
    'all have come, or an endpoint is off',
  )
  assert.deepEqual(
    (await overview()).map(({ state, reason }) => [state, reason]),
    [
      ['active', false],
      ['active', false],
    ],
  )
  assert.deepEqual(
    came(short).map(({ values }) => values?.name),
    vals.map((value) => value.name),
  )
  assert.deepEqual(
    came(long).map(({ values, truncated }) => (truncated ? 'truncated' : values?.name)),
    ['First', ...Array<string>(LONG).fill('truncated'), 'Last'],
  )
})
