// Groups of requests whose plan is cached (read/request-keys.ts): their JSON is written from the rows of the
// statement without objects between.
import { mapInTurns } from '../../kit/pace.ts'
import { present } from '../../kit/present.ts'
import type { ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import type { Typed } from '../language/preferences.ts'
import type { Row } from '../language/unit.ts'
import { Rendered } from '../read/rendered.ts'
import { canonicalJson, domainKey } from '../read/request-keys.ts'
import { cachedPlan, type RequestKey } from '../row/plans.ts'
import { wireAggregate, wireAggregateValue } from './aggregates.ts'
import { fillOf, showCells } from './formatted.ts'
import { allOf, conditionOf, type DomainList, groupKeyOf, targetOf, wireKey } from './keys.ts'
import type { GroupsRest } from './query.ts'

/**
 * The key of `formatted_read_group`; null for typed values and where periods without records are filled in.
 */
export function groupsKey(
  env: Environment,
  model: ModelDef,
  params: Record<string, unknown>,
  typed: Typed | null,
): RequestKey | null {
  const { domain, groupby, aggregates, having, order, limit, offset } = params
  const rest = canonicalJson([groupby, aggregates, having, order, limit, offset])
  if (rest === null || typed || fillOf(env)) return null
  return domainKey(env, model, domain, `formatted_read_group ${rest}`)
}

/** The answer to a request whose plan is cached; null for others. Throws PayloadTooLarge. */
export async function cachedGroups(env: Environment, request: RequestKey | null): Promise<Rendered | null> {
  const plan = cachedPlan<GroupsRest>(request)
  if (!plan?.rest.sole) return null
  const rows = await env.unit.run(plan.statement, true)
  await showCells(env, rows.length, plan.rest.groups, plan.rest.aggregates)
  const text = `[${(await mapInTurns(rows, writerOf(plan.rest))).join(',')}]`
  env.unit.shown.addText(text.length)
  return new Rendered(text)
}

/** A key as text, and the condition that selects its group. */
interface KeyText {
  readonly text: string
  readonly condition: DomainList
}

/** Writes a row of groups as `formatGroups` and JSON would. */
function writerOf({ groups, aggregates, calendar }: GroupsRest): (row: Row) => string {
  const width = groups.length
  const heads = groups.map(({ spec }) => `${JSON.stringify(spec)}:`)
  const tails = aggregates.map(({ key }) => `,${JSON.stringify(key)}:`)
  const named = groups.map((group) => targetOf(group) !== null)
  // Names of periods take time, and the same ones stand in many groups of several keys.
  const texts = groups.map(() => new Map<unknown, KeyText>())
  const keyIn = (row: Row, i: number): KeyText => {
    const group = present(groups[i])
    const key = groupKeyOf(group, row[i])
    const cached = width > 1 ? texts[i]?.get(key) : undefined
    if (cached) return cached
    const text =
      named[i] && key !== null
        ? `[${key},${JSON.stringify(row[width + i] ?? false)}]`
        : JSON.stringify(wireKey(group, key, undefined, calendar))
    const keyText = { text, condition: conditionOf(group, key, calendar) }
    if (width > 1) texts[i]?.set(key, keyText)
    return keyText
  }
  return (row) => {
    let text = '{'
    const conditions: DomainList[] = []
    for (let i = 0; i < width; i++) {
      const { text: key, condition } = keyIn(row, i)
      text += `${heads[i]}${key},`
      conditions.push(condition)
    }
    const [only] = conditions
    const condition = !only ? [[1, '=', 1]] : width === 1 ? only : allOf(conditions)
    text += `"__extra_domain":${JSON.stringify(condition)}`
    for (const [i, aggregate] of aggregates.entries())
      text +=
        tails[i] +
        JSON.stringify(wireAggregateValue(aggregate, wireAggregate(aggregate, row[2 * width + 1 + i])))
    return `${text}}`
  }
}
