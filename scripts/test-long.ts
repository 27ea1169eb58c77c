// Long rounds that no change waits for: `npm run test:long`, `npm run test:long -- --only machines`,
// `npm run test:long -- --list`. One after the other, as most of them take all that a machine has.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { dirname } from 'node:path'
import { parseArgs } from 'node:util'

const root = dirname(import.meta.dirname)

interface Round {
  readonly name: string
  /** The property that it judges. */
  readonly about: string
  /** Arguments of Node.js. */
  readonly run: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
}

/** The long form of a test that has a short one: without the lanes, which end a file after twenty minutes. */
const testFile = (file: string, environment: Readonly<Record<string, string>>) => ({
  run: ['--import', './bin/imports.js', '--test', `${file}.test.ts`],
  environment,
})

/** All of them, the short ones first. */
const rounds: readonly Round[] = [
  {
    name: 'rehearse',
    about: 'recorded calls with Prefer: tx=rollback leave nothing in any table',
    run: ['test/conformance/rehearse.ts'],
  },
  { name: 'rights', about: 'random rights against a judge written apart', run: ['test/rights/run.ts'] },
  {
    name: 'fuzz',
    about: 'random domains, orders and groups against a judge written apart',
    run: ['test/fuzz/run.ts'],
  },
  { name: 'explain', about: 'plans of PostgreSQL over many records', run: ['test/explain/run.ts'] },
  {
    name: 'feed positions',
    about: '20,000 changes by sixteen writers are each reported once, in order',
    ...testFile('test/extensions/positions', { COMPTOIR_TEST_WRITES: '20000' }),
  },
  {
    name: 'feed followed',
    about: '10,000 random operations applied from the feed',
    ...testFile('test/extensions/follow', { COMPTOIR_TEST_STEPS: '10000' }),
  },
  {
    name: 'batches',
    about: '1,000 random batches',
    ...testFile('test/extensions/batch', { COMPTOIR_TEST_BATCHES: '1000' }),
  },
  {
    name: 'narrow keys',
    about: '300 rounds of narrow keys at every endpoint',
    ...testFile('test/extensions/scope-doors', { COMPTOIR_TEST_ROUNDS: '300' }),
  },
  {
    name: 'taxes',
    about: '2,000 random documents: all adds up, prices with taxes are kept, each tax is rounded once',
    ...testFile('src/modules/account/tax-engine/document', { COMPTOIR_TEST_DOCUMENTS: '2000' }),
  },
  {
    name: 'invoicing sums',
    about:
      '2,000 random orders: deposits and final invoice come to the order, credit notes to their invoices',
    ...testFile('src/modules/sale/invoicing/sums', { COMPTOIR_TEST_ORDERS: '2000' }),
  },
  {
    name: 'typed quantities',
    about: '2,000 random demands and quantities: the rest stays reserved, what is typed is done',
    ...testFile('src/modules/stock/typed', { COMPTOIR_TEST_TYPED: '2000' }),
  },
  {
    name: 'till days',
    about:
      '2,000 random orders synced, taken back, invoiced and closed in any order of calls: the same books, no difference, money in steps',
    ...testFile('test/properties/till-days', { COMPTOIR_TEST_DOCUMENTS: '2000' }),
  },
  {
    name: 'goods',
    about: '2,000 random stories of goods: no more is reserved than held, a lowered demand keeps the rest',
    ...testFile('test/properties/goods', { COMPTOIR_TEST_DOCUMENTS: '2000' }),
  },
  { name: 'stock', about: 'deliveries that compete for goods', run: ['test/stock/run.ts'] },
  {
    name: 'tills',
    about: 'tills that send the same orders at once over lines that break',
    run: ['test/tills/run.ts'],
  },
  { name: 'books', about: 'thousands of random documents', run: ['test/books/run.ts'] },
  {
    name: 'kill',
    about: 'kill -9 of server and PostgreSQL',
    run: ['test/durability/kill.ts', '--rounds', '10'],
  },
  { name: 'jobs', about: 'jobs and imports of a server that is killed', run: ['test/durability/later.ts'] },
  { name: 'webhooks', about: 'webhooks of nodes that are killed', run: ['test/durability/webhooks.ts'] },
  { name: 'recovery', about: 'restores to random moments and to the end', run: ['test/backup/recovery.ts'] },
  {
    name: 'machines failover',
    about: 'primary servers are killed',
    run: ['test/machines/failover.ts', '20'],
  },
  {
    name: 'machines patroni',
    about: 'primary servers of Patroni are killed',
    run: ['test/machines/patroni.ts', '20'],
  },
  { name: 'machines nodes', about: 'nodes and workers are killed', run: ['test/machines/nodes.ts', '12'] },
  { name: 'machines replica', about: 'replicas are killed', run: ['test/machines/replica.ts', '5'] },
  {
    name: 'machines balanced',
    about: 'nodes behind HAProxy are killed',
    run: ['test/machines/balanced.ts', '10'],
  },
  {
    name: 'machines recipe',
    about: 'hosts of the recipe for high availability lose power, are cut off and hang; etcd is lost',
    run: ['test/machines/hosts/run.ts'],
  },
  {
    name: 'faults',
    about: 'a shop works while hosts, lines, disks and a clock fail: its books and the histories of clients',
    run: ['test/faults/run.ts', '--minutes', '2'],
  },
  {
    name: 'machines rolling',
    about: 'a database is upgraded while nodes of two builds write to it',
    run: ['test/machines/rolling.ts', '--records', '100000', '--kills', '5'],
  },
  {
    name: 'machines modules',
    about: 'modules are installed and removed while callers of two nodes work: no call fails',
    run: ['test/machines/modules-under-load.ts', '--rounds', '5'],
  },
  {
    name: 'machines move',
    about: 'a shop moves between servers',
    run: ['test/machines/move.ts', '--store', '--pooled'],
  },
  {
    name: 'machines full archive',
    about: 'the disk of the backups is full',
    run: ['test/machines/full-archive.ts'],
  },
  {
    name: 'equivalence faults',
    about: 'planted faults are found by the comparison of two commits',
    run: ['test/equivalence/run.ts', '--faults'],
  },
  { name: 'soak', about: 'a million calls, and the memory after them', run: ['scripts/soak.ts'] },
  { name: 'hostile', about: 'every attack alone', run: ['test/hostile/run.ts'] },
  {
    name: 'hostile random',
    about: 'all attacks mixed for an hour',
    run: ['test/hostile/run.ts', '--random'],
  },
]

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    list: { type: 'boolean', default: false },
    seed: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) {
  console.log(`npm run test:long -- [--only PATTERN] [--list] [--seed N]
  --only PATTERN   only the rounds whose name matches this regular expression
  --list           prints the rounds, and runs none
  --seed N         repeats random documents: a property that fails prints its seed`)
  process.exit(0)
}
const chosen = rounds.filter(({ name }) => new RegExp(values.only).test(name))
if (values.list) {
  for (const { name, about } of chosen) console.log(`${name.padEnd(22)} ${about}`)
  process.exit(0)
}

const failed: string[] = []
for (const { name, about, run, environment } of chosen) {
  console.log(`\n${name}: ${about}`)
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', ...run], {
    cwd: root,
    env: {
      ...process.env,
      ...environment,
      ...(values.seed === undefined ? {} : { COMPTOIR_TEST_REPEAT: values.seed }),
    },
    stdio: 'inherit',
  })
  const [code] = (await once(child, 'exit')) as [number | null]
  if (code !== 0) failed.push(name)
}
console.log(`\n${chosen.length - failed.length} passed, ${failed.length} failed`)
if (failed.length) console.log(`Failed: ${failed.join(', ')}`)
process.exitCode = failed.length ? 1 : 0
