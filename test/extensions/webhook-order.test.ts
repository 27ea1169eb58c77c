// Webhooks about one record are sent in order, also if changes are read while one of them fails; waiting
// deliveries cost nothing.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Connection } from '../../src/postgres/index.ts'
import { type Due, due, postponeLater, releaseFirst } from '../../src/services/webhooks/due-deliveries.ts'
import { Random } from '../fuzz/random.ts'
import { base, type Hooked, hookedOptions, openHooked } from '../support/hooked.ts'
import { openOthers } from '../support/nodes.ts'
import { until } from '../support/receiver.ts'

let hooked: Hooked
let sql: Connection
before(async () => {
  hooked = await openHooked()
  sql = await Connection.connect({ ...hooked.nodes.databases.address, database: 'test' })
})
after(async () => {
  await sql?.close()
  await hooked?.close()
})

const count = async (question: string) => Number((await sql.query(question))[0]?.[0])
const waiting = (condition: string) =>
  count(`SELECT count(*) FROM comptoir_webhook_delivery WHERE state = 'waiting' AND ${condition}`)

const ids = async (condition: string) =>
  (await sql.query(`SELECT id FROM comptoir_webhook_delivery WHERE ${condition} ORDER BY id`)).map(
    ([id]) => id,
  )

/**
 * Lets the process that reads changes build their deliveries, and blocks it
 * before its COMMIT.
 */
async function whileTakenUp(write: () => Promise<unknown>): Promise<() => Promise<unknown>> {
  await sql.query('BEGIN')
  await sql.query('LOCK TABLE comptoir_webhook_position IN SHARE MODE')
  await write()
  const held =
    "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'comptoir_webhook_position'::regclass"
  await until(async () => (await count(held)) > 0, 'it is being taken up')
  return () => sql.query('COMMIT')
}

test('webhooks: a delivery that started while the one before it failed is still sent after it', async () => {
  const { nodes, hook } = hooked
  const register = { url: hook.url, events: ['res.partner.updated'] }
  const endpoint = (await nodes.post('/x/1/webhooks', register)).body as { id: number }
  const { body } = await nodes.call('res.partner/create', { vals_list: [{ name: 'Ann' }] })
  const write = async (comment: string) => {
    const written = await nodes.call('res.partner/write', { ids: body, vals: { comment } })
    assert.equal(written.status, 200)
  }
  const failing = Promise.withResolvers<void>()
  hook.answer = async (_received, response) => {
    await failing.promise
    response.writeHead(500).end()
  }
  await write('first')
  await until(() => hook.got.length === 1, 'the first is under way')
  const release = await whileTakenUp(() => write('second'))
  failing.resolve()
  const rests = "attempts = 1 AND next_at > now() AT TIME ZONE 'UTC'"
  await until(async () => (await waiting(rests)) === 1, 'the first failed')
  await release()
  await write('third')
  await until(async () => (await waiting('TRUE')) === 3, 'all wait')
  assert.equal(hook.got.length, 1)
  hook.answer = (_received, response) => response.writeHead(200).end()
  const left = 'SELECT count(*) FROM comptoir_webhook_lease WHERE until <= now()'
  await until(async () => (await count(left)) === 1, 'no process is sending')
  // Their time has come; which comes before which stays as it was.
  await sql.query("UPDATE comptoir_webhook_delivery SET next_at = next_at - interval '1 hour'")
  await until(async () => (await waiting('TRUE')) === 0, 'all were sent')
  const sequences = hook.got.map(({ body: { sequence } }) => Number(sequence))
  assert.deepEqual(
    sequences,
    sequences.toSorted((a, b) => a - b),
  )
  await nodes.call('comptoir.webhook/unlink', { ids: [endpoint.id] })
})

/** Number of times that endpoints were released during `act`. */
const countReleases = async (act: () => Promise<void>) => {
  await sql.query('CREATE TABLE released (at timestamptz DEFAULT clock_timestamp())')
  await sql.query(
    `CREATE FUNCTION note_release() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO released DEFAULT VALUES; RETURN NULL; END'`,
  )
  await sql.query(
    `CREATE TRIGGER note_release AFTER UPDATE ON comptoir_webhook_lease FOR EACH ROW WHEN (new.until = '-infinity') EXECUTE FUNCTION note_release()`,
  )
  try {
    await act()
    return await count('SELECT count(*) FROM released')
  } finally {
    await sql.query('DROP TABLE released CASCADE')
    await sql.query('DROP FUNCTION note_release() CASCADE')
  }
}

