// Groups that were asked for before, found by the form of what is asked (read/known.ts): their statement is
// known, and their text is written without objects between.
import { mapInTurns } from '../../kit/pace.ts'
import { present } from '../../kit/present.ts'
import type { ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import type { Row } from '../language/unit.ts'
import type { Typed } from '../language/wishes.ts'
import { askedAbout, jsonOf } from '../read/known.ts'
import { Rendered } from '../read/rendered.ts'
import { type Asked, planFor, statementOf } from '../row/plans.ts'
import { wireAggregate } from './aggregates.ts'
import { allOf, type DomainList } from './conditions.ts'
import { written } from './decimals.ts'
import { fillOf } from './fill.ts'
import { showCells } from './formatted.ts'
import { conditionOf, keyOf, targetOf, wireKey } from './keys.ts'
import type { GroupsRest } from './query.ts'

/**
 * The parameters of `formatted_read_group` as a key and values; null where they are not in their common form:
 * values are typed, or periods without records are filled in.
 */
export function askedGroups(
  env: Environment,
  model: ModelDef,
  params: Record<string, unknown>,
  typed: Typed | null,
): Asked | null {
  const { domain, groupby, aggregates, having, order, limit, offset } = params
  const rest = jsonOf([groupby, aggregates, having, order, limit, offset])
  if (rest === null || typed || fillOf(env)) return null
  return askedAbout(env, model, domain, `formatted_read_group ${rest}`)
}

/** The answer to a question about groups that is known; null for others. Throws PayloadTooLarge. */
export async function readKnownGroups(env: Environment, asked: Asked): Promise<Rendered | null> {
  const plan = planFor<GroupsRest>(asked)
  if (!plan?.rest.sole) return null
  const rows = await env.unit.run(statementOf(plan, asked.values), true)
  await showCells(env, rows.length, plan.rest.groups, plan.rest.aggregates)
  const text = `[${(await mapInTurns(rows, writerOf(plan.rest))).join(',')}]`
  env.unit.shown.addText(text.length)
  return new Rendered(text)
}

/** A key as text, and the condition that selects its group. */
interface ToldKey {
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
  const told = groups.map(() => new Map<unknown, ToldKey>())
  const keyIn = (row: Row, i: number): ToldKey => {
    const group = present(groups[i])
    const key = keyOf(group, row[i])
    const before = width > 1 ? told[i]?.get(key) : undefined
    if (before) return before
    const text =
      named[i] && key !== null
        ? `[${key},${JSON.stringify(row[width + i] ?? false)}]`
        : JSON.stringify(wireKey(group, key, undefined, calendar))
    const one = { text, condition: conditionOf(group, key, calendar) }
    if (width > 1) told[i]?.set(key, one)
    return one
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
      text += tails[i] + JSON.stringify(written(aggregate, wireAggregate(aggregate, row[2 * width + 1 + i])))
    return `${text}}`
  }
}
