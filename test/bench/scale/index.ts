// The same calls over few and over very many records: contacts, orders and their lines. The time of a
// page, a search or a count must not grow with the table; cases where it does state why.
import { explainedOften, type Node, walk } from '../../explain/plan.ts'
import { recordStatements } from '../../support/statements.ts'
import type { Lean } from '../leanest/sides.ts'
import { middle, timed } from '../timed.ts'
import { type Asked, contactsAsked, ordersAsked } from './calls.ts'
import { openFilled } from './filled.ts'

const ROUNDS = 7
/** So many times the pages of PostgreSQL (8 kB) over a hundred times the records are growth, */
const GROWS = 3
/** and fewer pages are not: a tree of an index has a level more, rows lie farther apart. */
const FEW_PAGES = 300
/** Rows of a page by cursor at most. */
const PAGE = 2000

interface Took {
  readonly one: Asked
  readonly milliseconds: number
  /** Pages that its statements touch, by the plan that PostgreSQL keeps when a call is made often. */
  readonly pages: number
  /** The plan of PostgreSQL, in a line. */
  readonly plan: string
}

/** Measures both; gives lines for people. `keep`: a folder in which the databases stay for other runs. */
export async function scale(rows: number, only: RegExp, keep: string | null): Promise<string[]> {
  const few = Math.max(1000, Math.round(rows / 100))
  const small = await measure(few, only, keep)
  const large = await measure(rows, only, keep)
  return [
    `calls over ${few} and over ${rows} records`,
    ...large.flatMap((now, n) => compared(small[n] ?? now, now)),
  ]
}

function compared(then: Took, now: Took): string[] {
  const { name, method, grows } = now.one
  const grew = now.pages > Math.max(FEW_PAGES, GROWS * then.pages)
  const times = `${then.milliseconds.toFixed(1)} and ${now.milliseconds.toFixed(1)} ms`
  const line = `${method} of ${name}: ${times}, ${then.pages} and ${now.pages} pages`
  if (!grew) return [`ok  ${line}`]
  return grows ? [`ok  ${line}; ${grows}`] : [`NO  ${line}`, `      ${then.plan}`, `      ${now.plan}`]
}

async function measure(rows: number, only: RegExp, keep: string | null): Promise<Took[]> {
  const { lean, known: ids } = await openFilled(rows, keep)
  try {
    const took: Took[] = []
    for (const call of [...contactsAsked(ids), ...ordersAsked(ids)])
      if (only.test(`${call.method} of ${call.name}`)) took.push(await ask(lean, call, rows))
    return took
  } finally {
    await lean.close()
  }
}

async function ask(lean: Lean, readCall: Asked, rows: number): Promise<Took> {
  const cursor = readCall.byCursor ? await behindHalf(lean, readCall, rows) : null
  const asks = cursor === null ? undefined : { page: { cursor }, tell: () => undefined }
  const call = () => lean.ask(readCall.model, readCall.method, readCall.named, undefined, asks)
  const times: number[] = []
  for (let round = 0; round <= ROUNDS; round++) times.push(await timed(call))
  const recorder = recordStatements()
  await call().finally(() => recorder.stop())
  const roots: Node[] = []
  for (const statement of recorder.statements)
    if (/^(SELECT|WITH)/.test(statement.text) && !statement.text.includes('res_users_apikeys'))
      roots.push(await lean.run((env) => explainedOften(env, statement)))
  const pages = roots.reduce((sum, root) => sum + root['Shared Hit Blocks'] + root['Shared Read Blocks'], 0)
  // The first round warms up.
  return { one: readCall, milliseconds: middle(times.slice(1)), pages, plan: roots.map(shown).join('; ') }
}

/** The cursor of the page that begins after half of all records. */
async function behindHalf(lean: Lean, { model, named }: Asked, rows: number): Promise<string | null> {
  const { domain, order } = named
  let cursor: string | null = null
  const tell = (name: string, value: string) => {
    if (name === 'next-cursor') cursor = value
  }
  const options = { domain, ...(order ? { order } : {}), limit: PAGE }
  const all = JSON.parse(await lean.ask(model, 'search_count', { domain })) as number
  for (let passed = 0; passed < Math.min(rows, all) / 2; passed += PAGE)
    await lean.ask(model, 'search', options, undefined, { page: { cursor }, tell })
  return cursor
}

/** The reads of a plan, in a line. */
function shown(root: Node): string {
  return [...walk(root)]
    .map((node) => {
      const what = node['Index Name'] ?? node['Relation Name']
      return `${node['Node Type']}${what ? ` ${what}` : ''} ${node['Actual Rows'] * node['Actual Loops']}`
    })
    .join(' < ')
}