test('webhooks: an ordered endpoint whose first delivery is not due is not polled', async () => {
  const { nodes, hook } = hooked
  const register = { url: hook.url, events: ['res.partner.created'], ordered: true }
  const endpoint = (await nodes.post('/x/1/webhooks', register)).body as { id: number }
  hook.answer = (_received, response) => response.writeHead(500).end()
  const create = (name: string) => nodes.call('res.partner/create', { vals_list: [{ name }] })
  await create('First')
  await until(async () => (await waiting('attempts = 1')) === 1, 'the first failed')
  await sql.query("UPDATE comptoir_webhook_delivery SET next_at = 'infinity' WHERE state = 'waiting'")
  await create('Second')
  await until(async () => (await waiting('attempts = 0')) === 1, 'the second waits behind it')
  const times = await countReleases(() => new Promise((resolve) => setTimeout(resolve, 2500)))
  assert.ok(times <= 4, `released ${times} times`)
  hook.answer = (_received, response) => response.writeHead(200).end()
  await sql.query("UPDATE comptoir_webhook_delivery SET next_at = '-infinity' WHERE state = 'waiting'")
  await until(async () => (await waiting('TRUE')) === 0, 'both were sent')
  await nodes.call('comptoir.webhook/unlink', { ids: [endpoint.id] })
})

test('webhooks: deliveries that waited for a cancelled one are released', async () => {
  const { nodes, hook } = hooked
  const register = { url: hook.url, events: ['res.partner.*'] }
  const endpoint = (await nodes.post('/x/1/webhooks', register)).body as { id: number }
  hook.answer = (_received, response) => response.writeHead(500).end()
  const { body } = await nodes.call('res.partner/create', { vals_list: [{ name: 'Ann' }] })
  await until(async () => (await waiting('attempts = 1')) === 1, 'the first failed')
  await sql.query("UPDATE comptoir_webhook_delivery SET next_at = 'infinity' WHERE state = 'waiting'")
  await nodes.call('res.partner/write', { ids: body, vals: { comment: 'second' } })
  await until(async () => (await waiting("next_at = 'infinity'")) === 2, 'the second waits as long')
  hook.answer = (_received, response) => response.writeHead(200).end()
  const first = await count("SELECT min(id) FROM comptoir_webhook_delivery WHERE state = 'waiting'")
  assert.equal((await nodes.call('comptoir.webhook.delivery/cancel', { ids: [first] })).body, true)
  await until(async () => (await waiting('TRUE')) === 0, 'the second was sent')
  await nodes.call('comptoir.webhook/unlink', { ids: [endpoint.id] })
})

/** Another process that sends webhooks. It starts with the cleanup of the database. */
async function another(): Promise<() => Promise<void>> {
  const { servers, close } = await openOthers(hooked.nodes, base, 2, hookedOptions)
  await servers[0]?.resumeJobs()
  return close
}

