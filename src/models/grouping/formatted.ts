// Groups as clients get them: specs with their values, the condition of each group, aggregates (`formatted_read_group`).
import type { ModelDef } from '../defs.ts'
import type { Tree } from '../domain/tree.ts'
import type { Environment } from '../environment.ts'
import { allOf, type DomainList } from './conditions.ts'
import { written } from './decimals.ts'
import { fillGroups, fillOf } from './fill.ts'
import { conditionOf, wireKey } from './keys.ts'
import { type GroupOptions, type Groups, readGroups, whole } from './query.ts'
import type { AggregateSpec, GroupSpec } from './specs.ts'

/** One group: groupby specs, `__extra_domain` and aggregates by their names. */
export type WireGroup = Record<string, unknown>

/** Groups with missing periods filled in where the context asks for it and no window was given. */
export async function filledGroups(
  env: Environment,
  model: ModelDef,
  domain: Tree,
  groups: readonly GroupSpec[],
  aggregates: readonly AggregateSpec[],
  options: GroupOptions,
): Promise<Groups> {
  const fill = fillOf(env)
  const found = await readGroups(env, model, domain, groups, aggregates, options)
  if (!fill || whole('limit', options.limit) || whole('offset', options.offset)) return found
  return fillGroups(found, groups, aggregates, options.order ?? [], fill)
}

/** The groups in wire form, in order. */
export function formatGroups(found: Groups, groups: readonly GroupSpec[], aggregates: readonly AggregateSpec[]): WireGroup[] {
  return found.rows.map((row) => {
    const wire: WireGroup = {}
    for (const [i, group] of groups.entries()) wire[group.spec] = wireKey(group, row.keys[i], found.names[i], found.calendar)
    wire.__extra_domain = groups.length ? allOf(conditionsOf(found, groups, row.keys)) : [[1, '=', 1]]
    for (const [i, aggregate] of aggregates.entries()) wire[aggregate.key] = written(aggregate, row.aggregates[i])
    return wire
  })
}

/** The condition of each key. */
export function conditionsOf(found: Groups, groups: readonly GroupSpec[], keys: readonly unknown[]): DomainList[] {
  return groups.map((group, i) => conditionOf(group, keys[i], found.calendar))
}
