// The server that calls which only read may go to: whether it follows the one that takes writes, and how
// soon.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Databases } from '../../databases/index.ts'
import { Connection, forMaintenance, ofReplica, POSITION, positionOf, SYSTEM } from '../../postgres/index.ts'
import { assess, type Finding, sizeForPeople } from './finding.ts'

/** Milliseconds that it may take to follow, and between two looks. */
const PATIENCE = 2000
const LOOK = 5

const SETTINGS = `SELECT current_setting('hot_standby_feedback'), current_setting('max_standby_streaming_delay')`

/** Whether replay is paused, and whether the log comes: a process receives it, or a command brings it. */
const REPLAY = `SELECT pg_is_wal_replay_paused(), EXISTS (SELECT FROM pg_stat_wal_receiver) OR current_setting('restore_command') <> ''`

/** Checks the replica; no findings without one. */
export async function replica({ replica }: Databases, primary: Connection): Promise<Finding[]> {
  if (!replica) return []
  let connection: Connection
  try {
    connection = await Connection.connect(forMaintenance({ url: ofReplica(replica.url) }))
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    const change = 'Check --replica-url; until then all calls go to the primary server.'
    return [assess('replica', `it cannot be used: ${why}`, [true, 'wrong', change])]
  }
  try {
    const [ours, theirs] = await Promise.all([systemOf(primary), systemOf(connection)])
    if (ours !== theirs) {
      const change = '--replica-url must be a replica of the server of --database-url.'
      return [assess('replica', 'it is a replica of another server', [true, 'wrong', change])]
    }
    return [await pace(primary, connection), await settings(connection)]
  } finally {
    connection.destroy()
  }
}

/** Whether it follows, and if not whether someone halted it, or nothing arrives there. */
async function pace(primary: Connection, follower: Connection): Promise<Finding> {
  const { lag, ms } = await following(primary, follower)
  if (lag === 0) return assess('replica', `it followed within ${Math.round(ms)} ms`)
  const [row] = await follower.query(REPLAY)
  const [isPaused, isFed] = row ?? []
  const state = `it lacks ${sizeForPeople(lag)} of the log and did not get them within ${PATIENCE / 1000} s`
  const meanwhile = 'Until then the primary server answers in its place.'
  return assess(
    'replica',
    isPaused ? `${state}: its replay is paused` : isFed ? state : `${state}: it receives nothing`,
    [isPaused === true, 'wrong', `Run SELECT pg_wal_replay_resume() there. ${meanwhile}`],
    [
      isFed !== true,
      'wrong',
      `Check primary_conninfo there, its log, and pg_hba.conf of the primary server. ${meanwhile}`,
    ],
    [true, 'advice', `Look for long reads, slow disks and a slow network there. ${meanwhile}`],
  )
}

async function systemOf(connection: Connection): Promise<unknown> {
  return (await connection.query(`SELECT ${SYSTEM}`))[0]?.[0]
}

/**
 * Milliseconds until the replica reaches the primary's position, and the bytes that it lacks when that takes
 * too long.
 */
async function following(primary: Connection, follower: Connection) {
  const [row] = await primary.query(`SELECT ${POSITION}`)
  const [aim, began] = [positionOf(row?.[0]), performance.now()]
  for (;;) {
    const [seen] = await follower.query('SELECT pg_last_wal_replay_lsn()::text')
    const lag = Math.max(0, aim - positionOf(seen?.[0]))
    const ms = performance.now() - began
    if (lag === 0 || ms > PATIENCE) return { lag, ms }
    await sleep(LOOK)
  }
}

async function settings(connection: Connection): Promise<Finding> {
  const [row] = await connection.query(SETTINGS)
  const [feedback, delay] = (row ?? []) as [string, string]
  return assess('hot_standby_feedback', `${feedback}; max_standby_streaming_delay ${delay}`, [
    feedback === 'off',
    'advice',
    'Set hot_standby_feedback = on for the replica: long reads are ended there when the primary server tidies up, and are done again on that one.',
  ])
}
