// Plans of creates: what follows from the shape of a record's values, worked out once for a caller.

import { precomputable, type Step, stepsOf } from '../../compute/precompute.ts'
import { pathsToNewRecords, storedComputed } from '../../compute/recompute.ts'
import { isKnownAsync, isPromise } from '../../compute/values.ts'
import { type Lowered, lower, needsPreparation } from '../../domain/index.ts'
import type { Computed } from '../../language/behaviour.ts'
import type { FieldDef, LooseVals, ModelDef } from '../../language/definitions.ts'
import type { Environment } from '../../language/environment.ts'
import { leadsToOne } from '../../language/field-options.ts'
import { askedForDefinitions, propertiesOf } from '../../read/defined-properties.ts'
import { mayField } from '../../rights/judge.ts'
import { isMomentary } from '../../row/access.ts'
import { type Destination, destinationOf } from '../../row/destinations.ts'
import type { Cached } from '../../row/plans.ts'
import { prepareVals } from '../../row/values.ts'
import { checkedFields } from '../checks.ts'
import { type Default, defaultsBeside } from '../defaults.ts'
import {
  bytesOfPlan,
  type Columns,
  columnFor,
  columnsFor,
  idReads,
  type RowReader,
  rowReader,
  UNSAVED,
} from './shape.ts'

interface Computing {
  readonly fields: readonly FieldDef[]
  readonly compute: Computed
  readonly read: RowReader
}

/** Facts that follow from the names of the values, and from which links are set. */
export interface CreateShape extends Cached {
  readonly defaults: readonly Default[]
  /** Of all values once the model prepared them, by name: columns, and lists, which must be empty. */
  readonly destinations: ReadonlyMap<string, Destination>
  /** Links to records that depend on the new one, or have to fit it: they must not be set. */
  readonly unset: readonly FieldDef[]
  readonly steps: readonly Computing[]
  /** Decides whether the caller may create the record; null without rules. */
  readonly rule: Lowered | null
  readonly checked: RowReader
}

/** An entry of the plan cache; null for shapes that take the general path. */
export interface CreatePlan extends CreateShape {
  readonly row: DeferredRow
}

export interface DeferredRow {
  readonly selfLinks: ReadonlySet<FieldDef>
  /** Columns whose values are sent, in the order of the statement; its texts for one row and for several. */
  readonly order: readonly FieldDef[]
  readonly single: string
  readonly rows: string
  /** Creates that draw the id first, after the INSERT could not. */
  left: number
}

/** Null where more follows from the values than the row. */
export function createShape(env: Environment, model: ModelDef, vals: LooseVals): CreateShape | null {
  const names = new Set(Object.keys(vals))
  if (!model.hasTable || model.inherits.size || model.parentStore || model.auditing?.create) return null
  if (model.hooks.concerns.create.some((concerns) => concerns(names, env))) return null
  const defaults = defaultsBeside(env, model, vals)
  const complete = defaults && completed(env, model, defaults, vals)
  const destinations = complete && destinationsOf(env, model, complete)
  const columns = destinations && [...destinations.values()].filter(({ to }) => to === 'columns')
  const steps = columns && computingOf(env, model, new Set(columns.map(({ field }) => field)))
  const checkedPaths = model.hooks.checks.flatMap(({ rule }) => rule.depends)
  const checked = rowReader(env, model, checkedPaths)
  const unset = linksThatCount(env, model)
  // Whether properties are defined is asked with the id, which has to be drawn before.
  if (propertiesOf(model).length && !precomputable(env, model).length) return null
  if (askedForDefinitions(env, model) === 'many') return null
  const rules = env.su ? null : env.unit.rights.rules(env, model, 'create')
  if (!defaults || !destinations || !steps || !checked || !unset) return null
  // A rule with a date such as `today` is decided by the date of now.
  if (rules && (needsPreparation(model, rules) || isMomentary(env, model, 'create'))) return null
  return {
    defaults,
    destinations,
    unset,
    steps,
    rule: rules && lower(env.sudo(), model, rules),
    checked,
    bytes: bytesOfPlan(defaults.length + destinations.size + steps.length),
  }
}

/** The columns of values with defaults, as the model prepares them; null where a plan does not serve them. */
export function explicitColumns(
  { defaults, destinations }: CreateShape,
  env: Environment,
  model: ModelDef,
  vals: LooseVals,
): Columns | null {
  const complete = completed(env, model, defaults, vals)
  return complete && columnsFor(destinations, complete)
}

