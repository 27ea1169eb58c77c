// Kills a process that makes, copies, restores, drops or renames a database, and its PostgreSQL, then looks
// at what there is after a new start. node test/durability/kill-databases.ts [--rounds 20] [--seed 1]
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { isDraft } from '../../src/databases/drafts.ts'
import { databasesWithFiles } from '../../src/databases/filestore.ts'
import { Databases } from '../../src/databases/index.ts'
import { modules } from '../../src/modules/index.ts'
import { Admin } from '../../src/postgres/index.ts'
import { sql } from '../../src/sql/index.ts'
import { makeDataDir } from '../support/temp.ts'
import { killAll, postmasterOf, withDescendants } from './processes.ts'

export const OPERATIONS = ['create', 'duplicate', 'restore', 'drop', 'rename'] as const
export type Operation = (typeof OPERATIONS)[number]

export interface Round {
  readonly operation: Operation
  /** Share of the operation's usual time after which the blow came. */
  readonly at: number
  /** Whether the operation had said that it was done. */
  readonly done: boolean
  /** Faults of the databases after the restart. Must be empty. */
  readonly wrong: readonly string[]
}

/** The administrator of new databases, a user that no template has. */
export const OWNER = { login: 'owner', password: 'owner of all' } as const
/**
 * The latest kill, as a multiple of the usual duration: under load an operation takes longer, and its
 * last steps are the critical ones.
 */
export const REACH = 1.3
const SOURCE = 'source'
const CONTENT = 'kept through everything'

/** A generator of numbers from 0 to 1 that gives the same ones for the same seed. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

/**
 * The words of the command line of an operation, the names there are before it and those that may be there
 * after it.
 */
function planOf(operation: Operation, backup: string): { args: string[]; before: string[]; after: string[] } {
  switch (operation) {
    case 'create':
      return { args: ['made'], before: [SOURCE], after: ['made', SOURCE] }
    case 'duplicate':
      return { args: [SOURCE, 'made'], before: [SOURCE], after: ['made', SOURCE] }
    case 'restore':
      return { args: ['made', backup], before: [SOURCE], after: ['made', SOURCE] }
    case 'drop':
      return { args: ['made'], before: ['made', SOURCE], after: [SOURCE] }
    case 'rename':
      return { args: ['made', 'moved'], before: ['made', SOURCE], after: ['moved', SOURCE] }
  }
}

export class KilledOperations {
  readonly #temp = makeDataDir('kill-databases')
  readonly #usual = new Map<Operation, number>()

  /** Makes the database and the backup that the rounds start from. */
  async prepare(): Promise<void> {
    await this.#with(async (databases) => {
      await databases.create(SOURCE, OWNER)
      const database = await databases.database(SOURCE)
      const key = await database.files.put(Buffer.from(CONTENT))
      await database.system((env) =>
        env.query(sql`INSERT INTO ir_attachment (name, type, store_fname) VALUES ('kept', 'binary', ${key})`),
      )
      await pipeline(await databases.backup(SOURCE, 'zip', 'test'), createWriteStream(this.#backup))
    })
  }

  get #backup(): string {
    return join(this.#temp.path, 'source.zip')
  }

