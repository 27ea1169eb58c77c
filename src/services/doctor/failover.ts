// Checks whether acknowledged writes survive the loss of the primary server: a property of the whole set-up,
// which no single setting shows.
import type { Config } from '../../config/index.ts'
import type { Databases } from '../../databases/index.ts'
import { Connection, forMaintenance, hostsOf } from '../../postgres/index.ts'
import { assess, type Finding, findingsOf } from './finding.ts'

/**
 * Details of standby servers are shown to superusers and `pg_monitor` alone: others see that there are some.
 */
const STANDBYS = `SELECT current_setting('synchronous_standby_names'), current_setting('synchronous_commit'), count(*)::int,
  count(*) FILTER (WHERE sync_state IN ('sync', 'quorum') OR sync_state IS NULL)::int FROM pg_stat_replication`

type Standbys = [names: string, commit: string, all: number, mayConfirm: number]

type Setup = Pick<Config, 'databaseUrl' | 'replicaUrl' | 'lossyFailover'>

/** Levels of `synchronous_commit` that wait for a standby server. */
const WAITING = ['on', 'remote_write', 'remote_apply']

/** Standby servers that must confirm a commit: `ANY 2 (…)`, `FIRST 2 (…)` and `2 (…)` name a number. */
const confirmationsOf = (names: string): number =>
  Number(/^\s*(?:ANY|FIRST)?\s*(\d+)\s*\(/i.exec(names)?.[1] ?? 1)

/** Checks that acknowledged writes survive the loss of the primary server. */
export async function failover(
  connection: Connection,
  { databaseUrl, replicaUrl, lossyFailover }: Setup,
): Promise<Finding> {
  const [row] = await connection.query(STANDBYS)
  const [names, commit, all, mayConfirm] = row as Standbys
  const hosts = databaseUrl ? hostsOf(databaseUrl).urls.length : 1
  if (hosts === 1 && all === 0 && names === '')
    return assess('failover', 'no standby server: if this server is lost, only backups remain')
  if (names !== '' && WAITING.includes(commit)) {
    const needed = confirmationsOf(names)
    return assess('failover', `a standby server confirms each commit (${commit}): a failover loses nothing`, [
      mayConfirm < needed,
      'wrong',
      `Of the ${needed} synchronous standby servers that must confirm a commit ${mayConfirm} are connected, so that commits wait: bring the others back, or change synchronous_standby_names.`,
    ])
  }
  const isReplica = hosts === 1 && replicaUrl !== undefined
  return assess(
    'failover',
    `standby servers follow asynchronously: a failover loses the last acknowledged writes${lossyFailover ? ', which --lossy-failover accepts' : ''}`,
    [
      !lossyFailover,
      isReplica ? 'advice' : 'wrong',
      'Set synchronous_standby_names and synchronous_commit = on (Patroni: synchronous_mode: true), or set --lossy-failover yes if that loss is acceptable.',
    ],
  )
}

/**
 * As `failover`, when a server starts: `warn` gets the findings that need a change. A failed look is a
 * warning and ends no start; other parts of a start report that PostgreSQL is out of reach.
 */
export async function warnOfFailover(
  { address }: Databases,
  setup: Setup,
  warn: (message: string, facts: Pick<Finding, 'change'>) => void,
): Promise<void> {
  const connection = await Connection.connect(forMaintenance(address)).catch(() => null)
  if (!connection) return
  try {
    for (const { verdict, found: measured, change } of await findingsOf('failover', () =>
      failover(connection, setup),
    ))
      if (verdict !== 'good') warn(`Failover: ${measured}`, { change })
  } finally {
    connection.destroy()
  }
}