/** Null where a default has to be awaited. */
function completed(
  env: Environment,
  model: ModelDef,
  defaults: readonly Default[],
  vals: LooseVals,
): Record<string, unknown> | null {
  const complete: Record<string, unknown> = {}
  for (const { name, make } of defaults) {
    const value = make(env)
    if (isPromise(make, value)) return null
    if (value !== undefined) complete[name] = value
  }
  for (const name in vals) complete[name] = vals[name]
  prepareVals(env, model, complete, null)
  return complete
}

/** Null where a value goes further than into a column, or to a list that is computed. */
function destinationsOf(
  env: Environment,
  model: ModelDef,
  vals: LooseVals,
): CreatePlan['destinations'] | null {
  const destinations = new Map<string, Destination>()
  for (const name of Object.keys(vals)) {
    const destination = columnFor(env, model, name) ?? listFor(env, model, name)
    if (!destination) return null
    destinations.set(name, destination)
  }
  return destinations
}

function listFor(env: Environment, model: ModelDef, name: string): Destination | null {
  const field = model.fields.get(name)
  if (!field || field.compute || !mayField(env, field)) return null
  const destination = destinationOf(field)
  return destination.to === 'lines' ? destination : null
}

/** Functions of the columns without explicit values; null where one is computed after the INSERT. */
function computingOf(
  env: Environment,
  model: ModelDef,
  explicit: ReadonlySet<FieldDef>,
): readonly Computing[] | null {
  const steps: Computing[] = []
  const filled = new Set(explicit)
  for (const step of stepsOf(env, model)) {
    const fields = step.fields.filter((field) => !explicit.has(field))
    const computed = fields.length ? computing(env, model, step, fields) : null
    if (computed) steps.push(computed)
    else if (fields.length) return null
    for (const field of fields) filled.add(field)
  }
  return storedComputed(model).every((field) => filled.has(field)) ? steps : null
}

function computing(
  env: Environment,
  model: ModelDef,
  step: Step,
  fields: readonly FieldDef[],
): Computing | null {
  const compute = step.fields[0]?.compute
  const read = compute?.pure && !compute.source ? rowReader(env, model, compute.depends) : null
  const isRow = fields.every(({ column, kind }) => column && kind !== 'html' && kind !== 'monetary')
  return compute && read && isRow && !isKnownAsync(compute) ? { fields, compute, read } : null
}

/** Null where new records may count by more than a link of their own. */
function linksThatCount(env: Environment, model: ModelDef): readonly FieldDef[] | null {
  const links = new Set<FieldDef>()
  for (const field of checkedFields(model)) {
    if (leadsToOne(field)) links.add(field)
    else if (field.compute) return null
  }
  const parent = model.parent === null ? undefined : model.fields.get(model.parent)
  if (parent) links.add(parent)
  for (const path of pathsToNewRecords(env, model)) {
    const last = path.at(-1)
    // Links of a new record come by commands, of which there are none here.
    if (last?.link && !last.compute) continue
    const back = last?.kind === 'one2many' && !last.compute && !last.related && model.fields.get(last.inverse)
    if (!back || !leadsToOne(back) || !back.column) return null
    links.add(back)
  }
  return [...links]
}

/**
 * Computes the other columns and adds them; false where a function looks at more than the row, or uses
 * the missing id for anything but a link to the record.
 */
export function isComplete(
  { steps, unset }: CreateShape,
  env: Environment,
  columns: Columns,
  id: number,
): boolean {
  const su = env.sudo()
  for (const { fields, compute, read } of steps) {
    const record = read(id, columns)
    const before = idReads()
    const values = record && compute.run([record], su)
    if (!values || isPromise(compute, values) || !values.has(id)) return false
    const value: unknown = values.get(id)
    // Once is for the place of the value (`computed`).
    const looksAtIt = idReads() > before + 1
    const plain = typeof value === 'object' && value !== null && 'id' in value ? value.id : value
    const isOwnId = plain === UNSAVED && fields.every(leadsToOne)
    if (looksAtIt && !isOwnId) return false
    for (const field of fields)
      columns.set(field, isOwnId ? plain : field.type.toColumn(field, plain ?? false))
  }
  for (const field of unset) if ((columns.get(field) ?? null) !== null) return false
  return true
}
