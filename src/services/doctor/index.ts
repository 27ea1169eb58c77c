// Checks a set-up from outside to inside: the machine, the way to PostgreSQL, the server, its databases. A
// part that cannot be reached is a finding too.

import { hostname } from 'node:os'
import type { Config } from '../../config/index.ts'
import type { Cluster, Databases } from '../../databases/index.ts'
import { StartupError } from '../../errors.ts'
import { isLoopback } from '../../kit/addresses.ts'
import { messageOf } from '../../kit/caught.ts'
import { Admin, Connection, forMaintenance, hostsOf, type ServerAddress } from '../../postgres/index.ts'
import { archive } from './archive.ts'
import { clocks, commits, latency, notifications } from './connection.ts'
import { eachDatabase } from './databases.ts'
import { failover } from './failover.ts'
import { files } from './files.ts'
import { assess, type Finding, findingsOf } from './finding.ts'
import { machine } from './machine.ts'
import { replica } from './replica.ts'
import { type Demand, server } from './server.ts'

export type { Finding } from './finding.ts'

/** The set-up as it is meant. */
export interface Patient {
  readonly config: Config
  /** Nodes that use the same PostgreSQL. */
  readonly nodes: number
  /** Whether contents of attachments are all compared, and not a sample of them. */
  readonly everyContent: boolean
  /** Opens the databases, as `serve` would. Throws StartupError. */
  readonly open: () => Promise<Databases>
}

/** Examines everything that can be reached; `tell` is called with each step. */
export async function examineServer(
  { config, nodes, everyContent, open }: Patient,
  tell: (step: string) => void = () => undefined,
): Promise<readonly Finding[]> {
  tell('machine')
  const findings: Finding[] = []
  let databases: Databases
  try {
    // It makes the data directory, whose disk is looked at.
    databases = await open()
  } catch (error) {
    if (!(error instanceof StartupError)) throw error
    findings.push(...(await machine(config).catch(() => [])))
    return [...findings, assess('postgresql', 'it cannot be used', [true, 'wrong', error.message])]
  }
  try {
    findings.push(...(await machine(config)))
    tell('PostgreSQL')
    findings.push(...(await ofServer(databases, { config, nodes, everyContent })))
    return findings
  } finally {
    await databases.close()
  }
}

async function ofServer(
  databases: Databases,
  { config, nodes, everyContent }: Omit<Patient, 'open'>,
): Promise<Finding[]> {
  const { address, served } = databases
  const findings = [way(config)]
  const demand = demandOf(databases, config, nodes)
  const direct = await Connection.connect({ ...forMaintenance(address), statementTimeout: 0 })
  try {
    const looks: readonly (readonly [string, () => Promise<Finding | readonly Finding[]>])[] = [
      ['server', () => server(direct, demand)],
      ['clocks', () => clocks(direct)],
      ['latency', () => (served === address ? latency(direct) : through(served))],
      ['notifications', () => notifications(new Admin(address))],
      ['replica', () => replica(databases, direct)],
      ['failover', () => failover(direct, config)],
      ['files', () => files(databases)],
      ['archive', () => archive(databases)],
      ['databases', () => eachDatabase(databases, direct, everyContent)],
      // Last: a line that gets no answer is cut.
      ['commit', () => commits(direct)],
    ]
    for (const [check, look] of looks) findings.push(...(await findingsOf(check, look)))
    for (const cluster of (await databases.clusters.all()).slice(1))
      findings.push(...(await ofFurther(cluster, demand)))
    return findings
  } finally {
    direct.destroy()
  }
}

/** A further cluster: the same checks on another server. */
async function ofFurther({ name, address }: Cluster, demand: Demand): Promise<readonly Finding[]> {
  let direct: Connection
  try {
    direct = await Connection.connect({ ...forMaintenance(address), statementTimeout: 0 })
  } catch (error) {
    return [
      assess(`cluster ${name}`, `it does not answer: ${messageOf(error)}`, [
        true,
        'wrong',
        'Its databases are unavailable; those of other clusters are not affected.',
      ]),
    ]
  }
  try {
    const findings = [
      ...(await findingsOf('server', () => server(direct, demand))),
      ...(await findingsOf('clocks', () => clocks(direct))),
      ...(await findingsOf('latency', () => latency(direct))),
      ...(await findingsOf('commit', () => commits(direct))),
    ]
    return findings.map(({ check, ...rest }) => ({ check: `cluster ${name}: ${check}`, ...rest }))
  } finally {
    direct.destroy()
  }
}

/** That it is what the settings say was found out when the databases were opened. */
function way({ databaseUrl, pooler }: Config): Finding {
  if (!databaseUrl) return assess('pooler', 'none: the embedded PostgreSQL')
  return assess('pooler', pooler ? `a pooler in ${pooler} mode` : 'none: PostgreSQL itself')
}

/** The way of calls, where it is another than that of what needs a session. */
async function through(served: ServerAddress): Promise<Finding> {
  const connection = await Connection.connect(forMaintenance(served))
  try {
    return await latency(connection)
  } finally {
    connection.destroy()
  }
}

function demandOf({ options }: Databases, { workers, poolSize, pooler }: Config, nodes: number): Demand {
  const url = options.databaseUrl ?? null
  const hosts =
    url === null ? [] : hostsOf(url).urls.map((hostUrl) => hostUrl.hostname.replace(/^\[|\]$/g, ''))
  // Behind a pooler only what needs a session of its own comes here.
  const each = pooler === 'transaction' ? 2 : poolSize + 2
  return {
    connections: nodes * workers * each,
    sum: `${nodes} nodes × ${workers} processes × ${each} = ${nodes * workers * each} for one database in use`,
    isEmbedded: url === null,
    isRemote: hosts.some((host) => host !== hostname() && !isLoopback(host)),
  }
}
