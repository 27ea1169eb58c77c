// Long tests take turns where every change waits for them (`CI`): whose turn it is follows from the sources,
// so that the same sources are tested alike.
import { hash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const root = dirname(import.meta.dirname)

/**
 * Files of tests by the seconds of a processor that they take, about, with all that they start: such as take
 * ten and more.
 */
const bySeconds: Readonly<Record<number, readonly string[]>> = {
  90: ['package/package'],
  60: ['browser/looks', 'fuzz/remembered', 'hostile/hostile'],
  50: ['explain/explain', 'kit/kit', 'src/cli/command-line'],
  40: ['browser/doc', 'durability/starters', 'house/types', 'libraries/libraries', 'readme/guides'],
  30: [
    'browser/account',
    'durability/kill-databases',
    'external/external',
    'fuzz/fuzz',
    'machines/nodes',
    'src/databases/backup/backup',
    'src/databases/recovery/recovery',
    'src/modules/account/move/laws',
    'src/modules/stock/competition',
  ],
  20: [
    'backup/round-trip',
    'browser/manager',
    'durability/kill',
    'kit/dev',
    'kit/scaffold',
    'machines/balanced',
    'machines/clusters',
    'machines/patroni',
    'readme/readme',
    'rights/doors',
    'src/databases/backup/hostile',
    'src/modules/load',
    'src/modules/sale_management/demo',
    'walks/growth',
  ],
  15: [
    'browser/login',
    'durability/supervisor',
    'durability/webhooks',
    'durability/workers',
    'engine/edges',
    'engine/long-answers',
    'engine/openapi',
    'extensions/mcp',
    'extensions/webhooks',
    'house/statements',
    'src/modules/point_of_sale/reads',
  ],
  10: [
    'browser/hostile-names',
    'browser/integrators',
    'databases/replaced',
    'durability/kill-at-commit',
    'engine/documents',
    'engine/needed',
    'engine/openapi-failures',
    'engine/schema-upgrade',
    'engine/statements',
    'extensions/feed-rows',
    'extensions/follow',
    'extensions/jobs',
    'extensions/upsert',
    'extensions/webhook-values',
    'house/casts',
    'libraries/debian',
    'machines/failover',
    'machines/pooler',
    'machines/pooler-restart',
    'products/products',
    'products/unrecorded',
    'src/databases/contents/databases',
    'src/modules/account/account',
    'src/modules/account/bank/statements',
    'src/modules/account/move/books',
    'src/modules/account/move/credit',
    'src/modules/account/payment/payments',
    'src/modules/account/print/print',
    'src/modules/account/reports/reports',
    'src/modules/account/tax',
    'src/modules/account/upgrade',
    'src/modules/base/contacts/contacts-together',
    'src/modules/purchase/purchases',
    'src/modules/purchase_stock/receipts',
    'src/modules/sale/invoicing/invoicing',
    'src/modules/sale/line-combo',
    'src/modules/sale/order-lines',
    'src/modules/sale/order-rights',
    'src/modules/sale/orders',
    'src/modules/sale_margin/margins',
    'src/modules/stock/stock',
    'src/modules/stock_account/costing',
    'src/modules/stock_account/values',
  ],
}

/** The long files, longest first. */
export const longTests: readonly { readonly file: string; readonly seconds: number }[] = Object.entries(
  bySeconds,
)
  .flatMap(([seconds, names]) =>
    names.map((name) => ({
      file: `${name.startsWith('src/') ? '' : 'test/'}${name}.test.ts`,
      seconds: Number(seconds),
    })),
  )
  .sort((a, b) => b.seconds - a.seconds)

/** Changes among which the long files are shared out. */
const LONG_TURNS = 17

/** The long files of each turn: the longest first, each to the turn that has least to do so far. */
export function longTurns(turns = LONG_TURNS): readonly (readonly string[])[] {
  const all = Array.from({ length: turns }, () => ({ files: [] as string[], seconds: 0 }))
  for (const { file, seconds } of longTests) {
    const least = all.reduce((a, b) => (b.seconds < a.seconds ? b : a))
    least.files.push(file)
    least.seconds += seconds
  }
  return all.map(({ files }) => files)
}

/** Folders whose tests open a database or start PostgreSQL: a third of their files run at a time. */
const shared = [
  'test/engine/',
  'test/extensions/',
  'test/rights/',
  'test/rpc/',
  'test/machines/',
  'src/databases/',
  'src/modules/',
  'src/services/',
]

/** Of the files of tests, those that run now, in their order: all of them but where every change waits. */
export function filesNow(files: readonly string[]): readonly string[] {
  const long = new Set(longTests.map(({ file }) => file))
  const others = files.filter((file) => !long.has(file) && shared.some((folder) => file.startsWith(folder)))
  const now = new Set([...whoseTurn(longTurns(), LONG_TURNS).flat(), ...whoseTurn(others, 3)])
  const rest = new Set([...long, ...others])
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
