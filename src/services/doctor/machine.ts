// The machine and the account that a server runs under: checks that need no database.
import { readFile } from 'node:fs/promises'
import { availableParallelism, totalmem } from 'node:os'
import { getHeapStatistics } from 'node:v8'
import type { Config } from '../../config/index.ts'
import { diskOf } from '../../databases/index.ts'
import { isLoopback } from '../../kit/addresses.ts'
import { assess, type Finding, sizeForPeople } from './finding.ts'

const MB = 1024 ** 2
/** Descriptors: a process holds one a client, a connection to PostgreSQL and a file. */
const DESCRIPTORS = 4096

/** Checks memory, disk, open files and the account of this process. */
export async function machine(config: Config): Promise<Finding[]> {
  const cores = availableParallelism()
  const findings = [
    assess('node', `Node.js ${process.versions.node}`, [
      Number.parseInt(process.versions.node, 10) < 24,
      'wrong',
      'Install Node.js 24 or newer.',
    ]),
    assess('cores', `${cores} cores, ${config.workers} of ours`, [
      config.workers > cores,
      'advice',
      `Set --workers ${cores} or less: more processes compete for the same cores.`,
    ]),
    memory(config.workers),
    await disk(config.dataDir),
    account(),
    listening(config),
  ]
  const descriptors = await descriptorLimit()
  if (descriptors !== null)
    findings.push(
      assess('descriptors', `${descriptors} descriptors`, [
        descriptors < DESCRIPTORS,
        'advice',
        `Raise it to ${DESCRIPTORS} and more: ulimit -n, or LimitNOFILE= of the service.`,
      ]),
    )
  return findings
}

/** Memory that may be used: a container has less than its machine. */
function memory(workers: number): Finding {
  const constrained = process.constrainedMemory()
  const all = constrained > 0 && constrained < totalmem() ? constrained : totalmem()
  const heap = getHeapStatistics().heap_size_limit
  return assess(
    'memory',
    `${sizeForPeople(all)}, of which each process may fill ${sizeForPeople(heap)}`,
    [all < 512 * MB, 'wrong', 'Give it 512 MB at least: a server takes 160 MB, PostgreSQL another 60 MB.'],
    [
      heap * workers > all,
      'advice',
      `Set NODE_OPTIONS=--max-old-space-size=${Math.max(512, Math.floor((all * 0.6) / workers / MB))}, or the system ends a process that grows.`,
    ],
  )
}

/** Free space of a disk, in bytes and in files. */
async function disk(path: string): Promise<Finding> {
  const { free, all, lack } = await diskOf(path)
  return assess(
    'disk',
    `${sizeForPeople(free)} of ${sizeForPeople(all)} free where ${path} is`,
    [lack === 'room', 'wrong', 'Free disk space now: PostgreSQL stops when it cannot write.'],
    [lack === 'files', 'wrong', 'Remove files now: the disk is out of inodes.'],
    [lack === 'soon', 'advice', 'Free disk space soon, or move to a larger disk.'],
  )
}

function account(): Finding {
  const isRoot = process.getuid?.() === 0
  return assess('account', isRoot ? 'root' : `account ${process.getuid?.() ?? 'of the system'}`, [
    isRoot,
    'advice',
    'Run the server under its own account, for example with the systemd unit of the guide "Install".',
  ])
}

function listening({ host, trustProxy, masterPassword, listDatabases }: Config): Finding {
  const isLocal = isLoopback(host)
  return assess(
    'listening',
    `listens on ${host}`,
    [
      !isLocal && trustProxy === undefined,
      'advice',
      'Passwords and keys are sent unencrypted: use a proxy with TLS, and set --trust-proxy.',
    ],
    [
      !isLocal && listDatabases && masterPassword !== undefined,
      'advice',
      'The database manager can be reached over the network: set --list-db no, or remove the master password.',
    ],
  )
}

/** Limit of open files of this process; null where the system does not say. */
async function descriptorLimit(): Promise<number | null> {
  const limits = await readFile('/proc/self/limits', 'utf8').catch(() => '')
  const [, soft] = /^Max open files\s+(\d+|unlimited)/m.exec(limits) ?? []
  return soft === undefined || soft === 'unlimited' ? null : Number(soft)
}
