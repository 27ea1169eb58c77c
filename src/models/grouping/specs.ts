// Parsing of what groups are made by and what is reckoned over them: `country_id`, `date:month`,
// `country_id.code`, `color:sum` (spec/models-api.md section 7).

import { InvalidValue } from '../../errors.ts'
import { isNothing } from '../../kit/nothing.ts'
import { shown } from '../../kit/text.ts'
import type { FieldDef, ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { leadsToOne } from '../language/field-options.ts'
import type { PropertyDefinition } from '../read/defined-properties.ts'
import { fieldNamed } from '../rights/judge.ts'
import { type Granularity, granularities, isGranularity, isPart, isPeriod } from './periods.ts'

export interface GroupSpec {
  /** As written; the key of the answer. */
  readonly spec: string
  /** Many2ones that lead to the record with the field; mostly none. */
  readonly steps: readonly FieldDef[]
  readonly field: FieldDef
  /** Of dates and moments, always; of others, never. */
  readonly granularity: Granularity | null
  /** Set when the group is made by a property: `field` then stands for what it is, not for a column. */
  readonly property?: { readonly holder: FieldDef; readonly definition: PropertyDefinition }
}

export interface AggregateSpec {
  /** The key of the answer. */
  readonly key: string
  /** Null for the number of rows. */
  readonly field: FieldDef | null
  readonly func: AggregateFunction
}

const functions = [
  'sum',
  'avg',
  'min',
  'max',
  'count',
  'count_distinct',
  'bool_and',
  'bool_or',
  'array_agg',
  'array_agg_distinct',
  'recordset',
] as const
type AggregateFunction = (typeof functions)[number]

const GROUP = /^(\w+(?:\.\w+)*)(?::(\w+))?$/
const AGGREGATE = /^(\w+):(\w+)$/
const MAX_STEPS = 8

/** A list of texts from outside, each once. Throws InvalidValue. */
export function specList(name: string, value: unknown): string[] {
  if (isNothing(value)) return []
  if (!Array.isArray(value) || !value.every((item) => typeof item === 'string'))
    throw new InvalidValue(`${name} must be a list of texts`)
  if (value.length > 100) throw new InvalidValue(`${name} has more than 100 items`)
  return [...new Set(value as string[])]
}

/** Throws InvalidValue for what cannot be grouped by, AccessError for fields of foreign groups. */
export function parseGroup(env: Environment, model: ModelDef, spec: string): GroupSpec {
  const [, path, granularity] = GROUP.exec(spec) ?? []
  const names = path?.split('.') ?? []
  if (names.length === 0 || names.length > MAX_STEPS)
    throw refusedGroup(model, spec, 'it is not the name of a field')
  const steps: FieldDef[] = []
  let currentModel = model
  for (const name of names.slice(0, -1)) {
    const step = fieldNamed(env, currentModel, name)
    if (!leadsToOne(step) || !step.comodel) throw refusedGroup(model, spec, `${name} is not a many2one field`)
    steps.push(step)
    currentModel = step.comodel
  }
  const field = fieldNamed(env, currentModel, names.at(-1))
  if (!field.type.groups || field.name === 'display_name')
    throw refusedGroup(model, spec, `${field.kind} fields cannot be used to group`)
  if (field.kind === 'many2many' && steps.length)
    throw refusedGroup(model, spec, 'only single values can be reached through a relation')
  return { spec, steps, field, granularity: fitGranularity(model, spec, field.kind, granularity) }
}

/** Throws InvalidValue for a granularity that is missing, unknown or out of place. */
export function fitGranularity(
  model: ModelDef,
  spec: string,
  kind: string,
  granularity: string | undefined,
): Granularity | null {
  if (kind !== 'date' && kind !== 'datetime') {
    if (granularity === undefined) return null
    throw refusedGroup(model, spec, `a ${kind} field has no granularity`)
  }
  if (granularity === undefined) throw refusedGroup(model, spec, 'a granularity such as :month is needed')
  if (!isGranularity(granularity, kind))
    throw refusedGroup(
      model,
      spec,
      `a ${kind} has no granularity ${granularity}; it has ${granularities[kind].join(', ')}`,
    )
  return granularity
}

/** Throws InvalidValue for unknown functions and for fields that they do not suit. */
export function parseAggregate(env: Environment, model: ModelDef, spec: string): AggregateSpec {
  if (spec === '__count') return { key: spec, field: null, func: 'count' }
  const [, name, func] = AGGREGATE.exec(spec) ?? []
  if (!name || !func)
    throw new InvalidValue(`Invalid aggregate ${shown(spec)} on ${model.name}: use the form field:function`)
  return aggregateOf(env, model, name, func, func === 'recordset' ? `${name}:array_agg` : spec)
}

export function aggregateOf(
  env: Environment,
  model: ModelDef,
  name: string,
  func: string,
  key: string,
): AggregateSpec {
  const field = fieldNamed(env, model, name)
  const aggregateFunction = functions.find((one) => one === func)
  if (!aggregateFunction) throw refusedAggregate(field, func, `unknown function; use ${functions.join(', ')}`)
  if (field.type.measure === null || field.name === 'display_name')
    throw refusedAggregate(field, func, `${field.kind} fields cannot be aggregated`)
  const flaw = flawOf(field, aggregateFunction)
  if (flaw) throw refusedAggregate(field, func, flaw)
  return { key, field, func: aggregateFunction }
}

function flawOf(field: FieldDef, func: AggregateFunction): string | null {
  if ((func === 'sum' || func === 'avg') && field.type.measure !== 'number') return 'it takes numbers'
  if ((func === 'bool_and' || func === 'bool_or') && field.type.measure !== 'truth')
    return 'it takes booleans'
  if ((func === 'min' || func === 'max') && field.type.measure === 'truth')
    return 'booleans cannot be ordered'
  if (func === 'recordset' && field.name !== 'id' && field.type.relation !== 'one')
    return 'it takes relations'
  return null
}

export function ownAggregator(field: FieldDef): string | null {
  if (field.options.aggregator !== undefined) return field.options.aggregator
  return field.type.measure === 'number' && field.name !== 'id' ? 'sum' : null
}

/** Whether the groups are days, months … with a start and an end, and not numbers of them. */
export const isPeriodSpec = ({ granularity }: GroupSpec): boolean =>
  granularity !== null && isPeriod(granularity)
export const isPartSpec = ({ granularity }: GroupSpec): boolean => granularity !== null && isPart(granularity)

export function refusedGroup(model: ModelDef, spec: string, why: string): InvalidValue {
  return new InvalidValue(`Invalid groupby ${JSON.stringify(spec.slice(0, 200))} on ${model.name}: ${why}`)
}

function refusedAggregate(field: FieldDef, func: string, why: string): InvalidValue {
  return new InvalidValue(`Invalid aggregate "${field.name}:${func}" on ${field.model.name}: ${why}`)
}