  /** Runs an operation and strikes when the share `at` of its usual time has passed. */
  async round(operation: Operation, at: number): Promise<Round> {
    const plan = planOf(operation, this.#backup)
    if (!this.#usual.has(operation)) this.#usual.set(operation, await this.#measure(operation, plan))
    await this.#with((databases) => this.#reset(databases, plan.before))
    let struck: Promise<void> | undefined
    const delay = at * (this.#usual.get(operation) as number)
    const done = await this.#run(operation, plan.args, (word, pid) => {
      if (word === 'begins') struck = sleep(delay).then(() => this.#strike(pid))
    })
    await struck
    const wrong = await this.#with((databases) => this.#examine(databases, operation, plan, done))
    return { operation, at, done, wrong }
  }

  async #measure(operation: Operation, plan: ReturnType<typeof planOf>): Promise<number> {
    await this.#with((databases) => this.#reset(databases, plan.before))
    let began = 0
    let ended = 0
    await this.#run(operation, plan.args, (word) => {
      if (word === 'begins') began = performance.now()
      else ended = performance.now()
    })
    return ended - began
  }

  /** Runs the operation in a process. Whether it said that it was done. */
  async #run(
    operation: Operation,
    args: readonly string[],
    hear: (word: string, pid: number) => void,
  ): Promise<boolean> {
    const script = join(import.meta.dirname, 'database-operation.ts')
    const child = spawn(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', script, this.#temp.path, operation, ...args],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    )
    const words: string[] = []
    createInterface(child.stdout).on('line', (word) => {
      words.push(word)
      hear(word, child.pid as number)
    })
    await once(child, 'close')
    return words.includes('done')
  }

  /** The end of a process and of PostgreSQL, without a word. */
  async #strike(pid: number): Promise<void> {
    const postmaster = postmasterOf(this.#temp.path)
    await killAll([...withDescendants(pid), ...(postmaster ? withDescendants(postmaster) : [])])
  }

  /** Brings the databases to where an operation starts. */
  async #reset(databases: Databases, before: readonly string[]): Promise<void> {
    const names = await databases.list()
    for (const name of names) if (!before.includes(name)) await databases.drop(name)
    for (const name of before) if (!names.includes(name)) await databases.duplicate(SOURCE, name)
  }

  async #examine(
    databases: Databases,
    operation: Operation,
    { before, after }: ReturnType<typeof planOf>,
    done: boolean,
  ): Promise<string[]> {
    const wrong: string[] = []
    const names = await databases.list()
    const allowed = done ? [after] : [before, after]
    if (!allowed.some((list) => list.join() === names.join())) wrong.push(`listed: ${names.join()}`)
    const admin = new Admin(databases.address)
    for (const draft of await admin.listDatabases(isDraft)) wrong.push(`left behind: ${draft}`)
    for (const broken of await admin.listBroken()) wrong.push(`broken: ${broken}`)
    for (const owner of await databasesWithFiles(this.#temp.path))
      if (!names.includes(owner)) wrong.push(`files of nobody: ${owner}`)
    for (const entry of await readdir(this.#temp.path))
      if (entry.startsWith('upload-')) wrong.push(`left behind: ${entry}`)
    const identities = new Set<string>()
    for (const name of names) {
      const { identity, faults } = await this.#examineOne(databases, name)
      wrong.push(...faults)
      if (identity) identities.add(identity)
    }
    // A restored database is the one that was saved; all others have an identity of their own.
    if (operation !== 'restore' && identities.size < names.length)
      wrong.push('two databases have one identity')
    // Whatever happened, the names can be used again.
    await this.#reset(databases, [SOURCE])
    await databases.create('made', OWNER)
    if (!(await databases.drop('made'))) wrong.push('a new database cannot be dropped')
    return wrong
  }

  /** A listed database is whole: its administrator can sign in, and its attachments have their contents. */
  async #examineOne(databases: Databases, name: string): Promise<{ identity?: string; faults: string[] }> {
    try {
      const database = await databases.database(name)
      const wrong: string[] = []
      if ((await database.callers.login(OWNER.login, OWNER.password)) === null)
        wrong.push(`${name}: nobody can sign in`)
      const rows = await database.system((env) =>
        env.query(sql`SELECT store_fname FROM ir_attachment WHERE name = 'kept' AND store_fname IS NOT NULL`),
      )
      if (name === SOURCE && rows.length !== 1) wrong.push(`${name}: the attachment is gone`)
      for (const [key] of rows)
        if (String(await database.files.get(String(key))) !== CONTENT)
          wrong.push(`${name}: the contents of ${key} are gone`)
      const [row] = await database.system((env) =>
        env.query(sql`SELECT value FROM ir_config_parameter WHERE key = 'database.uuid'`),
      )
      return { identity: String(row?.[0]), faults: wrong }
    } catch (error) {
      return { faults: [`${name} does not answer: ${String(error)}`] }
    }
  }

  async #with<T>(work: (databases: Databases) => Promise<T>): Promise<T> {
    const databases = await Databases.open({ dataDir: this.#temp.path, modules })
    try {
      return await work(databases)
    } finally {
      await databases.close()
    }
  }

  async close(): Promise<void> {
    const postmaster = postmasterOf(this.#temp.path)
    if (postmaster) await killAll(withDescendants(postmaster))
    this.#temp.remove()
  }
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: { rounds: { type: 'string', default: '20' }, seed: { type: 'string', default: '1' } },
  })
  const random = randomFrom(Number(values.seed))
  const killed = new KilledOperations()
  try {
    await killed.prepare()
    for (let round = 1; round <= Number(values.rounds); round++) {
      for (const operation of OPERATIONS) {
        const outcome = await killed.round(operation, random() * REACH)
        console.log(JSON.stringify({ round, ...outcome }))
        if (outcome.wrong.length) process.exitCode = 1
      }
    }
  } finally {
    await killed.close()
  }
}
