// Working time: counts, plans, times off, two weeks, changes of the clock.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Office, openOffice } from '../../../test/support/office.ts'
import { afterDays, afterHours, weekTypeOf, workBetween } from './hours.ts'

type Row = Readonly<Record<string, unknown>>

let shop: Office<'clerk'>
before(async () => {
  shop = await openOffice(['resource'], { clerk: [] })
})
after(() => shop?.close())

async function ask<T = unknown>(path: string, body: object, person: 'admin' | 'clerk' = 'admin'): Promise<T> {
  const { status, body: answer } = await shop.call(person, path, body)
  assert.equal(status, 200, `${path}: ${JSON.stringify(answer)}`)
  return answer as T
}
const make = async (model: string, vals: object) =>
  (await ask<number[]>(`${model}/create`, { vals_list: [vals] }))[0] as number

/** Monday, 2 March 2026; Brussels is UTC+1 until 29 March. */
const WEEK = { start_dt: '2026-03-02 00:00:00', end_dt: '2026-03-09 00:00:00' }

test('resource.calendar: a new one has forty hours a week, less the times off of all', async () => {
  const id = await make('resource.calendar', { name: 'Shop', tz: 'Europe/Brussels' })
  const ids = [id]
  const [row] = await ask<Row[]>('resource.calendar/read', {
    ids,
    fields: ['hours_per_day', 'hours_per_week'],
  })
  assert.deepEqual([row?.hours_per_day, row?.hours_per_week], [8, 40])
  const count = (more = {}) =>
    ask('resource.calendar/get_work_hours_count', { ids, ...WEEK, ...more }, 'clerk')
  assert.equal(await count(), 40)
  const off = { calendar_id: id, date_from: '2026-03-03 07:00:00', date_to: '2026-03-03 11:00:00' }
  const leave = await make('resource.calendar.leaves', off)
  assert.equal(await count(), 36)
  assert.equal(await count({ compute_leaves: false }), 40)
  assert.equal(await count({ domain: [['time_type', '=', 'other']] }), 40)
  const span = { from_datetime: '2026-03-03 00:00:00', to_datetime: '2026-03-04 00:00:00' }
  assert.deepEqual(await ask('resource.calendar/get_work_duration_data', { ids, ...span }), {
    hours: 4,
    days: 0.5,
  })
  const plan = { ids, day_dt: '2026-03-06 14:00:00' }
  assert.equal(await ask('resource.calendar/plan_hours', { ...plan, hours: 4 }), '2026-03-09 09:00:00')
  assert.equal(await ask('resource.calendar/plan_hours', { ...plan, hours: -8 }), '2026-03-05 14:00:00')
  assert.equal(await ask('resource.calendar/plan_days', { ...plan, days: 2 }), '2026-03-09 16:00:00')
  const { status } = await shop.call('admin', 'resource.calendar.leaves/write', {
    ids: [leave],
    vals: { date_to: '2026-03-01 00:00:00' },
  })
  assert.equal(status, 422)
})

test('resource.calendar: two weeks of the same spans count as one, and differ once the second is changed', async () => {
  const id = await make('resource.calendar', { name: 'Turns', tz: 'UTC' })
  const ids = [id]
  await ask('resource.calendar/switch_calendar_type', { ids })
  const second = await ask<number[]>('resource.calendar.attendance/search', {
    domain: [
      ['calendar_id', '=', id],
      ['week_type', '=', '1'],
    ],
  })
  assert.equal(second.length, 15)
  const count = (more = {}) => ask('resource.calendar/get_work_hours_count', { ids, ...WEEK, ...more })
  assert.equal(await count(), 40)
  await ask('resource.calendar.attendance/unlink', { ids: second })
  const next = { start_dt: '2026-03-09 00:00:00', end_dt: '2026-03-16 00:00:00' }
  assert.deepEqual([await count(), await count(next)].sort(), [0, 40])
  const type = (date: string) => ask('resource.calendar.attendance/get_week_type', { date })
  assert.notEqual(await type('2026-03-02'), await type('2026-03-09'))
})

