// The needs of a deployment, calculated from the measured cost of each action: plain sums that can be
// checked by hand. `docs/scale.md` shows its results for the figures in figures.json.

/** Of one deed: seconds of processor time; bytes of PostgreSQL's log, of the wire (two ways), of the disk. */
export interface Cost {
  readonly node: number
  readonly postgres: number
  readonly wal: number
  readonly wire: number
  readonly disk: number
}

const PARTS = ['node', 'postgres', 'wal', 'wire', 'disk'] as const

/** Seconds of processor time. */
interface Work {
  readonly node: number
  readonly postgres: number
}

export interface Figures {
  readonly deeds: Readonly<Record<string, Cost>>
  /** Of a database: bytes and files on the disk, a process's first call, a look for jobs, a second at rest. */
  readonly database: {
    readonly disk: number
    readonly files: number
    readonly opened: Work & { readonly memory: number }
    readonly look: Work
    readonly idle: number
  }
  /** Bytes of memory of a process that serves one database, and of one of its connections in PostgreSQL. */
  readonly memory: { readonly process: number; readonly connection: number }
}

export interface Workload {
  readonly databases: number
  /** Deeds of each database on a full day. */
  readonly daily: Readonly<Record<string, number>>
  /** Part of a day's deeds in its busiest hour, and how far its busiest minutes are above that hour's mean. */
  readonly busiestHour: number
  readonly burst: number
  /** Part of all databases that are in use at that time. */
  readonly inUse: number
}

/** The capacity of each resource. Shares are of the whole; beyond them queues become long. */
export interface Limits {
  /** Cores of one PostgreSQL server, and what share of a core may be busy. */
  readonly postgresCores: number
  readonly busy: number
  /** Bytes a second of log that disk and standby servers take. */
  readonly wal: number
  readonly connections: number
  /** Of each process to a database in use: at that rate one is enough mostly. */
  readonly connectionsEach: number
  /** Databases that a process keeps open, and files that one server should have. */
  readonly openDatabases: number
  readonly files: number
  /** Machines, each of which looks into every database; seconds between two of its looks into one. */
  readonly machines: number
  readonly lookEvery: number
}

/** The average cost of a mix of actions. Throws if an action was not measured. */
export function expected(deeds: Figures['deeds'], counts: Readonly<Record<string, number>>): Cost {
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0)
  const mean = (part: (typeof PARTS)[number]) =>
    Object.entries(counts).reduce((sum, [deed, count]) => sum + costOf(deeds, deed)[part] * count, 0) / all
  return {
    node: mean('node'),
    postgres: mean('postgres'),
    wal: mean('wal'),
    wire: mean('wire'),
    disk: mean('disk'),
  }
}

function costOf(deeds: Figures['deeds'], deed: string): Cost {
  const cost = deeds[deed]
  if (!cost) throw new Error(`Not measured: ${deed}`)
  return cost
}

export interface Plan {
  /** Deeds a second in the busiest minutes. */
  readonly rate: number
  /** Cores that are busy then: of nodes in all, of what they do by themselves, of all PostgreSQL servers. */
  readonly nodeCores: number
  readonly ownCores: number
  readonly postgresCores: number
  /** Required processes of nodes, and PostgreSQL servers. */
  readonly processes: number
  readonly servers: number
  /** Bytes of memory: of all processes, and of the connections of all servers. */
  readonly nodeMemory: number
  readonly connectionMemory: number
  readonly connections: number
  /** Bytes a second in the busiest minutes, and a day. */
  readonly wire: number
  readonly wal: number
  readonly walDaily: number
  /** Bytes: at the beginning, and what each year adds. */
  readonly disk: number
  readonly diskYearly: number
  /** The load of one process on one PostgreSQL server, as shares of its capacity; the highest first. */
  readonly breaks: readonly { readonly what: string; readonly share: number }[]
}

const HOUR = 3600
const DAYS = 365

export function plan(figures: Figures, workload: Workload, limits: Limits): Plan {
  const { databases, daily, busiestHour, burst } = workload
  const { database, memory } = figures
  const each = expected(figures.deeds, daily)
  const day = databases * Object.values(daily).reduce((sum, count) => sum + count, 0)
  const rate = (day * busiestHour * burst) / HOUR
  const looks = (databases * limits.machines) / limits.lookEvery
  const ownCores = looks * database.look.node
  const nodeCores = rate * each.node + ownCores
  const postgresCores = rate * each.postgres + looks * database.look.postgres + databases * database.idle
  const open = Math.ceil(databases * workload.inUse)
  const files = databases * database.files
  const processes = Math.max(
    limits.machines,
    Math.ceil(nodeCores / limits.busy),
    Math.ceil(open / limits.openDatabases),
  )
  // Calls of one database go to one process mostly where many share it; of few databases each has all.
  const connections = Math.max(open, processes) * limits.connectionsEach + 2 * processes
  const wal = rate * each.wal
  const shares = [
    { what: 'processor of one process', share: (rate * each.node) / limits.busy },
    {
      what: 'processor of one PostgreSQL server',
      share: postgresCores / (limits.postgresCores * limits.busy),
    },
    { what: 'looks into databases by one process', share: ownCores / limits.machines / limits.busy },
    { what: 'databases that one process keeps open', share: open / limits.openDatabases },
    { what: 'connections of one PostgreSQL server', share: connections / limits.connections },
    { what: 'log of one PostgreSQL server', share: wal / limits.wal },
    { what: 'files of one PostgreSQL server', share: files / limits.files },
  ]
  const serverShares = shares.filter(({ what }) => what.endsWith('PostgreSQL server'))
  return {
    rate,
    nodeCores,
    ownCores,
    postgresCores,
    processes,
    servers: Math.min(databases, Math.ceil(Math.max(...serverShares.map(({ share }) => share)))),
    nodeMemory: processes * memory.process + open * database.opened.memory,
    connectionMemory: connections * memory.connection,
    connections,
    wire: rate * each.wire,
    wal,
    walDaily: day * each.wal,
    disk: databases * database.disk,
    diskYearly: day * DAYS * each.disk,
    breaks: shares.sort((a, b) => b.share - a.share),
  }
}
