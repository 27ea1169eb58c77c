// Costs of record rules beyond the time of PostgreSQL: the same search_read with three rules in force
// and with none, each compared with its bare SQL.
import pg from 'pg'
import { encode } from '../../src/postgres/values.ts'
import { capture, type Recorded } from './capture.ts'
import type { BenchCase } from './cases.ts'
import { type Call, callerOf } from './data.ts'
import { makeUser, modelId, userGroup } from './ruled.ts'

export interface RulesOptions {
  readonly url: string
  /** As an administrator. */
  readonly call: Call
  readonly dataDir: string
  readonly database: string
  /** Address of the database for the bare SQL. */
  readonly address: string
  readonly ids: readonly number[]
}

const ROUNDS = 8
const CALLS = 150
const MOST = 1.3

const searchRead: BenchCase = {
  name: 'search_read 80',
  path: '/json/2/res.partner/search_read',
  body: (n) => ({
    domain: [['is_company', '=', false]],
    fields: ['name', 'email', 'city', 'country_id'],
    limit: 80,
    offset: (n % 5) * 80,
  }),
  least: 0,
}

/**
 * A rule for everybody, two for groups, one of them over a relation; they let the bench's partners through.
 */
const rules = (user: number) => [
  {
    name: 'bench company',
    domain_force: "['|', ('company_id', '=', False), ('company_id', 'in', company_ids)]",
  },
  { name: 'bench author', domain_force: `[('create_uid', 'in', [user.id, ${user}, 2])]`, group: true },
  { name: 'bench country', domain_force: "[('country_id.code', '!=', 'ZZ')]", group: true },
]

const middle = (times: readonly number[]): number =>
  [...times].sort((a, b) => a - b)[Math.floor(times.length / 2)] as number

/** Microseconds of a call in the middle of many: over the wire, and of its bare SQL. */
interface Side {
  readonly wire: number[]
  readonly bare: number[]
  statements: readonly Recorded[]
}

/** Runs it; gives lines for people. */
export async function rulesBench({
  url,
  call,
  dataDir,
  database,
  address,
  ids,
}: RulesOptions): Promise<string[]> {
  const { id: user, key } = await makeUser(call, address, { login: 'rules-bench' })
  const client = new pg.Client({ connectionString: address, options: '-c TimeZone=UTC -c jit=off' })
  await client.connect()
  try {
    const bot = callerOf(url, key)
    const toggle = await makeRules(call, user)
    const sides = { without: side(), three: side() }
    // In turns, so that whatever the machine does meanwhile does it to both; the first round warms both up.
    for (let round = 0; round <= ROUNDS; round++) {
      for (const [name, side] of Object.entries(sides)) {
        await toggle(name === 'three')
        const [captured] =
          round === 0 ? await capture({ dataDir, database, keyOf: () => key, ids }, [searchRead], 20) : []
        if (captured) side.statements = captured.calls
        const wire = await timed(CALLS, (n) => bot('res.partner', 'search_read', searchRead.body(n, ids)))
        const bare = await timed(CALLS, (n) =>
          send(client, side.statements[n % side.statements.length] as Recorded),
        )
        if (round > 0) {
          side.wire.push(wire)
          side.bare.push(bare)
        }
      }
    }
    return report(sides)
  } finally {
    await client.end()
  }
}

const side = (): Side => ({ wire: [], bare: [], statements: [] })

/** Makes the three rules, and gives what puts them, or none at all, in force. */
async function makeRules(call: Call, user: number): Promise<(on: boolean) => Promise<void>> {
  const model = await modelId(call, 'res.partner')
  const group = await userGroup(call)
  const others = (await call('ir.rule', 'search', { domain: [['model_id', '=', model]] })) as number[]
  const ruleIds = (await call('ir.rule', 'create', {
    vals_list: rules(user).map(({ group: ofGroup, ...rule }) => ({
      ...rule,
      model_id: model,
      groups: [[6, 0, ofGroup ? [group] : []]],
    })),
  })) as number[]
  await call('ir.rule', 'write', { ids: others, vals: { active: false } })
  return async (on) => {
    await call('ir.rule', 'write', { ids: ruleIds, vals: { active: on } })
  }
}

/** Microseconds of the one in the middle. */
async function timed(count: number, work: (n: number) => Promise<unknown>): Promise<number> {
  const times: number[] = []
  // Rights were changed just before: the first calls read them anew.
  for (let n = 0; n < 20; n++) await work(n)
  for (let n = 0; n < count; n++) {
    const start = performance.now()
    await work(n)
    times.push((performance.now() - start) * 1000)
  }
  return middle(times)
}

const names = new Map<string, string>()

/** Prepared, as the engine sends them. */
async function send(client: pg.Client, statements: Recorded): Promise<void> {
  await Promise.all(
    statements.map(({ text, values = [] }) => {
      const name = names.get(text) ?? `rules_${names.size}`
      names.set(text, name)
      return client.query({ name, text, values: values.map(encode), rowMode: 'array' })
    }),
  )
}

function report(sides: Readonly<Record<'without' | 'three', Side>>): string[] {
  const ownTime = (side: Side) => middle(side.wire) - middle(side.bare)
  const line = (name: string, side: Side) =>
    `${name}: ${middle(side.wire).toFixed(0)} µs a call, ${middle(side.bare).toFixed(0)} µs its bare SQL, ${ownTime(side).toFixed(0)} µs ours`
  const ratio = ownTime(sides.three) / ownTime(sides.without)
  return [
    line('without rules', sides.without),
    line('three rules', sides.three),
    `beyond PostgreSQL: ${ratio.toFixed(2)} times (${MOST} at most: ${ratio <= MOST ? 'yes' : 'NO'})`,
  ]
}
