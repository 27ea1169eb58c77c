// Long tests take turns where every change waits for them (`CI`): whose turn it is follows from the sources,
// so that the same sources are tested alike.
import { hash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const root = dirname(import.meta.dirname)

/**
 * Files of tests that take some ten seconds of a processor and more, in rows: each second row has one file
 * that runs, so that kinds of what may break are looked at with every change.
 */
export const longTests: readonly string[] = [
  ['fuzz/remembered', 'explain/explain', 'hostile/hostile'],
  ['durability/starters', 'durability/supervisor', 'durability/kill-databases'],
  ['browser/looks', 'browser/doc', 'browser/manager'],
  ['package/package', 'backup/round-trip', 'machines/failover'],
  ['durability/workers', 'libraries/debian', 'libraries/libraries'],
  ['durability/kill', 'fuzz/fuzz', 'engine/edges'],
  ['engine/statements', 'engine/needed', 'machines/pooler'],
  ['kit/kit', 'kit/dev', 'kit/scaffold'],
  ['external/external', 'engine/long-answers', 'engine/schema-upgrade'],
  ['src/databases/backup/backup', 'src/databases/backup/hostile', 'src/modules/sale_management/demo'],
  ['src/modules/base/contacts/contacts-together', 'src/modules/account/move/laws', 'rights/doors'],
  ['extensions/mcp', 'extensions/webhooks', 'extensions/upsert'],
  ['src/cli/command-line', 'extensions/jobs', 'extensions/follow', 'extensions/feed-rows'],
  [
    'src/modules/account/payment/payments',
    'src/modules/sale/invoicing/invoicing',
    'src/modules/purchase_stock/receipts',
  ],
  [
    'src/modules/account/move/books',
    'src/modules/account/print/print',
    'src/modules/account/bank/statements',
  ],
  ['src/modules/account/reports/reports', 'src/modules/account/move/credit', 'src/modules/account/tax'],
  ['src/modules/account/account', 'src/modules/account/upgrade', 'src/modules/sale_margin/margins'],
  ['src/modules/sale/orders', 'src/modules/sale/order-lines', 'src/modules/sale/order-rights'],
  ['src/modules/sale/line-combo', 'src/modules/purchase/purchases', 'src/modules/stock_account/costing'],
  ['src/modules/stock/stock', 'src/modules/stock/competition', 'src/modules/stock_account/values'],
  ['src/modules/load', 'engine/openapi', 'engine/documents'],
  ['house/types', 'browser/account', 'browser/integrators'],
  ['src/databases/recovery/recovery', 'src/databases/contents/databases'],
  ['browser/login', 'browser/hostile-names', 'databases/replaced'],
  ['machines/clusters', 'machines/patroni', 'machines/balanced', 'machines/pooler-restart', 'machines/nodes'],
].flatMap((row) => row.map((name) => `${name.startsWith('src/') ? '' : 'test/'}${name}.test.ts`))

/** Folders whose tests each open a database: half of their files run at a time. */
const halved = [
  'test/engine/',
  'test/extensions/',
  'test/rights/',
  'test/rpc/',
  'test/machines/',
  'src/modules/',
]

/** Of the files of tests, those that run now, in their order: all of them but where every change waits. */
export function filesNow(files: readonly string[]): readonly string[] {
  const long = new Set(longTests)
  const others = files.filter((file) => !long.has(file) && halved.some((folder) => file.startsWith(folder)))
  const now = new Set([...whoseTurn(longTests, 9), ...whoseTurn(others, 2)])
  const rest = new Set([...longTests, ...others])
  return files.filter((file) => now.has(file) || !rest.has(file))
}

let known: number | undefined

function turn(): number {
  if (known !== undefined) return known
  const sources = globSync('src/**/*.ts', { cwd: root }).sort()
  const digest = hash('sha1', sources.map((file) => readFileSync(join(root, file), 'utf8')).join('\n'))
  known = Number.parseInt(digest.slice(0, 8), 16)
  return known
}

/**
 * Every so-manieth of a list, another one after a change of any source; the whole list on a developer's
 * machine.
 */
export function whoseTurn<T>(all: readonly T[], among: number): readonly T[] {
  return process.env.CI ? all.filter((_, i) => i % among === turn() % among) : all
}
