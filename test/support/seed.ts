// Makes the data directory that tests begin with: a PostgreSQL that has been set up, and templates of the
// databases that most of them ask for.
// Run by scripts/test.ts with the directory as argument; without it each test file would spend seconds on the
// same.
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Databases } from '../../src/databases/index.ts'
import { modules } from '../../src/main.ts'

/**
 * Sets of modules that several test files use, and last the shop of a first start; a template holds for one
 * set.
 */
const all = modules.map(({ name }) => name)
const sets = [
  { known: ['base'], installed: ['base'], demo: false },
  { known: ['base', 'uom', 'product'], installed: ['base', 'uom', 'product'], demo: false },
  { known: all, installed: all, demo: false },
  { known: all, installed: all, demo: true },
]

const [dataDir] = process.argv.slice(2)
if (!dataDir) throw new Error('seed.ts wants a directory')
/** Makes a set's template by making a database. */
async function make({ known, installed, demo }: (typeof sets)[number], name: string): Promise<void> {
  const databases = await Databases.open({
    dataDir: dataDir as string,
    modules: modules.filter((one) => known.includes(one.name)),
    durable: false,
  })
  await databases.create(name, { modules: installed, demo, login: 'admin', password: 'admin' })
  await databases.drop(name)
  await databases.close()
}
await Promise.all(sets.map((set, i) => make(set, `seed${i}`)))
rmSync(join(dataDir, 'audit.jsonl'), { force: true })
// Each copy takes a port of its own at once, instead of losing a race for the seed's.
const address = join(dataDir, 'postgres.json')
writeFileSync(address, JSON.stringify({ ...JSON.parse(readFileSync(address, 'utf8')), port: 0 }))
