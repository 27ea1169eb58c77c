// Folder and account of the embedded server: ordinarily <data directory>/postgres and the account that runs
// Comptoir. For root PostgreSQL runs as an unprivileged account, which cannot enter a data directory or a
// node_modules below /root (mode 0700), as in a fresh clone by root. Then the database files go to
// /var/lib/comptoir/<name>, which <data directory>/postgres.json names, and the programs are copied next to
// them once.
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, cp, mkdir, mkdtemp, rename, rm, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { StartupError } from '../../errors.ts'
import type { Account } from './account.ts'
import { canReach, isRoot, unprivilegedAccount } from './account.ts'
import type { Installation } from './binaries.ts'
import { findInstallation, program } from './binaries.ts'

/** Traversable for every account, writable for root, and kept when the machine restarts. */
const SHARED = '/var/lib/comptoir'

export interface Place {
  /** The directory that PostgreSQL calls PGDATA. */
  readonly pgdata: string
  readonly installation: Installation
  /** The account to run as; undefined: that of this process. */
  readonly account: Account | undefined
}

/** The directory for the database files of a data directory that has none yet. */
export async function choosePgdata(dataDir: string): Promise<string> {
  const inside = join(dataDir, 'postgres')
  if (!isRoot() || (await canReach(unprivilegedAccount(), dataDir))) return inside
  await makeShared()
  const hash = createHash('sha256').update(dataDir).digest('hex').slice(0, 8)
  const outside = join(SHARED, `${basename(dataDir)}-${hash}`)
  // The data directory was removed, so its files could go too; but Comptoir never deletes data.
  if (existsSync(outside)) await rename(outside, `${outside}.left-${Date.now()}`)
  return outside
}

/**
 * How to run the server on these database files, which may not exist yet. Throws StartupError when they are
 * another's.
 */
export async function findPlace(pgdata: string): Promise<Place> {
  const installation = await findInstallation()
  const owner = await stat(pgdata).catch(() => undefined)
  if (!isRoot()) {
    const uid = process.getuid?.()
    if (owner && uid !== undefined && owner.uid !== uid) {
      throw new StartupError(
        `The database files in ${pgdata} belong to another user. Run Comptoir as that user, or choose another --data-dir.`,
      )
    }
    return { pgdata, installation, account: undefined }
  }
  const account = owner && owner.uid !== 0 ? { uid: owner.uid, gid: owner.gid } : unprivilegedAccount()
  if (owner && !(await canReach(account, pgdata))) {
    throw new StartupError(
      `PostgreSQL cannot run as root, and the account it runs as (uid ${account.uid}) cannot enter ${pgdata}. ` +
        'Give the directories above it execute permission for others (chmod o+x), or choose another --data-dir.',
    )
  }
  return { pgdata, installation: await reachable(installation, account), account }
}

/** The installation itself, or a copy that the account can run. */
async function reachable(installation: Installation, account: Account): Promise<Installation> {
  if (await canReach(account, program(installation, 'postgres'))) return installation
  const root = join(SHARED, `postgresql-${installation.version}`)
  if (!existsSync(root)) {
    await makeShared()
    const unfinished = await mkdtemp(join(SHARED, 'copy-'))
    // Static libraries and headers for building extensions are half of the size and of no use here.
    const filter = (path: string) => !path.endsWith('.a') && !/[/\\](pgxs|pkgconfig)$/.test(path)
    await cp(installation.root, unfinished, { recursive: true, verbatimSymlinks: true, filter })
    await chmod(unfinished, 0o755)
    // Of two that copy at once the second finds the name taken, by the same files.
    await rename(unfinished, root).catch(() => rm(unfinished, { recursive: true }))
  }
  return { root, version: installation.version }
}

async function makeShared(): Promise<void> {
  try {
    await mkdir(SHARED, { recursive: true, mode: 0o755 })
  } catch (cause) {
    throw new StartupError(
      `PostgreSQL cannot run as root, and ${SHARED}, which its account could access, cannot be created. ` +
        'Choose a --data-dir that every account can enter (not below /root), or run Comptoir as an ordinary user.',
      { cause },
    )
  }
}