test('resource: users read working hours, and administrators write them', async () => {
  const id = await make('resource.resource', { name: 'Oven', resource_type: 'material' })
  const [row] = await ask<Row[]>(
    'resource.resource/read',
    { ids: [id], fields: ['tz', 'time_efficiency'] },
    'clerk',
  )
  assert.deepEqual([row?.time_efficiency, typeof row?.tz], [100, 'string'])
  for (const [person, path, body] of [
    ['clerk', 'resource.resource/write', { ids: [id], vals: { name: 'x' } }],
    ['clerk', 'resource.calendar/switch_calendar_type', { ids: [1] }],
  ] as const)
    assert.equal((await shop.call(person, path, body)).status, 403, path)
  for (const [path, body] of [
    ['resource.resource/write', { ids: [id], vals: { time_efficiency: 0 } }],
    ['resource.calendar/plan_days', { ids: [1], days: 1, day_dt: 'soon' }],
    ['resource.calendar/plan_days', { ids: [1], days: 1, day_dt: '2026-02-30T00:00:00Z' }],
    ['resource.calendar.attendance/get_week_type', { date: '2026-02-30' }],
  ] as const)
    assert.equal((await shop.call('admin', path, body)).status, 422, path)
})

test('resource: hours of calendars of other companies are not for users', async () => {
  const company_id = await make('res.company', { name: 'Mill' })
  const id = await make('resource.calendar', { name: 'Mill', company_id })
  const spans = { domain: [['calendar_id', '=', id]] }
  await ask('res.users/write', { ids: [2], vals: { company_ids: [[4, company_id]] } })
  assert.ok((await ask<number[]>('resource.calendar.attendance/search', { domain: [] }, 'clerk')).length)
  assert.equal(await ask('resource.calendar.attendance/search_count', spans, 'clerk'), 0)
  const { body } = await shop.call('admin', 'resource.calendar.attendance/search_count', {
    ...spans,
    context: { allowed_company_ids: [1, company_id] },
  })
  assert.ok(Number(body) > 0)
})

test('working time: a day on which the clock changes has the hours of its spans', () => {
  const zone = 'Europe/Brussels'
  const attendances = [{ weekday: 6, from: 1, to: 5, days: 1, week: null }]
  const day = { start: Date.parse('2026-03-29T00:00:00Z'), end: Date.parse('2026-03-30T00:00:00Z') }
  // The hour from two to three does not exist.
  assert.deepEqual(workBetween({ zone, attendances, off: [] }, day), { hours: 3, days: 1 })
  assert.equal(weekTypeOf('0001-01-01'), 0)
})

test('working time: a calendar without spans ends no plan', () => {
  const none = { zone: 'UTC', attendances: [], off: [] }
  assert.equal(afterHours(none, 0, 1), null)
  assert.equal(afterDays(none, 0, -1), null)
})

test('afterDays: each time off is met once, however many there are', () => {
  let reads = 0
  const off = Array.from({ length: 1000 }, (_, i) => ({
    get start() {
      reads++
      return Date.UTC(2026, 0, 1 + 2 * i)
    },
    end: Date.UTC(2026, 0, 1 + 2 * i, 12),
  }))
  const hours = { zone: 'UTC', attendances: [{ weekday: 0, from: 8, to: 17, days: 1, week: null }], off }
  assert.equal(afterDays(hours, Date.UTC(2026, 0, 1), 200), Date.UTC(2029, 9, 29, 17))
  assert.ok(reads < 30_000, `${reads} reads`)
})

test('resource.calendar: a plan that ends after the year 9999 is false, and so many spans are refused', async () => {
  const id = await make('resource.calendar', { name: 'Late', tz: 'UTC' })
  const plan = { ids: [id], day_dt: '9999-12-31 20:00:00' }
  assert.equal(await ask('resource.calendar/plan_days', { ...plan, days: 3 }), false)
  assert.equal(await ask('resource.calendar/plan_hours', { ...plan, hours: 20 }), false)
  const spans = Array.from({ length: 201 }, (_, i) => [
    0,
    0,
    { name: 'Turn', dayofweek: `${i % 7}`, hour_from: 8, hour_to: 9 },
  ])
  const crowded = await make('resource.calendar', { name: 'Crowded', tz: 'UTC', attendance_ids: spans })
  const { status } = await shop.call('clerk', 'resource.calendar/plan_days', {
    ids: [crowded],
    day_dt: '2026-03-02 09:00:00',
    days: 3,
  })
  assert.equal(status, 413)
})
