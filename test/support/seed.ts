// Makes the data directories that tests begin with: a PostgreSQL that has been set up, with templates of the
// databases that most of them ask for.
// Run by scripts/test.ts with two directories as arguments: the first is for tests with a server of their
// own; the second, for the server of a lane, has the databases that `openTestDatabase` copies besides.
// Without them each lane, or test file, would spend seconds on the same.
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Databases } from '../../src/databases/index.ts'
import { modules } from '../../src/main.ts'
import { templateFor } from '../../src/testing/template.ts'
import { sets } from './sets.ts'
import { fillDataDir } from './temp.ts'

const all = modules.map(({ name }) => name)
/** Modules of servers of their own, and last the shop of a first start. */
const common = [
  { installed: ['base'], demo: false },
  { installed: ['base', 'mail', 'uom', 'product'], demo: false },
  { installed: all, demo: false },
  { installed: all, demo: true },
]

const [alone, lane] = process.argv.slice(2)
if (!alone || !lane) throw new Error('seed.ts wants two directories')

/** Runs work with PostgreSQL in a directory, and leaves what copies may begin with. */
async function fill(dataDir: string, work: (databases: Databases) => Promise<unknown>): Promise<void> {
  const databases = await Databases.open({ dataDir, modules, durable: false })
  await work(databases)
  await databases.close()
  rmSync(join(dataDir, 'audit.jsonl'), { force: true })
  // Each copy takes a port of its own at once, instead of losing a race for the seed's.
  const address = join(dataDir, 'postgres.json')
  writeFileSync(address, JSON.stringify({ ...JSON.parse(readFileSync(address, 'utf8')), port: 0 }))
}

await fill(alone, (databases) =>
  Promise.all(
    common.map(async ({ installed, demo }, i) => {
      // Making a database makes its template, which stays.
      await databases.create(`seed${i}`, { modules: installed, demo, login: 'admin', password: 'admin' })
      await databases.drop(`seed${i}`)
    }),
  ),
)
fillDataDir(lane, alone)
await fill(lane, (databases) =>
  Promise.all(
    sets.map((set, i) =>
      templateFor(databases, { modules: set, demo: false, at: null }, `seed_template${i}`),
    ),
  ),
)
