// The line to PostgreSQL: how long it takes there and back, how long a commit takes, and whether both clocks
// agree.
import { setTimeout as sleep } from 'node:timers/promises'
import { type Admin, type Connection, sqlState } from '../../postgres/index.ts'
import { assess, type Finding } from './finding.ts'

const ROUNDS = 15
/** Milliseconds until a commit, or a notification, times out. */
const PATIENCE = 5000

const median = (values: readonly number[]) => [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0
const shown = (ms: number) => `${ms < 10 ? ms.toFixed(2) : ms.toFixed(0)} ms`

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}

/** There and back; the first few make connection and plans ready. */
export async function latency(connection: Connection): Promise<Finding> {
  const times: number[] = []
  for (let i = 0; i < ROUNDS; i++) times.push(await timed(() => connection.query('SELECT 1')))
  const half = median(times)
  return assess(
    'latency',
    `${shown(half)} there and back`,
    [half > 10, 'wrong', 'Run the nodes close to PostgreSQL: a call needs two to five round trips.'],
    [half > 2, 'advice', 'Nodes in the same building as PostgreSQL answer several times faster.'],
  )
}

/** A commit that PostgreSQL has to keep: its disk, and a standby server that it waits for. */
export async function commits(connection: Connection): Promise<Finding> {
  const times: number[] = []
  const timer = setTimeout(() => connection.cut(), PATIENCE)
  try {
    for (let i = 0; i < 5; i++)
      times.push(
        await timed(() =>
          connection.query("SELECT pg_logical_emit_message(true, 'comptoir', 'doctor')::text"),
        ),
      )
  } catch (error) {
    if (sqlState(error) !== undefined)
      return assess('commit', 'not measured: the role lacks the right, or the server does not accept writes')
    return assess('commit', `no answer in ${PATIENCE / 1000} s`, [
      true,
      'wrong',
      'PostgreSQL waits for a standby server that is not connected: restore it, or remove it from synchronous_standby_names.',
    ])
  } finally {
    clearTimeout(timer)
  }
  const half = median(times)
  return assess('commit', `${shown(half)} to commit`, [
    half > 20,
    'advice',
    'Every commit takes that long: a disk with a power-safe cache (SSD with a capacitor) takes under 2 ms.',
  ])
}

/** Scheduled actions, sessions and the end of keys go by PostgreSQL's clock, the log by this machine's. */
export async function clocks(connection: Connection): Promise<Finding> {
  let best = { away: Number.POSITIVE_INFINITY, trip: Number.POSITIVE_INFINITY }
  for (let i = 0; i < 5; i++) {
    const [began, sentAt] = [performance.now(), Date.now()]
    const [row] = await connection.query('SELECT extract(epoch FROM clock_timestamp())::float8 * 1000')
    const trip = performance.now() - began
    if (trip < best.trip) best = { trip, away: Number(row?.[0]) - sentAt - trip / 2 }
  }
  const away = Math.abs(best.away)
  const change = 'Synchronize both clocks with NTP: times in the log and in PostgreSQL differ.'
  return assess(
    'clocks',
    away < 50 ? 'both clocks agree' : `${shown(away)} apart`,
    [away > 30_000, 'wrong', change],
    [away > 1000, 'advice', change],
  )
}

/** Whether notifications arrive: nodes announce changes of the databases to each other by them. */
export async function notifications(admin: Admin): Promise<Finding> {
  const notified = Promise.withResolvers<boolean>()
  const channel = `comptoir_doctor_${process.pid}`
  const connection = await admin.listen(channel, () => notified.resolve(true))
  try {
    await admin.notify(channel, '')
    const isNotified = await Promise.race([notified.promise, sleep(PATIENCE, false, { ref: false })])
    return assess('notifications', isNotified ? 'nodes receive notifications' : 'no notification arrived', [
      !isNotified,
      'wrong',
      'Set --direct-url: a pooler drops the notifications between nodes.',
    ])
  } finally {
    await connection.close()
  }
}