for (const ending of ['cancel', 'retry'])
  test(`webhooks: a delivery that started after one that ended meanwhile (${ending}) is sent by the next cleanup`, async () => {
    const { nodes, hook } = hooked
    const register = { url: hook.url, events: ['res.partner.*'] }
    const endpoint = (await nodes.post('/x/1/webhooks', register)).body as { id: number }
    hook.answer = (_received, response) => response.writeHead(500).end()
    const { body } = await nodes.call('res.partner/create', { vals_list: [{ name: 'Ann' }] })
    await until(async () => (await waiting('attempts = 1')) === 1, 'the first failed')
    const left = 'SELECT count(*) FROM comptoir_webhook_lease WHERE until <= now()'
    await until(async () => (await count(left)) === 1, 'no process is sending')
    await sql.query(
      `UPDATE comptoir_webhook_delivery SET next_at = now() AT TIME ZONE 'UTC' + interval '9 hours' WHERE state = 'waiting'`,
    )
    hook.answer = (_received, response) => response.writeHead(200).end()
    // Manual retries are sent by a process that cannot take up changes meanwhile.
    const closeSender = await another()
    const release = await whileTakenUp(() =>
      nodes.call('res.partner/write', { ids: body, vals: { comment: 'second' } }),
    )
    const first = await count("SELECT id FROM comptoir_webhook_delivery WHERE state = 'waiting'")
    assert.equal((await nodes.call(`comptoir.webhook.delivery/${ending}`, { ids: [first] })).body, true)
    await until(async () => (await waiting('TRUE')) === 0, 'the first ended')
    const before = hook.got.length
    await release()
    const taken = `SELECT count(*) FROM comptoir_webhook_delivery WHERE id > ${first} AND webhook_id = ${endpoint.id}`
    await until(async () => (await count(taken)) === 1, 'the second was taken up')
    const closeOther = await another()
    await until(async () => (await waiting('TRUE')) === 0, 'the second was sent')
    assert.equal(hook.got.length, before + 1)
    await closeSender()
    await closeOther()
    await nodes.call('comptoir.webhook/unlink', { ids: [endpoint.id] })
  })

test('webhooks: upkeep makes the first untried delivery of each record due, and leaves the rest', async () => {
  const random = new Random(23)
  await sql.query(
    `INSERT INTO comptoir_webhook (url, user_id, state) VALUES ('https://example.com', 2, 'paused'), ('https://example.com', 2, 'paused')`,
  )
  const last = await count('SELECT max(id) FROM comptoir_webhook')
  for (let round = 0; round < 20; round++) {
    await sql.query('DELETE FROM comptoir_webhook_delivery')
    await sql.query(
      `INSERT INTO comptoir_webhook_delivery (webhook_id, user_id, event, type, res_model, res_id, body, state, attempts, created, next_at)
      SELECT webhook, 2, 'evt_1_0_' || record, 'updated', 'res.partner', record, '', state, attempts, now(), '2999-01-01'::timestamp + place * interval '1 hour'
      FROM ROWS FROM (jsonb_to_recordset($1::jsonb) AS (webhook int, record int, state text, attempts int)) WITH ORDINALITY AS x(webhook, record, state, attempts, place) ORDER BY place`,
      [
        JSON.stringify(
          Array.from({ length: 40 }, () => ({
            webhook: last - random.below(2),
            record: random.below(6),
            state: ['waiting', 'waiting', 'cancelled', 'done', 'dead'][random.below(5)],
            attempts: random.below(2),
          })),
        ),
      ],
    )
    const first = `SELECT min(id) FROM comptoir_webhook_delivery WHERE state = 'waiting' GROUP BY webhook_id, res_id`
    const expected = await ids(`attempts = 0 AND id IN (${first})`)
    await sql.query(releaseFirst.compile().text)
    assert.deepEqual(await ids("next_at <= now() AT TIME ZONE 'UTC'"), expected)
  }
  await sql.query('DELETE FROM comptoir_webhook WHERE id >= $1', [last - 1])
})

