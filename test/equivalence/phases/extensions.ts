// Requests beyond the documented API: batches, upsert, typed values, pages by cursor, idempotency keys, dry
// runs, counts, versions, rows, the feed of changes.
import { Random } from '../../fuzz/random.ts'
import { type Client, clientOf } from '../client.ts'
import type { Phase } from '../phase.ts'

const ROUNDS = 12
const FIELDS = ['name', 'email', 'color', 'category_id', 'parent_id', 'is_company', 'create_date', 'comment']

/** The calls of a client in one round; the name makes records of their own. */
type Part = (client: Client, random: Random, name: string) => Promise<void>

export const extensions: Phase = {
  name: 'extensions',
  about: 'batches, upsert, typed values, cursors, idempotency keys, dry runs, the feed',
  ids: 'exact',
  repeats: true,
  async play(side, { seed, share, round }) {
    const client = await clientOf(side, { lane: 0 })
    const random = new Random(seed * 31_337 + round)
    for (let n = 0; n < Math.ceil(ROUNDS * share); n++)
      for (const part of parts) await part(client, random, `x${round}-${n}`)
  },
}

const create = (name: string, more: object = {}) => ({ vals_list: [{ name, ...more }] })

const batches: Part = async (client, random, name) => {
  const calls = [
    { id: 'one', model: 'res.partner', method: 'create', body: create(`${name} one`) },
    {
      id: 'two',
      model: 'res.partner',
      method: 'create',
      body: create(`${name} two`, { category_id: [[0, 0, { name: `${name} tag` }]] }),
    },
    {
      model: 'res.partner',
      method: 'write',
      body: { ids: { $ref: '/one' }, vals: { color: random.below(9) } },
    },
    { model: 'res.partner', method: 'read', body: { ids: { $ref: '/two' }, fields: FIELDS } },
    { model: 'res.partner', method: 'search_count', body: { domain: [['name', 'like', name]] } },
  ]
  await client.post('/x/1/batch', { calls })
  const wrong = { model: 'res.partner', method: 'write', body: { ids: [1], vals: { parent_id: 99_999_999 } } }
  await client.post('/x/1/batch', { calls: [...calls, wrong] })
  await client.post('/x/1/batch', { calls: [...calls.slice(0, 2), wrong, ...calls.slice(3)], atomic: false })
}

const upserts: Part = async (client, random, name) => {
  const rows = Array.from({ length: 5 }, (_, i) => ({
    external_id: `erp.${name}_${i}`.replaceAll('-', '_'),
    name: `${name} upsert ${i}`,
    color: i,
  }))
  await client.call('res.partner/upsert', { key: 'external_id', vals_list: rows })
  await client.call('res.partner/upsert', { key: 'external_id', vals_list: rows })
  const changed = rows.map((row) => (random.chance(0.5) ? { ...row, color: 9 } : row))
  await client.call('res.partner/upsert', { key: ['external_id'], vals_list: [...changed, { color: 'red' }] })
}

const typed: Part = async (client, random) => {
  const domain = [['color', '>=', random.below(5)]]
  for (const prefer of [
    'values=typed',
    'values=typed, timezone="Europe/Brussels"',
    'values=typed, decimal=string',
  ]) {
    const headers = { prefer }
    await client.call('res.partner/search_read', { domain, fields: FIELDS, limit: 20 }, { headers })
    await client.call('product.product/search_read', { domain: [], limit: 5 }, { headers })
  }
}

const pages: Part = async (client, random) => {
  const order = random.pick(['id', 'name', 'color desc, id', 'create_date desc, name'])
  const query = { domain: [], fields: ['name', 'color'], order, limit: 1 + random.below(30) }
  const headers: Record<string, string> = { prefer: 'paging=keyset, count=exact' }
  let cursor: string | undefined
  for (let page = 0; page < 4; page++) {
    const answer = await client.call('res.partner/search_read', query, {
      headers: cursor ? { ...headers, cursor } : headers,
    })
    cursor = answer.headers['next-cursor']
    if (!cursor) return
  }
}

const idempotency: Part = async (client, _random, name) => {
  const headers = { 'idempotency-key': `"${name}"` }
  await client.call('res.partner/create', create(`${name} once`), { headers })
  await client.call('res.partner/create', create(`${name} once`), { headers })
  await client.call('res.partner/create', create(`${name} other`), { headers })
}

const dryRuns: Part = async (client, random, name) => {
  const headers = { prefer: 'tx=rollback' }
  await client.call('res.partner/create', create(`${name} dry`), { headers })
  await client.call('res.partner/write', { ids: [1], vals: { color: random.below(9) } }, { headers })
  await client.call('res.partner/write', { ids: [1], vals: { parent_id: 99_999_999 } }, { headers })
  await client.call('res.partner/search_count', { domain: [['name', 'like', name]] })
}

const changes: Part = async (client, random, name) => {
  const question = { models: { 'res.partner': { fields: ['name', 'color'] } } }
  const now = await client.post('/x/1/changes', { ...question, from: 'now' })
  const { cursor } = now.body as { cursor: string }
  const creation = await client.call('res.partner/create', create(`${name} followed`))
  const ids = creation.body as number[]
  await client.call('res.partner/write', { ids, vals: { color: random.below(9) } })
  if (random.chance(0.3)) await client.call('res.partner/unlink', { ids })
  await client.post('/x/1/changes', { ...question, cursor })
  await client.post('/x/1/changes', { ...question, cursor, compact: false })
}

const counts: Part = async (client, random) => {
  const headers = {
    prefer: random.pick(['count=exact', 'count=estimated', 'return=minimal', 'handling=strict']),
  }
  await client.call('res.partner/search_read', { domain: [], fields: ['name'], limit: 3 }, { headers })
}

const parts: readonly Part[] = [batches, upserts, typed, pages, idempotency, dryRuns, changes, counts]
