// A form as it would be after saving: the record is created or written in a savepoint, read, and
// undone. Models allow that for `onchange` by `formsBySaving`.

import { ServiceError } from '../../errors.ts'
import { Slot } from '../../kit/slot.ts'
import { isRetryable, translate } from '../../postgres/index.ts'
import { flush, modified } from '../compute/recompute.ts'
import type { FieldDef, ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { leadsToOne } from '../language/field-options.ts'
import type { Specification } from '../read/wanted.ts'
import { fieldNamed } from '../rights/judge.ts'
import { attempt } from '../transfer/attempt.ts'
import { recordsOf } from '../unit/environment.ts'
import { type Row, readForm, type Values } from './form-changes.ts'

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
  ids: readonly number[],
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
  if (leadsToOne(field))
    return typeof value === 'object' && value !== null && 'id' in value ? value.id : value
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
