// A process that does one thing to the databases of a data directory, to be killed while it does it.
// node test/durability/database-operation.ts DATA_DIR create|duplicate|restore|drop|rename NAME [OTHER]
import { Databases } from '../../src/databases/index.ts'
import { modules } from '../../src/modules/index.ts'
import { OWNER } from './kill-databases.ts'

const [dataDir = '', operation = '', name = '', other = ''] = process.argv.slice(2)

const operations: Readonly<Record<string, (databases: Databases) => Promise<unknown>>> = {
  create: (databases) => databases.create(name, OWNER),
  duplicate: (databases) => databases.duplicate(name, other),
  restore: (databases) => databases.restore(name, other),
  drop: (databases) => databases.drop(name),
  rename: (databases) => databases.rename(name, other),
}

const work = operations[operation]
if (!work) throw new Error(`There is no operation ${operation}.`)
const databases = await Databases.open({ dataDir, modules })
console.log('begins')
await work(databases)
console.log('done')
await databases.close()
