// Forms: the difference between a form and the record that the server computes from it (spec/models-api.md
// section 5, "onchange"), and a form as it would be after saving: the record is created or written in a
// savepoint, read, and undone. Models allow that for `onchange` by `formsBySaving`.

import { ServiceError } from '../../errors.ts'
import { Slot } from '../../kit/slot.ts'
import { isRetryable, translate } from '../../postgres/index.ts'
import { flush, modified } from '../compute/recompute.ts'
import { idOrValue } from '../kinds/shared.ts'
import type { FieldDef, Ids, LooseVals, ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { comodelOf, fieldOf, leadsToOne } from '../language/field-options.ts'
import { existing } from '../load/links.ts'
import { readBySpecification } from '../read/specification.ts'
import type { Specification } from '../read/wanted.ts'
import { fieldNamed } from '../rights/judge.ts'
import { attempt } from '../transfer/attempt.ts'
import { recordsOf } from '../unit/environment.ts'

/** A record as read by a specification, and values as a form sends them. */
export type Row = Readonly<Record<string, unknown>>
export type Values = Readonly<Record<string, unknown>>

export async function readForm(
  env: Environment,
  model: ModelDef,
  id: number | undefined,
  spec: Specification,
): Promise<Row> {
  const [row] = id === undefined ? [] : await readBySpecification(env, model, [id], spec)
  return row ?? {}
}

/**
 * The values of `after` that the form should take over: those that differ from the form or, where the
 * form has none, from `before`.
 */
export function changesOf(
  fields: readonly FieldDef[],
  formValues: Values,
  before: Row,
  after: Row,
): Record<string, unknown> {
  const changes: Record<string, unknown> = {}
  for (const field of fields) {
    const { name } = field
    if (!Object.hasOwn(after, name)) continue
    if (field.kind === 'one2many') {
      const commands = lineChanges(field, formValues[name], asRows(before[name]), asRows(after[name]))
      if (commands.length) changes[name] = commands
    } else if (field.kind === 'many2many') {
      const ids = idsOf(after[name])
      if (!sameIds(linkedAfter(formValues[name], idsOf(before[name])), ids)) changes[name] = [[6, 0, ids]]
    } else if (!same(field, Object.hasOwn(formValues, name) ? formValues[name] : before[name], after[name]))
      changes[name] = after[name]
  }
  return changes
}

/**
 * Lines that came out otherwise: `[1, id, changes]`, with the form's own ids for lines that it made. Lines
 * that a save makes besides are its own affair.
 */
function lineChanges(
  field: FieldDef,
  formValue: unknown,
  before: readonly Row[],
  after: readonly Row[],
): unknown[] {
  const commands = commandsOf(formValue)
  const rowsBefore = new Map(before.map((row) => [row.id, row]))
  const typed = new Map(
    commands.flatMap((command) => (command[0] === 1 ? [[command[1], command[2] as Values] as const] : [])),
  )
  const making = commands.filter((command) => command[0] === 0)
  const newRows = after.filter((row) => !rowsBefore.has(row.id)).sort((a, b) => Number(a.id) - Number(b.id))
  return after.flatMap((row): unknown[] => {
    const at = newRows.indexOf(row)
    const command = making[at]
    const fields = lineFields(field, row)
    if (at < 0) {
      const changes = changesOf(fields, typed.get(row.id) ?? {}, rowsBefore.get(row.id) ?? {}, row)
      return Object.keys(changes).length ? [[1, row.id, changes]] : []
    }
    const changes = command ? changesOf(fields, (command[2] ?? {}) as Values, {}, row) : {}
    return Object.keys(changes).length ? [[1, command?.[1], changes]] : []
  })
}

/** Fields of a line that a form may take over: no links to records made together with it. */
function lineFields(field: FieldDef, row: Row): FieldDef[] {
  const lines = comodelOf(field)
  return Object.keys(row).flatMap((name) => {
    const lineField = lines.fields.get(name)
    const within = lineField?.comodel === lines || lineField?.comodel === field.model
    return lineField && name !== 'id' && !within ? [lineField] : []
  })
}

/** Without links to records that were only there for the moment. */
export async function lasting(
  env: Environment,
  model: ModelDef,
  changes: LooseVals,
): Promise<Record<string, unknown>> {
  const kept: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(changes)) {
    const { comodel, kind } = fieldOf(model, name)
    if (comodel && (kind === 'many2one' || kind === 'many2many')) {
      const ids =
        kind === 'many2one'
          ? idsOf(value ? [value] : [])
          : idsOf((value as readonly (readonly unknown[])[])[0]?.[2])
      if ((await existing(env.sudo(), comodel, ids)).length < ids.length) continue
    }
    kept[name] = value
  }
  return kept
}

const asRows = (value: unknown): readonly Row[] =>
  Array.isArray(value) ? value.filter((row): row is Row => typeof row === 'object' && row !== null) : []

const idsOf = (value: unknown): number[] =>
  Array.isArray(value) ? value.map((one) => idOrValue(one) as number) : []
const sameIds = (a: Ids, b: Ids) => a.length === b.length && new Set([...a, ...b]).size === new Set(a).size

