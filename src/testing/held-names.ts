// Databases of one test process in the server that all share: named after it, held while it lives, swept when
// it died.
import { randomBytes } from 'node:crypto'
import type { Databases } from '../databases/index.ts'
import { Admin, type ServerAddress } from '../postgres/index.ts'

const OURS = /^test_[0-9a-f]{8}/

/** A name for the databases of a test server, held until `release` or the end of the process. */
export interface Holding {
  readonly name: string
  release(): Promise<void>
}

/** Takes a new name, and drops the databases of processes that died with theirs. */
export async function holdName(address: ServerAddress): Promise<Holding> {
  const admin = new Admin(address)
  const name = `test_${randomBytes(4).toString('hex')}`
  const held = Promise.withResolvers<void>()
  const over = Promise.withResolvers<void>()
  const holding = admin.holding([useOf(name)], () => {
    held.resolve()
    return over.promise
  })
  holding.catch(held.reject)
  await held.promise
  await sweep(admin, name)
  return {
    name,
    async release() {
      over.resolve()
      await holding
    },
  }
}

async function sweep(admin: Admin, keptName: string): Promise<void> {
  const names = await admin.listDatabases((name) => OURS.test(name) && !name.startsWith(keptName))
  for (const [base, all] of Map.groupBy(names, (name) => OURS.exec(name)?.[0] ?? name))
    await admin.holding([useOf(base)], () => dropAll(admin, all), false)
}

/**
 * The lock's name. It differs from the database's name, which is locked for a moment when the database is
 * dropped or replaced.
 */
const useOf = (name: string) => `${name} of a test`

/** Drops all databases whose names begin with `name`, with their files. */
export async function dropOf(databases: Databases, name: string): Promise<void> {
  for (const database of await databases.list()) if (database.startsWith(name)) await databases.drop(database)
}

async function dropAll(admin: Admin, names: readonly string[]): Promise<void> {
  for (const name of names) await admin.clearDatabase(name)
}
