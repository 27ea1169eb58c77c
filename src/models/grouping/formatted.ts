// Groups as clients get them: specs with their values, the condition of each group, aggregates
// (`formatted_read_group`).

import { mapInTurns } from '../../kit/pace.ts'
import { present } from '../../kit/present.ts'
import type { ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import type { Typed } from '../language/preferences.ts'
import type { Tree } from '../language/tree.ts'
import { wireAggregateValue } from './aggregates.ts'
import { allOf, type DomainList } from './conditions.ts'
import { fillGroups, fillOf } from './fill.ts'
import { conditionOf, wireKey } from './keys.ts'
import { type GroupOptions, type Groups, readGroups, whole } from './query.ts'
import type { AggregateSpec, GroupSpec } from './specs.ts'
import { typedAggregate, typedKeys } from './typed.ts'

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
  const unfilled = await readGroups(env, model, domain, groups, aggregates, options)
  if (!fill || whole('limit', options.limit) || whole('offset', options.offset)) return unfilled
  return await fillGroups(unfilled, groups, aggregates, options.order ?? [], fill)
}

/** The groups in wire form, in order. Throws PayloadTooLarge for more than an answer shows. */
export async function formatGroups(
  env: Environment,
  table: Groups,
  groups: readonly GroupSpec[],
  aggregates: readonly AggregateSpec[],
  typed: Typed | null = null,
): Promise<WireGroup[]> {
  const keyForm = teller(table, groups)
  await showCells(env, table.rows.length, groups, aggregates)
  const forms = typed && (await formsOf(env, table, groups, typed))
  return mapInTurns(table.rows, (row) => {
    const wire: WireGroup = {}
    const keys = row.keys.map((key, i) => keyForm(i, key))
    for (const [i, group] of groups.entries()) {
      const form = forms?.[i]
      wire[group.spec] = form ? form(row.keys[i], keys[i]?.value) : keys[i]?.value
    }
    wire.__extra_domain = groups.length ? allOf(keys.map(({ condition }) => condition)) : [[1, '=', 1]]
    for (const [i, aggregate] of aggregates.entries())
      wire[aggregate.key] = typed
        ? typedAggregate(aggregate, row.aggregates[i], typed)
        : wireAggregateValue(aggregate, row.aggregates[i])
    return wire
  })
}

/** Counts what so many groups show. Throws PayloadTooLarge. */
export async function showCells(
  env: Environment,
  rows: number,
  groups: readonly GroupSpec[],
  aggregates: readonly AggregateSpec[],
): Promise<void> {
  const cells = rows * (CONDITION * groups.length + aggregates.length + 1)
  await env.unit.shown.expect(cells)
  env.unit.shown.add(cells)
}

/** Functions that give the keys of each spec in the typed form. */
async function formsOf(env: Environment, table: Groups, groups: readonly GroupSpec[], typed: Typed) {
  const forms: Awaited<ReturnType<typeof typedKeys>>[] = []
  for (const [i, group] of groups.entries()) {
    const keys = table.rows.map((row) => row.keys[i])
    forms.push(await typedKeys(env, { group, keys, names: table.names[i], typed }))
  }
  return forms
}

/** Values that a key and its condition come to. */
export const CONDITION = 5

/** A key in wire form, and the condition that selects its group. */
interface Told {
  readonly value: unknown
  readonly condition: DomainList
}

/** Formats keys, each value of a spec once: names of periods take time, and many groups share them. */
export function teller(table: Groups, groups: readonly GroupSpec[]): (index: number, key: unknown) => Told {
  const formsByKey = groups.map(() => new Map<unknown, Told>())
  return (index, key) => {
    const group = present(groups[index])
    const before = formsByKey[index]?.get(key)
    if (before) return before
    const formatted: Told = {
      value: wireKey(group, key, table.names[index], table.calendar),
      condition: conditionOf(group, key, table.calendar),
    }
    formsByKey[index]?.set(key, formatted)
    return formatted
  }
}
