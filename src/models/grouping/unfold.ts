// Groups with their contents: nested groups, and records in groups of the last level (`web_read_group`).
// Groups open by themselves, up to a number, or because the caller names them.

import { InvalidValue } from '../../errors.ts'
import { isNoObject, isNothing } from '../../kit/nothing.ts'
import { present } from '../../kit/present.ts'
import { parseDomain } from '../domain/index.ts'
import type { Ids, LooseVals, ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { all, type Tree } from '../language/tree.ts'
import { searchIds } from '../read/search.ts'
import { readBySpecification } from '../read/specification.ts'
import type { Specification, SpecifiedRow } from '../read/wanted.ts'
import { compileOrder } from '../row/order.ts'
import { scopeOver } from '../row/scope.ts'
import { filledGroups, formatGroups, type WireGroup } from './formatted.ts'
import { targetOf } from './keys.ts'
import { type GroupTerm, parseGroupOrder, writeTerm } from './order.ts'
import { parseGroups } from './properties.ts'
import { whole } from './query.ts'
import { type AggregateSpec, type GroupSpec, parseAggregate, specList } from './specs.ts'

export interface UnfoldOptions {
  readonly groupby: unknown
  readonly aggregates: unknown
  readonly limit: unknown
  readonly offset: unknown
  readonly order: unknown
  readonly auto_unfold: unknown
  readonly opening_info: unknown
  readonly unfold_read_specification: unknown
  readonly unfold_read_default_limit: unknown
  readonly groupby_read_specification: unknown
}

interface Unfolded {
  readonly groups: WireGroup[]
  readonly length: number
}

/** The parsed call. Levels differ by domain, window and openings. */
interface Plan {
  readonly env: Environment
  readonly model: ModelDef
  readonly specs: readonly GroupSpec[]
  readonly aggregates: readonly AggregateSpec[]
  readonly order: readonly GroupTerm[]
  /** Order of the records inside. */
  readonly inside: string | null
  readonly auto: boolean
  readonly specification: Specification
  readonly recordLimit: unknown
  readonly values: Readonly<Record<string, Specification>>
  /** Groups of the last level that wait for their records: all are read at once. */
  readonly waiting: { readonly group: WireGroup; readonly ids: Ids }[]
}

const AUTO = 10

/** Throws InvalidValue for missing or invalid parameters, AccessError without read access. */
export async function unfoldedGroups(
  env: Environment,
  model: ModelDef,
  domain: Tree,
  options: UnfoldOptions,
): Promise<Unfolded> {
  const specs = await parseGroups(env, model, specList('groupby', options.groupby))
  if (specs.length === 0) throw new InvalidValue('web_read_group takes at least one groupby')
  const aggregateNames = specList('aggregates', options.aggregates)
  const aggregates = [...aggregateNames.filter((spec) => spec !== '__count'), '__count'].map((spec) =>
    parseAggregate(env, model, spec),
  )
  const terms = parseGroupOrder(options.order)
  const ofGroups = (term: GroupTerm) =>
    specs.some(({ spec }) => spec === term.spec) || term.spec === '__count' || term.spec.includes(':')
  // The terms of groups are the same for all records inside them.
  const inside =
    terms
      .filter((term) => !ofGroups(term))
      .map(writeTerm)
      .join(', ') || null
  // Invalid orders are refused even when no group is opened.
  if (inside) compileOrder(scopeOver(env, model), inside)
  const plan: Plan = {
    env,
    model,
    specs,
    aggregates,
    order: terms.filter(ofGroups),
    inside,
    auto: Boolean(options.auto_unfold),
    specification: objectOf('unfold_read_specification', options.unfold_read_specification) as Specification,
    recordLimit: options.unfold_read_default_limit,
    values: objectOf('groupby_read_specification', options.groupby_read_specification) as Readonly<
      Record<string, Specification>
    >,
    waiting: [],
  }
  const answer = await level(plan, 0, domain, options.limit, options.offset, openingsOf(options.opening_info))
  await readWaiting(plan)
  return answer
}

async function level(
  plan: Plan,
  depth: number,
  domain: Tree,
  limit: unknown,
  offset: unknown,
  openings: readonly Record<string, unknown>[],
): Promise<Unfolded> {
  const { env, model, aggregates } = plan
  const group = present(plan.specs[depth])
  const order = plan.order.filter(
    ({ spec }) => spec === group.spec || !plan.specs.some((other) => other.spec === spec),
  )
  const table = await filledGroups(env, model, domain, [group], aggregates, {
    order,
    limit,
    offset,
    counted: true,
  })
  const groups = await formatGroups(env, table, [group], aggregates)
  const chosen = new Map(openings.map((opening) => [opening.value || false, opening]))
  const keys = table.rows.map((row) => row.keys[0])
  await addValues(plan, group, groups, keys)
  let opened = 0
  for (const [i, wire] of groups.entries()) {
    const key = table.rows[i]?.keys[0] ?? null
    const info = chosen.get(key ?? false)
    const opening = info ? openingOf(info) : null
    const auto = !opening && plan.auto && opened < AUTO && !(key === null && targetOf(group))
    if (opening ? opening.folded : !auto) continue
    opened++
    env.unit.shown.addQuery()
    await open(plan, depth, all([domain, parseDomain(wire.__extra_domain)]), wire, opening)
  }
  return { groups, length: table.length }
}

/** Adds the contents of a group: records at the last level, groups above. */
async function open(
  plan: Plan,
  depth: number,
  domain: Tree,
  wire: WireGroup,
  opening: Opening | null,
): Promise<void> {
  if (depth + 1 < plan.specs.length) {
    wire.__groups = await level(
      plan,
      depth + 1,
      domain,
      opening?.limit,
      opening?.offset,
      opening?.groups ?? [],
    )
    return
  }
  const limit = whole('limit', opening?.limit ?? plan.recordLimit)
  const ids = await searchIds(plan.env, plan.model, domain, {
    order: plan.inside,
    limit,
    offset: whole('offset', opening?.offset),
  })
  plan.waiting.push({ group: wire, ids })
}

async function readWaiting({ env, model, specification, waiting }: Plan): Promise<void> {
  if (waiting.length === 0) return
  const ids = [...new Set(waiting.flatMap((one) => one.ids))]
  const rows = new Map(
    (await readBySpecification(env, model, ids, specification)).map((row): [number, SpecifiedRow] => [
      row.id,
      row,
    ]),
  )
  for (const { group, ids } of waiting) group.__records = ids.flatMap((id) => rows.get(id) ?? [])
}

/** `__values`: more of the records that the groups stand for. */
async function addValues(
  plan: Plan,
  group: GroupSpec,
  groups: readonly WireGroup[],
  keys: readonly unknown[],
): Promise<void> {
  if (!Object.hasOwn(plan.values, group.spec)) return
  const target = targetOf(group)
  if (!target) throw new InvalidValue(`groupby_read_specification: ${group.spec} is not a relational field`)
  const specification = objectOf(group.spec, plan.values[group.spec]) as Specification
  const ids = keys.filter((key): key is number => key !== null)
  const rows = new Map(
    (await readBySpecification(plan.env, target, ids, specification)).map((row) => [row.id, row]),
  )
  for (const [i, wire] of groups.entries()) wire.__values = rows.get(keys[i] as number) ?? { id: false }
}

interface Opening {
  readonly folded: boolean
  readonly limit: unknown
  readonly offset: unknown
  readonly groups: readonly Record<string, unknown>[]
}

/** `opening_info`, or the same of a group. Throws InvalidValue. */
function openingsOf(value: unknown): readonly Record<string, unknown>[] {
  if (isNothing(value)) return []
  if (!Array.isArray(value) || !value.every((one) => typeof one === 'object' && one !== null)) {
    throw new InvalidValue('opening_info must be a list of objects')
  }
  return value as Record<string, unknown>[]
}

function openingOf(chosen: Record<string, unknown>): Opening {
  return {
    folded: Boolean(chosen.folded),
    limit: chosen.limit,
    offset: chosen.offset,
    groups: openingsOf(chosen.groups),
  }
}

/** An object given by a client, empty if it is missing. Throws InvalidValue. */
function objectOf(name: string, value: unknown): LooseVals {
  if (isNoObject(value)) return {}
  if (typeof value !== 'object' || Array.isArray(value)) throw new InvalidValue(`${name} must be an object`)
  return value as Record<string, unknown>
}