test('webhooks: at any times, deliveries of a record are due in order', async () => {
  const random = new Random(22)
  await sql.query(
    `INSERT INTO comptoir_webhook (url, user_id, state) VALUES ('https://example.com', 2, 'paused')`,
  )
  const id = await count('SELECT max(id) FROM comptoir_webhook')
  const dueDeliveries = async (most: number, taken: readonly Due[] = []) => {
    const { text, values } = due(id, most, taken).compile()
    return (await sql.query(text, values)).map((row) => JSON.parse(row[0] as string) as Due)
  }
  let held = 0
  for (let round = 0; round < 60; round++) {
    await sql.query('DELETE FROM comptoir_webhook_delivery')
    const all = Array.from({ length: 1 + random.below(40) }, () => ({
      record: random.below(6),
      hours: random.below(9) - 6,
      state: random.below(4) ? 'waiting' : 'done',
    }))
    await sql.query(
      `INSERT INTO comptoir_webhook_delivery (webhook_id, user_id, event, type, res_model, res_id, body, state, attempts, created, next_at)
      SELECT $1::int, 2, 'evt_1_0_' || record, 'updated', CASE WHEN record > 0 THEN 'res.partner' END, NULLIF(record, 0), '', state, 0, now(), now() AT TIME ZONE 'UTC' + hours * interval '1 hour'
      FROM ROWS FROM (jsonb_to_recordset($2::jsonb) AS (record int, hours int, state text)) WITH ORDINALITY AS x(record, hours, state, place) ORDER BY place`,
      [id, JSON.stringify(all)],
    )
    const before = (await sql.query(
      'SELECT id, res_id FROM comptoir_webhook_delivery WHERE state = $1 ORDER BY id',
      ['waiting'],
    )) as [number, number | null][]
    const most = 1 + random.below(20)
    const seen = await dueDeliveries(most)
    const dues = seen.filter(({ isDue }) => isDue)
    for (const [record, group] of Map.groupBy(seen, (delivery) => delivery.record)) {
      if (record === null) continue
      const first = before
        .filter(([, other]) => other === record)
        .slice(0, group.length)
        .map(([id]) => id)
      // The first ones, all of them; what is not due is the last.
      assert.deepEqual(
        group.map((delivery) => delivery.id).toSorted((a, b) => a - b),
        first,
      )
      for (const delivery of group) assert.ok(delivery.isDue || delivery.id === first.at(-1))
    }
    // A record that is held back delays deliveries of other records by one statement at most.
    const holders = seen.filter(({ isDue }) => !isDue)
    held += holders.length
    const { text, values } = postponeLater(id, holders).compile()
    await sql.query(text, values)
    const heads = `SELECT DISTINCT ON (res_id) id, next_at FROM comptoir_webhook_delivery WHERE state = 'waiting' AND res_id IS NOT NULL ORDER BY res_id, id`
    const open = (
      await sql.query(`SELECT id FROM (${heads}) h WHERE next_at <= now() AT TIME ZONE 'UTC'`)
    ).map(([id]) => id)
    const later = await dueDeliveries(50)
    for (const id of open) assert.ok(later.some((delivery) => delivery.id === id && delivery.isDue))
    const others = await dueDeliveries(50, dues)
    for (const other of others)
      assert.ok(
        !dues.some(
          ({ id: dueId, record }) => dueId === other.id || (record !== null && record === other.record),
        ),
      )
  }
  assert.ok(held > 10)
  await sql.query('DELETE FROM comptoir_webhook WHERE id = $1', [id])
})

test('webhooks: deliveries that may not be sent any more are cancelled together, and do not delay others', async () => {
  const { nodes, hook } = hooked
  const register = { url: hook.url, events: ['res.partner.created'] }
  const endpoint = (await nodes.post('/x/1/webhooks', register)).body as { id: number }
  hook.answer = (_received, response) => response.writeHead(200).end()
  const before = hook.got.length
  // Of a model that is no longer there, before what is due now; as many as would be looked up in sixty goes.
  await sql.query(
    `INSERT INTO comptoir_webhook_delivery (webhook_id, user_id, event, type, res_model, res_id, body, state, attempts, created, next_at)
    SELECT $1::int, 2, 'evt_1_0_' || n, 'created', 'no.model', n, '{}', 'waiting', 0, now(), '2000-01-01' FROM generate_series(1, 240) AS n`,
    [endpoint.id],
  )
  const times = await countReleases(async () => {
    await nodes.call('res.partner/create', { vals_list: [{ name: 'Ann' }] })
    await until(async () => (await waiting('TRUE')) === 0, 'all were sent or cancelled')
    const left = 'SELECT count(*) FROM comptoir_webhook_lease WHERE until > now()'
    await until(async () => (await count(left)) === 0, 'no process is sending')
  })
  const cancelled = `SELECT count(*) FROM comptoir_webhook_delivery WHERE state = 'cancelled' AND res_model = 'no.model'`
  assert.deepEqual([await count(cancelled), hook.got.length - before], [240, 1])
  assert.ok(times <= 6, `released ${times} times`)
  await nodes.call('comptoir.webhook/unlink', { ids: [endpoint.id] })
})
