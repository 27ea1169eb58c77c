// The older form of groups, `read_group`: fields with their own aggregators, lazy groups, whole domains and
// ranges (spec/models-api.md section 7).
import { InvalidValue } from '../../errors.ts'
import { mapInTurns, Pace } from '../../kit/pace.ts'
import { present } from '../../kit/present.ts'
import { assertWithin } from '../../limits.ts'
import { parseDomain } from '../domain/index.ts'
import type { FieldDef, ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { isAskable } from '../language/field-options.ts'
import type { Tree } from '../language/tree.ts'
import { definitionNamed } from '../read/properties.ts'
import { fieldNamed } from '../rights/judge.ts'
import { scopeOver } from '../row/scope.ts'
import { wireAggregateValue } from './aggregates.ts'
import { filledGroups, keyFormatter, showCells, type WireGroup } from './formatted.ts'
import { allOf, type DomainList } from './keys.ts'
import { type GroupTerm, parseGroupOrder } from './order.ts'
import { nextStart, type Period } from './periods.ts'
import { parseGroups } from './properties.ts'
import { type Groups, readGroups } from './query.ts'
import {
  type AggregateSpec,
  aggregateOf,
  type GroupSpec,
  isPeriodSpec,
  ownAggregator,
  specList,
} from './specs.ts'

export interface LegacyOptions {
  readonly fields: unknown
  readonly groupby: unknown
  readonly offset: unknown
  readonly limit: unknown
  readonly orderby: unknown
  readonly lazy: unknown
}

/** A spec and the key it was asked for by, which may leave out the month of dates. */
interface Named {
  readonly name: string
  readonly group: GroupSpec
}

/** Throws InvalidValue for specs and fields that do not hold, AccessError without read access. */
export async function legacyGroups(
  env: Environment,
  model: ModelDef,
  domain: DomainList,
  options: LegacyOptions,
): Promise<WireGroup[]> {
  const names = specList('groupby', typeof options.groupby === 'string' ? [options.groupby] : options.groupby)
  const specs: string[] = []
  for (const name of names) specs.push(await withGranularity(env, model, name))
  const parsed = await parseGroups(env, model, specs)
  const all = names.map((name, i): Named => ({ name, group: present(parsed[i]) }))
  const lazy = Boolean(options.lazy) && all.length > 0
  const used = lazy ? all.slice(0, 1) : all
  const groups = used.map(({ group }) => group)
  const aggregates = aggregatesOf(env, model, options.fields, groups)
  const countKey = lazy ? `${present(used[0]).name.split(':')[0]}_count` : '__count'
  const order = parseGroupOrder(options.orderby).map((term) =>
    translated(env, model, term, used, aggregates, countKey),
  )
  const table = await filledGroups(env, model, parseDomain(domain), groups, aggregates, {
    order,
    limit: options.limit,
    offset: options.offset,
    last: true,
  })
  const rest = lazy ? names.slice(1) : []
  const keyForm = keyFormatter(table, groups)
  await showCells(env, table.rows.length, groups, aggregates, domain.length)
  return mapInTurns(table.rows, (row) => {
    const wire: WireGroup = {}
    const keys = row.keys.map((key, i) => keyForm(i, key))
    for (const [i, { name, group }] of used.entries()) {
      const value = keys[i]?.value
      wire[name] = isPeriodSpec(group) && Array.isArray(value) ? value[1] : value
    }
    wire[countKey] = row.count
    for (const [i, aggregate] of aggregates.entries())
      wire[aggregate.key] = wireAggregateValue(aggregate, row.aggregates[i])
    wire.__domain = allOf([domain, ...keys.map(({ condition }) => condition)])
    if (rest.length) wire.__context = { group_by: rest }
    if (groups.some(isPeriodSpec)) wire.__range = rangesOf(used, row.keys, table)
    return wire
  })
}

/** Dates are grouped by month unless the spec says otherwise. */
async function withGranularity(env: Environment, model: ModelDef, name: string): Promise<string> {
  if (name.includes(':')) return name
  const [first, property] = name.split('.')
  if (property) {
    const holder = model.fields.get(present(first))
    const type =
      holder?.kind === 'properties' ? (await definitionNamed(env, holder, property))?.type : undefined
    return type === 'date' || type === 'datetime' ? `${name}:month` : name
  }
  const { kind } = fieldNamed(env, model, name)
  return kind === 'date' || kind === 'datetime' ? `${name}:month` : name
}

/** `field`, `field:function`, `name:function(field)`; fields without an aggregator are ignored. */
function aggregatesOf(
  env: Environment,
  model: ModelDef,
  fields: unknown,
  groups: readonly GroupSpec[],
): AggregateSpec[] {
  const specByName = new Map<string, AggregateSpec>()
  for (const item of specList('fields', fields)) {
    const [, name, func, other] = /^(\w+)(?::(\w+)(?:\((\w+)\))?)?$/.exec(item) ?? []
    if (!name) throw new InvalidValue(`Invalid field specification ${JSON.stringify(item.slice(0, 200))}`)
    if (name === '__count') continue
    if (func) {
      specByName.set(name, aggregateOf(env, model, other ?? name, func, name))
      continue
    }
    const field = fieldNamed(env, model, name)
    const aggregator = groups.some((group) => group.field === field) ? null : aggregatorIn(env, field)
    if (aggregator) specByName.set(name, aggregateOf(env, model, name, aggregator, name))
  }
  return [...specByName.values()]
}

const aggregatorIn = (env: Environment, field: FieldDef): string | null =>
  isAskable(field) && scopeOver(env, field.model).value(field) ? ownAggregator(field) : null

/** A term that may name keys of the answer, as a term of groups. Throws InvalidValue. */
function translated(
  env: Environment,
  model: ModelDef,
  term: GroupTerm,
  used: readonly Named[],
  aggregates: readonly AggregateSpec[],
  countKey: string,
): GroupTerm {
  const group =
    used.find(({ name, group }) => name === term.spec || group.spec === term.spec) ??
    used.find(({ group }) => group.field.name === term.spec)
  if (group) return { ...term, spec: group.group.spec }
  if (term.spec === countKey) return { ...term, spec: '__count' }
  if (aggregates.some(({ key }) => key === term.spec) || term.spec.includes(':') || term.spec === '__count')
    return term
  const aggregator = aggregatorIn(env, fieldNamed(env, model, term.spec))
  if (aggregator) return { ...term, spec: `${term.spec}:${aggregator}` }
  throw new InvalidValue(`Invalid order: groups cannot be ordered by ${term.spec}`)
}

function rangesOf(
  used: readonly Named[],
  keys: readonly unknown[],
  { calendar }: Groups,
): Record<string, unknown> {
  const ranges: Record<string, unknown> = {}
  for (const [i, { name, group }] of used.entries()) {
    if (!isPeriodSpec(group)) continue
    const from = keys[i] as string | null
    ranges[name] =
      from === null ? false : { from, to: nextStart(from, group.granularity as Period, calendar) ?? false }
  }
  return ranges
}

// Progress bars: how many records of each colour a group has (`read_progress_bar`).

export type Progress = Record<string, Record<string, number>>

/** `{"group as text": {colour key: count}}`, with 0 for keys without records. Throws InvalidValue. */
export async function readProgress(
  env: Environment,
  model: ModelDef,
  domain: Tree,
  groupBy: unknown,
  bar: unknown,
): Promise<Progress> {
  const { field, colors } = (typeof bar === 'object' && bar !== null ? bar : {}) as Record<string, unknown>
  if (typeof field !== 'string' || typeof colors !== 'object' || colors === null || Array.isArray(colors)) {
    throw new InvalidValue('progress_bar must be an object with a field and its colors')
  }
  if (typeof groupBy !== 'string') throw new InvalidValue('group_by must be a text')
  // Every group gets all of them.
  assertWithin('colors', Object.keys(colors).length)
  const specs = await parseGroups(env, model, [...new Set([groupBy, field])])
  const { rows } = await readGroups(env, model, domain, specs, [], { last: true })
  const empty = Object.fromEntries(Object.keys(colors).map((color) => [color, 0]))
  const width = Object.keys(empty).length + 1
  const pace = new Pace()
  const bars: Progress = {}
  for (const { keys, count } of rows) {
    const group = textOf(keys[0])
    if (!Object.hasOwn(bars, group)) {
      env.unit.shown.add(width)
      bars[group] = { ...empty }
      await pace.step()
    }
    const counts = present(bars[group])
    const color = textOf(keys.at(-1))
    if (Object.hasOwn(counts, color)) counts[color] = (counts[color] ?? 0) + count
  }
  return bars
}

/** A key as existing clients look it up: booleans are `True` and `False`, and so is unset. */
function textOf(key: unknown): string {
  if (key === true) return 'True'
  return key === null || key === false ? 'False' : String(key)
}
