// Rehearses calls: runs them up to COMMIT, reads their changes and rolls them back within the same
// transaction, so that before and after belong to one moment.
import type { Caller } from '../../access/index.ts'
import { isTracked } from '../../models/changes/log.ts'
import type { FieldDef, ModelDef } from '../../models/language/definitions.ts'
import { type Environment, NO_PREFERENCES } from '../../models/language/environment.ts'
import type { ChangeRow, Unit } from '../../models/language/unit.ts'
import { Rendered } from '../../models/read/rendered.ts'
import { missingFor } from '../../models/rights/key-scope.ts'
import { recordsOf } from '../../models/unit/environment.ts'
import { JUDGE_ALL } from '../../models/unit/options.ts'
import { sql } from '../../sql/index.ts'
import type { Outcome } from '../batch/outcome.ts'
import { versionOfSet } from '../calls/versions.ts'
import { briefFields, isShownToAgents } from './brief-fields.ts'
import type { Touched } from './plan-handle.ts'

/** A record as it would change: values that the caller may see. */
export interface PlannedChange {
  readonly model: string
  readonly id: number
  readonly op: 'create' | 'update' | 'delete'
  readonly before?: Readonly<Record<string, unknown>>
  readonly after?: Readonly<Record<string, unknown>>
}

export interface Rehearsal {
  readonly outcomes: Outcome[]
  readonly changes: readonly PlannedChange[]
  /** Records that the caller may read, would change and are not among `changes`. */
  readonly more: number
  /**
   * Whether something would change that is not shown at all: this caller may not see it, or it is no text.
   */
  readonly hides: boolean
  /** Models that the caller may read whose records would change, but whose changes are not recorded. */
  readonly unrecorded: readonly string[]
  /** Null: too many for a plan. */
  readonly touched: readonly Touched[] | null
}

/** Records that are shown, and that a plan can be about. */
const [MOST_SHOWN, MOST_TOUCHED] = [50, 500]

const ops = { c: 'create', u: 'update', d: 'delete' } as const

/** Records of a model with the same thing happening to the same fields. */
interface Part {
  readonly model: ModelDef
  readonly op: keyof typeof ops
  readonly ids: readonly number[]
  /** The fields to show; null: the caller may not read the model. */
  readonly fields: readonly string[] | null
  /** Whether another field changes, which is not shown. */
  readonly hides: boolean
}

type Values = ReadonlyMap<number, Readonly<Record<string, unknown>>>

/** Tries `work` out. Throws what it throws, and what COMMIT would. */
export async function runDry(
  env: Environment,
  caller: Caller,
  work: () => Promise<Outcome[]>,
): Promise<Rehearsal> {
  const { unit } = env
  const writtenBefore = await writtenRows(unit)
  const done = await unit.savepoint(
    async () => {
      const outcomes = await work()
      for (const hook of unit.ending.beforeCommit) await hook()
      unit.buffer.post(JUDGE_ALL)
      const rows = (unit.changes?.rows() ?? []).filter(({ op }) => op !== 'e')
      const all = partsOf(env, caller, rows)
      const shown = portionOf(all, 0, MOST_SHOWN)
      const unrecorded = unrecordedModels(unit, writtenBefore, await writtenRows(unit))
      const left = portionOf(all, MOST_SHOWN, Number.POSITIVE_INFINITY)
      const moreCreated = await countVisible(env, left, ['c'])
      return { outcomes, all, shown, unrecorded, left, moreCreated, after: await valuesOf(env, shown, 'd') }
    },
    () => false,
  )
  const { outcomes, all, shown, unrecorded, left, moreCreated, after } = done
  const before = await valuesOf(env, shown, 'c')
  const changes = shown.flatMap((part) => changesOf(part, before, after))
  const more = moreCreated + (await countVisible(env, left, ['u', 'd']))
  const readable = unrecorded.filter((model) => mayRead(env, caller, model))
  return {
    outcomes,
    changes,
    more,
    hides:
      all.some(({ hides }) => hides) ||
      changes.length + more < countOf(all) ||
      readable.length < unrecorded.length,
    unrecorded: readable.map(({ name }) => name),
    touched: await touchedBy(unit, all),
  }
}

/**
 * Rows that the transaction has inserted, changed and removed, by table. PostgreSQL counts them, so that
 * SQL of modules is included. Counts of earlier transactions of the connection may be among them.
 */
async function writtenRows(unit: Unit): Promise<ReadonlyMap<unknown, number>> {
  const rows = await unit.query(sql`SELECT relname::text, n_tup_ins + n_tup_upd + n_tup_del
    FROM pg_stat_xact_user_tables WHERE n_tup_ins + n_tup_upd + n_tup_del > 0`)
  return new Map(rows.map(([table, count]) => [table, Number(count)]))
}

/** Logs of the server about calls: they are no effect that a caller asks for. */
const isLog = (model: string): boolean => model.startsWith('comptoir.') || model === 'rpc.deprecated.call'

/** Models whose records changed, and whose changes are not recorded. */
function unrecordedModels(
  { registry }: Unit,
  before: ReadonlyMap<unknown, number>,
  after: ReadonlyMap<unknown, number>,
): ModelDef[] {
  const isWritten = (table: string) => (after.get(table) ?? 0) > (before.get(table) ?? 0)
  return [...registry.models.values()].filter(
    (model) => model.kind === 'model' && !isTracked(model) && !isLog(model.name) && isWritten(model.table),
  )
}

