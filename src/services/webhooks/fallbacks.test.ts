// Fallbacks where deliveries cannot be created all at once: recipients, and the number of attempts.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { InvalidValue, PayloadTooLarge, ServiceUnavailable } from '../../errors.ts'
import type { Environment } from '../../models/language/environment.ts'
import type { Sql } from '../../sql/index.ts'
import type { Item } from '../changes/rows.ts'
import { type Making, withFallbacks } from './fallbacks.ts'
import type { Endpoint, NewDelivery } from './rows.ts'

const items = Array.from({ length: 500 }, (_, id) => ({ id }) as unknown as Item)
const endpoints = [1, 2, 3].map((id) => ({ id }) as unknown as Endpoint)
const facts = { times: new Map<number, string>(), name: 'test' }

interface Outcome {
  /** Endpoint → records that it is notified of, in order. */
  readonly delivered: ReadonlyMap<number, readonly number[]>
  /** Endpoint → records that it is notified of without values. */
  readonly thin: ReadonlyMap<number, readonly number[]>
  readonly disabled: readonly unknown[]
  readonly attempts: number
}

/** Outcome of two portions whose deliveries fail as `fail` says. */
async function outcomeOf(fail: (who: number[], ids: number[], thin: boolean) => unknown): Promise<Outcome> {
  let attempts = 0
  const disabled: unknown[] = []
  const make: Making = async (_, to, some, { thin = false }) => {
    attempts++
    const ids = some.map(({ id }) => id)
    const error = fail(
      to.map(({ id }) => id),
      ids,
      thin,
    )
    if (error) throw error
    return to.flatMap(({ id }) =>
      ids.map((record) => ({ webhook: id, record, body: thin ? 'thin' : '' }) as unknown as NewDelivery),
    )
  }
  const unit = {
    savepoint: <T>(work: () => Promise<T>) => work(),
    send: (statement: Sql) =>
      void disabled.push(statement.compile().values.find((value) => typeof value === 'number')),
  }
  const making = withFallbacks(make)
  const deliveries: NewDelivery[] = []
  for (const portion of [items.slice(0, 250), items.slice(250)])
    deliveries.push(...(await making({ unit } as unknown as Environment, endpoints, portion, facts)))
  const idsOf = (some: readonly NewDelivery[]) =>
    new Map(
      [...Map.groupBy(some, ({ webhook }) => webhook)].map(([id, of]) => [
        id,
        of.map((delivery) => delivery.record),
      ]),
    )
  return {
    delivered: idsOf(deliveries),
    thin: idsOf(deliveries.filter(({ body }) => body === 'thin')),
    disabled,
    attempts,
  }
}

const everything = items.map(({ id }) => id)
const late = () =>
  Object.assign(new pg.DatabaseError('canceling statement due to statement timeout', 1, 'error'), {
    code: '57014',
  })

test('what is too long together is made in parts; what is too long by itself goes without its values', async () => {
  const { delivered, thin, disabled, attempts } = await outcomeOf((who, ids, isThin) =>
    ids.length > 20 || (!isThin && who.includes(2) && ids.includes(300))
      ? new PayloadTooLarge('Too long.')
      : null,
  )
  assert.deepEqual(
    [...delivered],
    [1, 2, 3].map((id) => [id, everything]),
  )
  assert.deepEqual([...thin], [[2, [300]]])
  assert.deepEqual(disabled, [])
  assert.ok(attempts < 100, `${attempts} attempts`)
})

test('what takes too long goes without values too, a few changes at a time', async () => {
  const { delivered, thin, disabled } = await outcomeOf((who, ids, isThin) =>
    who.includes(2) && (!isThin || ids.length > 10) ? late() : null,
  )
  assert.deepEqual(
    [...delivered].sort(),
    [1, 2, 3].map((id) => [id, everything]),
  )
  assert.deepEqual([...thin], [[2, everything]])
  assert.deepEqual(disabled, [])
})

test('an endpoint that always takes too long is disabled after few attempts, and once', async () => {
  let spent = 0
  const { delivered, disabled } = await outcomeOf((who) => {
    if (!who.includes(2)) return null
    spent++
    return late()
  })
  assert.deepEqual(
    [...delivered].sort(),
    [1, 3].map((id) => [id, everything]),
  )
  assert.deepEqual(disabled, [2])
  assert.equal(spent, 3)
})

test('one that nothing can be made for is disabled, and no other', async () => {
  const { delivered, disabled, attempts } = await outcomeOf((who) =>
    who.includes(3) ? new InvalidValue('There is no such field.') : null,
  )
  assert.deepEqual(
    [...delivered],
    [1, 2].map((id) => [id, everything]),
  )
  assert.deepEqual(disabled, [3])
  assert.equal(attempts, 5)
})

test('webhooks: a temporary lack of disk or time disables no endpoint', async () => {
  const full = Object.assign(new pg.DatabaseError('could not extend file', 1, 'error'), { code: '53100' })
  await assert.rejects(
    outcomeOf(() => full),
    pg.DatabaseError,
  )
  await assert.rejects(
    outcomeOf(() => new ServiceUnavailable('Others make large answers.')),
    ServiceUnavailable,
  )
})