/**
 * The commands in a value of a form. Values of fields that only the server sets have not been checked:
 * they may be anything.
 */
const commandsOf = (given: unknown): readonly (readonly unknown[])[] =>
  Array.isArray(given) ? given.filter((one): one is readonly unknown[] => Array.isArray(one)) : []

/** Links after commands 3 to 6, or after a list of ids or of rows. */
function linkedAfter(formValue: unknown, before: Ids): number[] {
  const commands = commandsOf(formValue)
  if (commands.length === 0)
    return Array.isArray(formValue) && formValue.length ? idsOf(formValue) : [...before]
  const linked = new Set(before)
  for (const [code, id, ids] of commands) {
    if (code === 4) linked.add(id as number)
    else if (code === 2 || code === 3) linked.delete(id as number)
    else if (code === 5 || code === 6) linked.clear()
    if (code === 6) for (const linkedId of idsOf(ids)) linked.add(linkedId)
  }
  return [...linked]
}

/** Whether a value is what the form has; unset is false, zero or the empty text, as the kind says it. */
function same(field: FieldDef, formValue: unknown, value: unknown): boolean {
  const plain = (one: unknown) =>
    JSON.stringify(one === undefined || one === null || one === false ? field.type.unset : idOrValue(one))
  return plain(formValue) === plain(value)
}

const trying = new Slot<boolean>()

/** Whether what happens now will be undone: numbers that are given out for good are not drawn. */
export const inTrial = (env: Environment): boolean => trying.get(env.unit) === true

/**
 * The record as it would be read after a save of `values`, of which those in `names` were changed last; the
 * first of `ids`, or a new record.
 * Null where it could not be saved as it is: values are missing or refused, or the caller may not save it.
 */
export async function recordAfterSave(
  env: Environment,
  model: ModelDef,
  ids: Ids,
  values: Values,
  names: readonly string[],
  spec: Specification,
): Promise<Row | null> {
  trying.set(env.unit, true)
  try {
    const save = async () => {
      const id = ids[0] ?? (await made(env, model, values, names))
      if (ids.length) await written(env, model, id, values, names)
      return readForm(env, model, id, spec)
    }
    return await attempt(env, save, () => false)
  } catch (failure) {
    const error = isRetryable(failure) ? failure : translate(failure)
    if (error instanceof ServiceError && error.status < 500) return null
    throw failure
  } finally {
    trying.set(env.unit, false)
  }
}

/**
 * A new record; then what follows from the changed fields is computed anew, as after a change of a record
 * that holds the other values.
 */
async function made(
  env: Environment,
  model: ModelDef,
  values: Values,
  names: readonly string[],
): Promise<number> {
  const record = await recordsOf(env, model, []).create([savable(env, model, values, new Set(names))])
  const changed = names.map((name) => fieldNamed(env, model, name))
  await modified(env, changed, record.ids)
  await flush(env)
  return record.ensureOne()
}

/** Earlier changes are written first, so that other values follow the last change. */
async function written(
  env: Environment,
  model: ModelDef,
  id: number,
  values: Values,
  names: readonly string[],
): Promise<void> {
  const record = recordsOf(env, model, [id])
  const all = savable(env, model, values, null)
  const last = new Set(names)
  for (const now of [false, true]) {
    const vals = Object.fromEntries(Object.entries(all).filter(([name]) => last.has(name) === now))
    if (Object.keys(vals).length) await record.write(vals)
  }
}

/**
 * Values of a form as values to save: without what only the server says. `typed`, of a new record: fields
 * whose emptiness counts; other computed fields that the form leaves empty are computed, and required ones
 * get what a record without them gets.
 */
function savable(
  env: Environment,
  model: ModelDef,
  values: Values,
  typed: ReadonlySet<string> | null,
): Record<string, unknown> {
  const kept: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(values)) {
    const field = fieldNamed(env, model, name)
    // Contents of files are stored for good, and nothing follows from them.
    if (
      field.automatic ||
      field.kind === 'binary' ||
      (field.compute && field.readonly && !field.compute.options.inverse)
    )
      continue
    const plain = plainValue(env, field, value)
    const mayFollow = field.compute || (field.required && field.kind !== 'boolean')
    if (typed && mayFollow && !typed.has(name) && (plain === false || plain === null || plain === ''))
      continue
    kept[name] = plain
  }
  return kept
}

/** Links as ids where forms hold objects, and lines without what only the server says of them. */
function plainValue(env: Environment, field: FieldDef, value: unknown): unknown {
  const lines = field.comodel
  if (leadsToOne(field)) return idOrValue(value)
  if (field.kind !== 'one2many' || !lines || !Array.isArray(value)) return value
  return value.map((command: unknown) => {
    if (
      !Array.isArray(command) ||
      (command[0] !== 0 && command[0] !== 1) ||
      typeof command[2] !== 'object' ||
      command[2] === null
    )
      return command
    return [
      command[0],
      command[0] === 0 ? 0 : command[1],
      savable(env, lines, command[2] as Values, command[0] === 0 ? new Set() : null),
    ]
  })
}
