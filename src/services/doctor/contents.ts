// Contents of attachments that a database keeps in files: whether they are there and what their keys, the
// hashes of contents, say. A sample of them, or all.
import { createHash } from 'node:crypto'
import type { Database } from '../../databases/index.ts'
import { type Finding, judged } from './finding.ts'

/** Keys that are looked up at a time, which is a sample as well, and bytes of a content that a sample reads. */
const [AT_A_TIME, MOST_BYTES] = [200, 8 * 1024 ** 2]
/** Attachments that a finding names. */
const MOST_NAMED = 3

type Stored = Pick<Database, 'name' | 'pool' | 'files'>

const KEYS = 'SELECT DISTINCT store_fname FROM ir_attachment WHERE store_fname > $1 ORDER BY 1 LIMIT $2'
const USERS = 'SELECT store_fname, min(id)::int FROM ir_attachment WHERE store_fname = ANY($1) GROUP BY 1'

/** Looks at some contents of a database, chosen by chance, or at every one of them. */
export async function contents(
  database: Stored,
  every: boolean,
  chance: () => number = Math.random,
): Promise<Finding> {
  const faults = new Map<string, 'missing' | 'damaged'>()
  let count = 0
  for await (const key of every ? allKeys(database) : someKeys(database, chance)) {
    const fault = await faultOf(database, key, every ? Number.POSITIVE_INFINITY : MOST_BYTES)
    if (fault) faults.set(key, fault)
    count++
  }
  const used = faults.size > 0 ? await usersOf(database, [...faults.keys()]) : []
  const faulty = (fault: string) => used.filter(([key]) => faults.get(key) === fault).length
  const named = used.slice(0, MOST_NAMED).map(([key, id]) => `${id} (${key})`)
  if (used.length > MOST_NAMED) named.push('…')
  const result = `${count} contents${every ? '' : ' sampled'}: ${faulty('missing')} missing, ${faulty('damaged')} damaged`
  return judged(
    `contents of ${database.name}`,
    named.length > 0 ? `${result}; attachments ${named.join(', ')}` : result,
    [
      used.length > 0,
      'wrong',
      `Restore a backup under another name, copy the files below its filestore to those of ${database.name}, and look again with --every-content.`,
    ],
  )
}

/** Attachments of contents: those that were removed meanwhile miss nothing. */
const usersOf = async ({ pool }: Stored, keys: readonly string[]) =>
  (await pool.use((connection) => connection.query(USERS, [keys]))) as [key: string, attachment: number][]

async function* allKeys(database: Stored): AsyncGenerator<string> {
  let last = ''
  for (;;) {
    const keys = await keysFrom(database, last)
    yield* keys
    if (keys.length < AT_A_TIME) return
    last = keys.at(-1) ?? ''
  }
}

/** Keys are hashes: those that follow a place among them are a sample by chance, without reading the others. */
async function* someKeys(database: Stored, chance: () => number): AsyncGenerator<string> {
  const start = Math.floor(chance() * 256)
    .toString(16)
    .padStart(2, '0')
  const keys = await keysFrom(database, start)
  const rest = keys.length < AT_A_TIME ? await keysFrom(database, '') : []
  yield* new Set([...keys, ...rest].slice(0, AT_A_TIME))
}

const keysFrom = async ({ pool }: Stored, last: string): Promise<string[]> =>
  (await pool.use((connection) => connection.query(KEYS, [last, AT_A_TIME]))).map(([key]) => String(key))

async function faultOf({ files }: Stored, key: string, most: number): Promise<'missing' | 'damaged' | null> {
  const size = await files.size(key)
  if (size === null) return 'missing'
  if (size > most) return null
  const expected = key.slice(3)
  const hash = createHash(expected.length === 64 ? 'sha256' : 'sha1')
  if (size > 0) for await (const piece of files.open(key, 0, size - 1)) hash.update(piece as Buffer)
  return hash.digest('hex') === expected ? null : 'damaged'
}
