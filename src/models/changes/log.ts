// Changes of a session, kept in memory and merged, and the statement that reports them, the last one
// before COMMIT (docs/decisions/0043).
import { oncePer } from '../../kit/once-per.ts'
import { Slot } from '../../kit/slot.ts'
import type { TraceContext } from '../../kit/watch/index.ts'
import { type Sql, type Statement, sql } from '../../sql/index.ts'
import type { ModelName } from '../contract/names.ts'
import type { DeferredId, NewId } from '../language/deferred.ts'
import type { FieldDef, Ids, ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import type { ChangeKind, ChangeRow, Unit } from '../language/unit.ts'
import { lastStatements, type NotedRow, TX } from './last.ts'

interface Note {
  readonly model: string
  readonly kind: ChangeKind | 'e'
  readonly ids: readonly NewId[]
  readonly fields: readonly string[]
  readonly event?: string
}

/** The trace of a transaction's changes, a row without a model; only for calls that are traced. */
const TRACE = `INSERT INTO comptoir_change_before (tx, model, res_id, image)
  VALUES (${TX}, '', 0, $1::jsonb)`

export const traceInsert = (trace: TraceContext): Statement => ({
  text: TRACE,
  values: [JSON.stringify(trace)],
})

/** The trace of the changes of a transaction, as JSON; null without one. */
export const traceOf = (tx: Sql): Sql =>
  sql`(SELECT b.image FROM comptoir_change_before b WHERE b.tx = ${tx} AND b.model = '' LIMIT 1)`

export class ChangeLog {
  readonly publishes: boolean
  #notes: Note[] = []
  #uid: number | null = null

  constructor(publishes: boolean) {
    this.publishes = publishes
  }

  note(uid: number, model: string, kind: ChangeKind, ids: readonly NewId[], fields: readonly string[]): void {
    this.#uid ??= uid
    this.#notes.push({ model, kind, ids, fields })
  }

  emit(uid: number, model: string, event: string, ids: Ids): void {
    this.#uid ??= uid
    this.#notes.push({ model, kind: 'e', ids, fields: [], event })
  }

  /** Number of notes: a rollback to a savepoint restores it. */
  get length(): number {
    return this.#notes.length
  }

  back(length: number): void {
    this.#notes.length = length
  }

  /** Whether the session created a record, which no other call can have read. */
  isNew(model: string, id: number): boolean {
    return this.#notes.some((note) => note.kind === 'c' && note.model === model && holds(note.ids, id))
  }

  /** The row that commits with its effect, and the transaction's changes; null without changes. */
  lastWith(ahead: readonly Statement[]): readonly Statement[] | null {
    const rows = this.#merged()
    return rows.length ? lastStatements(this.#uid, rows, ahead) : null
  }

  /** New records of a model whose ids are deferred. */
  deferred(model: string): readonly DeferredId[] {
    const noted = this.#notes.flatMap((note) => (note.model === model ? note.ids : []))
    return noted.map(resolved).filter((id) => typeof id !== 'number')
  }

  /** Records that were changed or removed, or that an event names. */
  named(): ReadonlyMap<string, Ids> {
    const notes = this.#notes.filter(({ kind }) => kind !== 'c')
    const byModel = Map.groupBy(notes, ({ model }) => model)
    return new Map([...byModel].map(([model, some]) => [model, some.flatMap(({ ids }) => numbers(ids))]))
  }

  /** Merged notes: a row for each model, kind of change and set of fields. */
  rows(): ChangeRow[] {
    return this.#merged().map((row) => ({ ...row, ids: numbers(row.ids) }))
  }

  #merged(): NotedRow[] {
    const [only, more] = this.#notes
    if (!only) return []
    // Most calls change one thing.
    if (!more) return [rowOf(only.model, only.kind, inOrder(only.ids), only.fields, only.event)]
    return [...Map.groupBy(this.#notes, ({ model }) => model)].flatMap(([model, notes]) =>
      rowsOf(model, notes),
    )
  }
}

const resolved = (id: NewId): NewId => (typeof id === 'number' ? id : (id.id ?? id))

/** Whether an id is among those of a note, which are all deferred or all there. */
const holds = (ids: readonly NewId[], id: number): boolean =>
  ids.includes(id) || (typeof ids[0] === 'object' && ids.some((noted) => resolved(noted) === id))

const numbers = (ids: readonly NewId[]): number[] => ids.map(resolved).filter((id) => typeof id === 'number')

/** Deferred ids are drawn after all that are there, in their order. */
const ascending = (a: NewId, b: NewId): number =>
  typeof a === 'number' ? (typeof b === 'number' ? a - b : -1) : typeof b === 'number' ? 1 : 0

const inOrder = (ids: readonly NewId[]): readonly NewId[] =>
  ids.length === 1 ? ids.map(resolved) : [...new Set(ids.map(resolved))].sort(ascending)

const rowOf = (
  model: string,
  op: ChangeRow['op'],
  ids: readonly NewId[],
  fields: readonly string[] = [],
  event: string | null = null,
): NotedRow => ({
  model,
  op,
  ids,
  fields,
  event,
})

/** The notes of one model, merged: a record made and removed never was; like writes are one row. */
function rowsOf(model: string, notes: readonly Note[]): NotedRow[] {
  const of = (kind: ChangeKind) =>
    new Set(notes.filter((note) => note.kind === kind).flatMap(({ ids }) => ids.map(resolved)))
  const [created, removed] = [of('c'), of('d')]
  const fieldsOf = new Map<NewId, Set<string>>()
  for (const { kind, ids, fields } of notes) {
    if (kind !== 'u') continue
    for (const id of ids) {
      if (created.has(id) || removed.has(id)) continue
      const changedFields = fieldsOf.get(id) ?? new Set<string>()
      fieldsOf.set(id, changedFields)
      for (const field of fields) changedFields.add(field)
    }
  }
  const rows: NotedRow[] = []
  const createdIds = [...created.difference(removed)].sort(ascending)
  if (createdIds.length) rows.push(rowOf(model, 'c', createdIds))
  const alike = Map.groupBy(fieldsOf, ([, fields]) => [...fields].sort().join())
  for (const [fields, group] of alike)
    rows.push(rowOf(model, 'u', group.map(([id]) => id).sort(ascending), fields.split(',').filter(Boolean)))
  for (const { kind, ids, event = null } of notes)
    if (kind === 'e') rows.push(rowOf(model, 'e', [...new Set(ids)], [], event))
  const gone = [...removed.difference(created)].sort(ascending)
  if (gone.length) rows.push(rowOf(model, 'd', gone))
  return rows
}

/**
 * Whether changes of a model are reported: of stored, permanent ones, unless their contract says
 * otherwise; of those that describe the server only parameters.
 */
export function isTracked(model: ModelDef): boolean {
  if (!model.hasTable || model.kind !== 'model') return false
  return model.options.changes ?? (!model.name.startsWith('ir.') || model.name === 'ir.config_parameter')
}

// Counts of a session's changes by model: code that creates records learns from them whether other code
// changed some meanwhile. A second flag says whether definitions of properties changed, so that a session
// that creates records repeatedly queries for missing definitions once.

const touches = new Slot<Map<ModelDef, number>>()
/** Of these, those that did more than to write amounts. */
const links = new Slot<Map<ModelDef, number>>()

/** Whether a field holds an amount: no link, and nothing that says where a link leads. */
const isAmount = ({ kind }: FieldDef): boolean => kind === 'float' || kind === 'monetary'

/** Called before records of any model change; `fields` is empty where they are unknown. */
export function noteTouch(unit: Unit, model: ModelDef, kind: ChangeKind, fields: readonly FieldDef[]): void {
  // A savepoint may undo the change: from here on, definitions are asked for each time.
  if (holdsDefinitions(model)) touched.set(unit, true)
  count(touches, unit, model)
  if (kind !== 'u' || fields.length === 0 || !fields.every(isAmount)) count(links, unit, model)
}

function count(slot: typeof touches, unit: Unit, model: ModelDef): void {
  const counts = slot.get(unit) ?? new Map<ModelDef, number>()
  slot.set(unit, counts)
  counts.set(model, (counts.get(model) ?? 0) + 1)
}

export const touchesOf = (unit: Unit, model: ModelDef): number => touches.get(unit)?.get(model) ?? 0

/** Changes of more than amounts: the lines of a record depend on nothing else. */
export const linkTouchesOf = (unit: Unit, model: ModelDef): number => links.get(unit)?.get(model) ?? 0

/** Whether the call created, changed or deleted records of a model so far. */
export const isTouched = (env: Environment, model: ModelName): boolean =>
  touchesOf(env.unit, env.def(model)) > 0

const vain = new Slot<Statement[]>()
const touched = new Slot<true>()

/** Whether a question for definitions finds any. `ask`: another way to ask it. */
export async function isDefined(
  unit: Unit,
  question: Statement,
  ask = async (): Promise<boolean> => (await unit.run(question)).length > 0,
): Promise<boolean> {
  if (isUndefined(unit, question)) return false
  const isFound = await ask()
  if (!isFound) noteUndefined(unit, question)
  return isFound
}

export function noteUndefined(unit: Unit, question: Statement): void {
  vain.set(unit, [...(vain.get(unit) ?? []), question])
}

const isUndefined = (unit: Unit, question: Statement): boolean =>
  !touched.get(unit) && (vain.get(unit) ?? []).some((one) => isSame(one, question))

const isSame = (one: Statement, other: Statement): boolean =>
  one.text === other.text && JSON.stringify(one.values) === JSON.stringify(other.values)

const holdsDefinitions = oncePer((model: ModelDef): boolean =>
  [...model.fields.values()].some(({ kind }) => kind === 'properties_definition'),
)
