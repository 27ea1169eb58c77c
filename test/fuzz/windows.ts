// Orders and groups, SQL against memory: generated asks over generated rows until the number is reached or
// the readers differ.
import { zoneOf } from '../../src/models/domain/zone.ts'
import type { Environment } from '../../src/models/index.ts'
import { id, sql } from '../../src/sql/index.ts'
import type { TestDatabase } from '../support/databases.ts'
import { type GroupCase, makeGrouping, makeOrder, type OrderCase } from './asks.ts'
import { makeRows, type Row } from './data.ts'
import { World } from './facts.ts'
import { type FuzzOptions, openShapes } from './fuzz.ts'
import { type Group, grouped } from './grouping.ts'
import { Random } from './random.ts'
import { type Ground, onGround } from './round.ts'
import { makeShape, type Shape } from './shape.ts'
import { fewerRows } from './shrink.ts'
import { sorted } from './sorting.ts'

export type Asked = OrderCase | GroupCase

/** An order or grouping about which the readers differ, with all it takes to see it again. */
export interface WindowFinding {
  readonly shape: Shape
  readonly rows: readonly Row[]
  /** Key of the model. */
  readonly model: string
  readonly asked: Asked
}

export interface WindowDifference {
  readonly sql: unknown
  readonly memory: unknown
}

export interface WindowOutcome {
  readonly asked: number
  readonly finding: WindowFinding | null
  readonly difference: WindowDifference | null
}

const PER_MODEL = 60
const maker = { orders: makeOrder, groups: makeGrouping } as const

/** Asks generated orders, or groupings, until the number is reached or the readers differ. */
export async function fuzzWindows(
  kind: keyof typeof maker,
  count: number,
  { seed, shapes: many, progress }: Omit<FuzzOptions, 'domains'>,
): Promise<WindowOutcome> {
  const shapes = Array.from({ length: many }, (_, i) => makeShape(new Random(seed * 1000 + i)))
  const db = await openShapes(shapes)
  try {
    let done = 0
    for (let round = 0; done < count; round++) {
      const random = new Random(seed * 1_000_033 + round)
      const [module, shape] = [`fuzz${round % many}`, shapes[round % many] as Shape]
      const rows = makeRows(random, module, shape)
      const disagreement = await onGround(db, module, shape, rows, async (ground) => {
        await speakFrench(ground, module, shape)
        for (const model of Object.keys(shape)) {
          for (let i = 0; i < PER_MODEL && done < count; i++, done++) {
            const windowCase = maker[kind](random, ground.env.def(`${module}.${model}`))
            const difference = await differ(ground, `${module}.${model}`, windowCase)
            if (difference) return { model, asked: windowCase, difference }
          }
        }
        return null
      })
      progress?.(done)
      if (!disagreement) continue
      const finding = { shape, rows, model: disagreement.model, asked: disagreement.asked }
      return {
        asked: done,
        finding: await smallest(db, module, finding),
        difference: disagreement.difference,
      }
    }
    return { asked: done, finding: null, difference: null }
  } finally {
    await db.close()
  }
}

/** The difference between the readers for a finding, or null. */
export function windowDiffers(
  db: TestDatabase,
  module: string,
  finding: WindowFinding,
): Promise<WindowDifference | null> {
  const { shape, rows, model, asked: windowCase } = finding
  return onGround(db, module, shape, rows, async (ground) => {
    await speakFrench(ground, module, shape)
    return differ(ground, `${module}.${model}`, windowCase)
  })
}

async function smallest(db: TestDatabase, module: string, finding: WindowFinding): Promise<WindowFinding> {
  let best = finding
  let left = 300
  for (let improved = true; improved; ) {
    improved = false
    for (const rows of fewerRows(best.rows)) {
      if (left-- <= 0) return best
      if (!(await windowDiffers(db, module, { ...best, rows }))) continue
      best = { ...best, rows }
      improved = true
      break
    }
  }
  return best
}

/** Every second record has names of its own in French: the English ones backwards. */
async function speakFrench({ env }: Ground, module: string, shape: Shape): Promise<void> {
  for (const key of Object.keys(shape)) {
    const model = env.def(`${module}.${key}`)
    for (const field of model.fields.values()) {
      if (!field.translate || !field.column) continue
      const column = id(field.name)
      await env.query(
        sql`UPDATE ${id(model.table)} SET ${column} = ${column} || jsonb_build_object('fr_FR', reverse(${column}->>'en_US')) WHERE "id" % 2 = 0 AND ${column} IS NOT NULL`,
      )
    }
  }
}

