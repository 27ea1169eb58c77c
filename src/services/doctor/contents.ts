// Contents of attachments that a database keeps in files: whether they are there and what their keys, the
// hashes of contents, say. A sample of them, or all.
import { createHash } from 'node:crypto'
import type { Database } from '../../databases/index.ts'
import { codeOf } from '../../kit/caught.ts'
import { assess, type Finding } from './finding.ts'

/** Keys that are looked up at a time, which is a sample as well, and bytes of a content that a sample reads. */
const [AT_A_TIME, MOST_BYTES] = [200, 8 * 1024 ** 2]
/** Attachments that a finding names. */
const MOST_NAMED = 3

type Stored = Pick<Database, 'name' | 'pool' | 'files'>
type Fault = 'missing' | 'damaged'

const KEYS = 'SELECT DISTINCT store_fname FROM ir_attachment WHERE store_fname > $1 ORDER BY 1 LIMIT $2'
const USERS = 'SELECT store_fname, min(id)::int FROM ir_attachment WHERE store_fname = ANY($1) GROUP BY 1'

/** Looks at some contents of a database, chosen by chance, or at every one of them. */
export async function contents(
  database: Stored,
  every: boolean,
  chance: () => number = Math.random,
): Promise<Finding> {
  let count = 0
  const counts = { missing: 0, damaged: 0 }
  const named: string[] = []
  for await (const keys of every ? allKeys(database) : [someKeys(database, chance)]) {
    count += keys.length
    const faults = new Map<string, Fault>()
    for (const key of keys) {
      const fault = await faultOf(database, key, every ? Number.POSITIVE_INFINITY : MOST_BYTES)
      if (fault) faults.set(key, fault)
    }
    for (const [key, attachment] of faults.size > 0 ? await usersOf(database, [...faults.keys()]) : []) {
      counts[faults.get(key) ?? 'missing']++
      if (named.length <= MOST_NAMED) named.push(named.length < MOST_NAMED ? `${attachment} (${key})` : '…')
    }
  }
  const result = `${count} contents${every ? '' : ' sampled'}: ${counts.missing} missing, ${counts.damaged} damaged`
  return assess(
    `contents of ${database.name}`,
    named.length > 0 ? `${result}; attachments ${named.join(', ')}` : result,
    [
      named.length > 0,
      'wrong',
      `Restore a backup under another name, copy the files below its filestore to those of ${database.name}, and look again with --every-content.`,
    ],
  )
}

/** Attachments of contents: those that were removed meanwhile miss nothing. */
const usersOf = async ({ pool }: Stored, keys: readonly string[]) =>
  (await pool.use((connection) => connection.query(USERS, [keys]))) as [key: string, attachment: number][]

/** All keys, some at a time. */
async function* allKeys(database: Stored): AsyncGenerator<readonly string[]> {
  let last = ''
  for (;;) {
    const keys = await keysFrom(database, last)
    yield keys
    if (keys.length < AT_A_TIME) return
    last = keys.at(-1) ?? ''
  }
}

/** Keys are hashes: those that follow a place among them are a sample by chance, without reading the others. */
async function someKeys(database: Stored, chance: () => number): Promise<readonly string[]> {
  const start = Math.floor(chance() * 256)
    .toString(16)
    .padStart(2, '0')
  const keys = await keysFrom(database, start)
  const rest = keys.length < AT_A_TIME ? await keysFrom(database, '') : []
  return [...new Set([...keys, ...rest])].slice(0, AT_A_TIME)
}

const keysFrom = async ({ pool }: Stored, last: string): Promise<string[]> =>
  (await pool.use((connection) => connection.query(KEYS, [last, AT_A_TIME]))).map(([key]) => String(key))

/** A content that the disk cannot read is damaged; where it may not be read, or not now, the look fails. */
async function faultOf({ files }: Stored, key: string, most: number): Promise<Fault | null> {
  const size = await files.size(key)
  if (size === null) return 'missing'
  if (size > most) return null
  const expected = key.slice(3)
  const hash = createHash(expected.length === 64 ? 'sha256' : 'sha1')
  try {
    if (size > 0) for await (const piece of files.open(key, 0, size - 1)) hash.update(piece as Buffer)
  } catch (error) {
    if (codeOf(error) === 'EIO') return 'damaged'
    throw error
  }
  return hash.digest('hex') === expected ? null : 'damaged'
}