function partsOf(env: Environment, caller: Caller, rows: readonly ChangeRow[]): Part[] {
  return rows.flatMap(({ model: name, op, ids, fields }) => {
    const model = env.unit.registry.get(name)
    if (!model || op === 'e') return []
    const changed = fields.flatMap((field) => model.fields.get(field) ?? [])
    return [{ model, op, ids, ...shownFields(env, caller, model, op === 'u' ? changed : null) }]
  })
}

/** Whether the caller may read a model, by their rights and the scope of their key. */
function mayRead(env: Environment, { scope }: Caller, model: ModelDef): boolean {
  const isOpen = !scope || missingFor(scope, model.name, { name: 'read', readonly: true }) === null
  return isOpen && (env.su || env.unit.rights.mayModel(env.user, model, 'read'))
}

/** The fields to show: those that changed, or those that identify a record. */
function shownFields(
  env: Environment,
  caller: Caller,
  model: ModelDef,
  changed: readonly FieldDef[] | null,
): Pick<Part, 'fields' | 'hides'> {
  const { rights } = env.unit
  const sees = (field: FieldDef) => env.su || rights.mayField(env.user, field)
  if (!mayRead(env, caller, model)) return { fields: null, hides: true }
  if (!changed) return { fields: briefFields(model, sees), hides: false }
  const counted = changed.filter(({ automatic }) => !automatic)
  const shown = counted.filter((field) => isShownToAgents(field) && sees(field))
  const fields = ['id', model.displayName.name, ...shown.map(({ name }) => name)]
  return { fields, hides: shown.length < counted.length }
}

const countOf = (parts: readonly Part[]): number =>
  parts.reduce((sum, { ids, fields }) => sum + (fields ? ids.length : 0), 0)

/** The records that may be shown, from one position to another. */
function portionOf(parts: readonly Part[], from: number, to: number): Part[] {
  let position = 0
  return parts.flatMap((part) => {
    if (!part.fields) return []
    const ids = part.ids.slice(Math.max(0, from - position), Math.max(0, to - position))
    position += part.ids.length
    return ids.length ? [{ ...part, ids }] : []
  })
}

/** The number of records that the caller may read by record rules, as they are in the transaction now. */
async function countVisible(env: Environment, parts: readonly Part[], ops: readonly Part['op'][]) {
  const all = env.withContext({ active_test: false })
  let count = 0
  for (const { model, op, ids } of parts)
    if (ops.includes(op))
      count += Number(await recordsOf(all, model, []).invoke('search_count', { domain: [['id', 'in', ids]] }))
  return count
}

/** Values of the records as they are in the transaction now, by part; one query each. */
async function valuesOf(
  env: Environment,
  parts: readonly Part[],
  except: Part['op'],
): Promise<Map<Part, Values>> {
  const valuesByPart = new Map<Part, Values>()
  for (const part of parts) if (part.op !== except) valuesByPart.set(part, await read(env, part))
  return valuesByPart
}

async function read(env: Environment, { model, ids, fields }: Part): Promise<Values> {
  env.unit.answer.keepPreferences({ ...NO_PREFERENCES, typed: { zone: null, decimal: false } })
  const search = { domain: [['id', 'in', ids]], fields, order: 'id', limit: null }
  const all = env.withContext({ active_test: false })
  const rows = await recordsOf(all, model, []).invoke('search_read', search)
  const list = (rows instanceof Rendered ? JSON.parse(rows.json) : rows) as { readonly id: number }[]
  return new Map(list.map((row) => [row.id, row]))
}

/** Changes of the records; those that the caller sees neither before nor after are left out. */
function changesOf(
  part: Part,
  before: ReadonlyMap<Part, Values>,
  after: ReadonlyMap<Part, Values>,
): PlannedChange[] {
  return part.ids.flatMap((id): PlannedChange[] => {
    const [old, fresh] = [before.get(part)?.get(id), after.get(part)?.get(id)]
    const base = { model: part.model.name, id, op: ops[part.op] }
    if (part.op === 'c') return fresh ? [{ ...base, after: fresh }] : []
    if (part.op === 'd') return old ? [{ ...base, before: old }] : []
    return old ? [{ ...base, before: old, ...(fresh && { after: fresh }) }] : []
  })
}

/** The versions of what is there already; null where it is too much. */
async function touchedBy(unit: Unit, parts: readonly Part[]): Promise<readonly Touched[] | null> {
  const byModel = Map.groupBy(
    parts.filter(({ op }) => op !== 'c'),
    ({ model }) => model,
  )
  const sets = [...byModel].map(([model, of]) => [model, [...new Set(of.flatMap(({ ids }) => ids))]] as const)
  if (sets.reduce((sum, [, ids]) => sum + ids.length, 0) > MOST_TOUCHED) return null
  const touched: Touched[] = []
  for (const [model, ids] of sets) {
    const [row] = await unit.query(versionOfSet(model, ids))
    touched.push([model.name, String(row?.[0]), ids])
  }
  return touched.sort(([a], [b]) => (a < b ? -1 : 1))
}