async function differ(
  { env, world }: Ground,
  name: string,
  windowCase: Asked,
): Promise<WindowDifference | null> {
  const inside = env.withContext({ active_test: true, ...windowCase.context })
  const models = [...env.unit.registry.models.values()].filter(
    (model) => model.module === env.def(name).module,
  )
  const facts =
    windowCase.context.lang || models.some((m) => [...m.fields.values()].some((f) => f.translate))
      ? await World.read(inside, models)
      : world
  const fromSql = await said(env, () =>
    'order' in windowCase && !('groupby' in windowCase)
      ? bySql(inside, name, windowCase)
      : groupsBySql(inside, name, windowCase as GroupCase),
  )
  const fromMemory =
    'groupby' in windowCase
      ? groupsInMemory(inside, facts, name, windowCase)
      : inMemory(inside, facts, name, windowCase)
  return alike(fromSql, fromMemory) ? null : { sql: fromSql, memory: fromMemory }
}

/** Errors of PostgreSQL are what it said too. */
async function said(env: Environment, work: () => Promise<unknown>): Promise<unknown> {
  try {
    return await env.unit.savepoint(work)
  } catch (error) {
    return `fault: ${error instanceof Error ? error.message : String(error)}`
  }
}

/** The records that a search without conditions finds. */
function visible(env: Environment, facts: World, name: string): number[] {
  const model = env.def(name)
  const active = env.context.active_test ? model.fields.get('active') : undefined
  return facts.all(model).filter((id) => !active || facts.value(active, id) === true)
}

const recordsOf = (env: Environment, name: string) => env.model(name as 'res.partner')

async function bySql(env: Environment, name: string, { order }: OrderCase): Promise<readonly number[]> {
  return (await recordsOf(env, name).search([], { order } as never)).ids
}

const inMemory = (env: Environment, facts: World, name: string, { order }: OrderCase): number[] =>
  sorted(facts, env.def(name), visible(env, facts, name), order)

/**
 * Whether the condition selects the group alone: that of an unset number or text selects zeros and empty
 * texts too (spec/models-api.md section 2).
 */
function isExact(
  env: Environment,
  name: string,
  groupby: readonly string[],
  keys: readonly unknown[],
): boolean {
  return groupby.every((spec, i) => keys[i] || sharp.has(fieldAt(env, name, spec)?.kind ?? ''))
}

const sharp = new Set(['many2one', 'many2many', 'date', 'datetime', 'boolean'])

function fieldAt(env: Environment, name: string, spec: string) {
  const path = (spec.split(':')[0] as string).split('.')
  let model = env.def(name)
  for (const step of path.slice(0, -1)) model = model.fields.get(step)?.comodel ?? model
  return model.fields.get(path.at(-1) as string)
}

/**
 * Keys and aggregates of each group, and the records that its condition selects: those of the first group
 * only, to be quick.
 */
async function groupsBySql(env: Environment, name: string, groupCase: GroupCase): Promise<unknown> {
  const { groupby, aggregates, having, order, limit, offset } = groupCase
  const records = recordsOf(env, name) as unknown as {
    formatted_read_group(params: object): Promise<Record<string, unknown>[]>
  }
  const groups = await records.formatted_read_group({
    domain: [],
    groupby,
    aggregates,
    having,
    order,
    limit,
    offset,
  })
  const out: unknown[] = []
  for (const [i, group] of groups.entries()) {
    const keys = groupby.map((spec) =>
      Array.isArray(group[spec]) ? (group[spec] as unknown[])[0] : group[spec],
    )
    const inside =
      i === 0 && isExact(env, name, groupby, keys)
        ? (await recordsOf(env, name).search(group.__extra_domain as never, { order: 'id' } as never)).ids
        : null
    out.push([keys, aggregates.map((spec) => group[spec]), inside])
  }
  return out
}

function groupsInMemory(env: Environment, facts: World, name: string, groupCase: GroupCase): unknown {
  const clock = {
    zone: zoneOf(env),
    weekStart: groupCase.context.lang === 'fr_FR' ? 1 : 7,
    activeTest: env.context.active_test === true,
  }
  const groups = grouped(facts, env.def(name), visible(env, facts, name), groupCase, clock)
  const ids = (group: Group) => [...new Set(group.ids)].sort((a, b) => a - b)
  return groups.map((group, i) => {
    const keys = group.keys.map((key) => key ?? false)
    return [
      keys,
      group.aggregates,
      i === 0 && isExact(env, name, groupCase.groupby, keys) ? ids(group) : null,
    ]
  })
}

/** Equal; fractions to twelve digits. */
function alike(value: unknown, other: unknown): boolean {
  if (Array.isArray(value) && Array.isArray(other))
    return value.length === other.length && value.every((item, i) => alike(item, other[i]))
  if (typeof value === 'number' && typeof other === 'number')
    return Math.abs(value - other) <= 1e-9 * Math.max(1, Math.abs(value), Math.abs(other))
  // A decimal that is written with its point.
  if (isWritten(value) || isWritten(other)) return alike(plain(value), plain(other))
  return value === other
}

const isWritten = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const plain = (value: unknown): unknown => (isWritten(value) ? JSON.parse(JSON.stringify(value)) : value)
