// Plans of creates: what follows from the shape of a record's values, worked out once for a caller.

import { Recent } from '../../../kit/recent.ts'
import { precomputable, type Step, stepsOf } from '../../compute/precompute.ts'
import { storedComputed, waysToMade } from '../../compute/recompute.ts'
import { isKnownToWait, waits } from '../../compute/waits.ts'
import { type Lowered, lower, needsPreparation } from '../../domain/index.ts'
import type { Computed } from '../../language/behaviour.ts'
import type { FieldDef, ModelDef } from '../../language/definitions.ts'
import type { Environment } from '../../language/environment.ts'
import { leadsToMany, leadsToOne } from '../../language/relations.ts'
import { askedForDefinitions, propertiesOf } from '../../read/properties.ts'
import { mayField } from '../../rights/judge.ts'
import { isMomentary } from '../../row/rule.ts'
import { prepareVals } from '../../row/values.ts'
import { checkedFields } from '../company-check.ts'
import { type Default, defaultsBeside } from '../defaults.ts'
import { type RowReader, rowReader } from './new-row.ts'
import { plainField, type Vals } from './shape.ts'

/** A function of new rows, and the columns that it gives. */
interface Computing {
  readonly fields: readonly FieldDef[]
  readonly compute: Computed
  readonly read: RowReader
}

export interface CreatePlan {
  readonly defaults: readonly Default[]
  /**
   * Fields of all values once the model prepared them, by name; null for lists, which must be empty.
   */
  readonly fields: ReadonlyMap<string, FieldDef | null>
  /** Links to records that depend on the new one, or have to fit it: they must not be set. */
  readonly unset: readonly FieldDef[]
  readonly steps: readonly Computing[]
  /** Decides whether the caller may create the record; null without rules. */
  readonly rule: Lowered | null
  /** The record as the model's checks see it. */
  readonly checked: RowReader
  /** The row whose id comes with COMMIT; null where the id is drawn first. */
  readonly deferred: DeferredRow | null
}

/** A row whose INSERT draws its id. */
export interface DeferredRow {
  /** Links to the record itself. */
  readonly selfLinks: ReadonlySet<FieldDef>
  /**
   * Columns whose values are sent, in the order of the statement; its texts for one row and for several.
   */
  readonly order: readonly FieldDef[]
  readonly one: string
  readonly rows: string
  /** Creates that draw the id first, after the INSERT could not. */
  left: number
}

/** Plans that are kept; the least recently used ones go. */
const CAPACITY = 1000

/** Plans by shape (`shapeKey`); null for shapes that take the general path. */
export const plans = new Recent<string, CreatePlan | null>(CAPACITY)

/** The plan for values of this shape; null where more follows from them than the row. */
export function createPlan(env: Environment, model: ModelDef, vals: Vals): CreatePlan | null {
  const names = new Set(Object.keys(vals))
  if (!model.hasTable || model.inherits.size || model.parentStore || model.auditing?.create) return null
  if (model.concerns.create.some((concerns) => concerns(names, env))) return null
  const defaults = defaultsBeside(env, model, vals)
  const complete = defaults && completed(env, model, defaults, vals)
  const fields = complete && plainFields(env, model, complete)
  const explicit = fields && [...fields.values()].filter((field) => field !== null)
  const steps = explicit && computingOf(env, model, new Set(explicit))
  const checked = rowReader(
    env,
    model,
    model.checks.flatMap(({ rule }) => rule.depends),
  )
  const unset = linksThatCount(env, model)
  // Whether properties are defined is asked with the id, which has to be drawn before.
  if (propertiesOf(model).length && !precomputable(env, model).length) return null
  if (askedForDefinitions(env, model) === 'many') return null
  const rules = env.su ? null : env.unit.rights.rules(env, model, 'create')
  if (!defaults || !fields || !steps || !checked || !unset) return null
  // A rule with a date such as `today` is decided by the date of now.
  if (rules && (needsPreparation(model, rules) || isMomentary(env, model, 'create'))) return null
  return {
    defaults,
    fields,
    unset,
    steps,
    rule: rules && lower(env.sudo(), model, rules),
    checked,
    deferred: null,
  }
}

/**
 * The values with defaults, as the model prepares them; null where a default is to be waited for.
 */
export function completed(
  env: Environment,
  model: ModelDef,
  defaults: readonly Default[],
  vals: Vals,
): Record<string, unknown> | null {
  const complete: Record<string, unknown> = {}
  for (const { name, make } of defaults) {
    const value = make(env)
    if (waits(make, value)) return null
    if (value !== undefined) complete[name] = value
  }
  for (const name in vals) complete[name] = vals[name]
  prepareVals(env, model, complete, null)
  return complete
}

function plainFields(env: Environment, model: ModelDef, vals: Vals): CreatePlan['fields'] | null {
  const fields = new Map<string, FieldDef | null>()
  for (const name of Object.keys(vals)) {
    const field = plainField(env, model, name, true)
    const list = field ? undefined : model.fields.get(name)
    if (!field && !(list?.stored && leadsToMany(list) && !list.compute && mayField(env, list))) return null
    fields.set(name, field)
  }
  return fields
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
  return compute && read && isRow && !isKnownToWait(compute) ? { fields, compute, read } : null
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
  for (const path of waysToMade(env, model)) {
    const last = path.at(-1)
    // Links of a new record come by commands, of which there are none here.
    if (last?.link && !last.compute) continue
    const back = last?.kind === 'one2many' && !last.compute && !last.related && model.fields.get(last.inverse)
    if (!back || !leadsToOne(back) || !back.column) return null
    links.add(back)
  }
  return [...links]
}
