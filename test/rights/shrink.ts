// Shrinking: the smallest plan that still shows a difference.
import { shrinkBy } from '../support/shrink.ts'
import type { Condition, Plan, Step } from './plan.ts'

/**
 * Takes away what is not needed, as long as `differs` says that the rest still shows a difference. At most
 * `tries` attempts.
 */
export async function shrink(
  plan: Plan,
  differs: (smaller: Plan) => Promise<boolean>,
  tries = 300,
): Promise<Plan> {
  return shrinkBy(plan, smallerPlans, differs, tries)
}

/** Whole lists first, then one thing less. */
export function* smallerPlans(plan: Plan): Iterable<Plan> {
  for (const steps of fewer(plan.steps)) yield { ...plan, steps }
  for (const rules of fewer(plan.rules)) yield { ...plan, rules }
  for (const access of fewer(plan.access)) yield { ...plan, access }
  for (const implied of fewer(plan.implied)) yield { ...plan, implied }
  for (const [i, row] of plan.rows.entries())
    if (row) yield { ...plan, rows: plan.rows.with(i, null).map((other) => other && without(other, i)) }
  for (const [i, user] of plan.users.entries())
    for (const groups of fewer(user.groups)) yield { ...plan, users: plan.users.with(i, { ...user, groups }) }
  for (const [i, rule] of plan.rules.entries())
    for (const domain of rule.domain ? smallerConditions(rule.domain) : [])
      yield { ...plan, rules: plan.rules.with(i, { ...rule, domain }) }
  for (const [i, step] of plan.steps.entries())
    for (const smaller of smallerSteps(step)) yield { ...plan, steps: plan.steps.with(i, smaller) }
}

function without<T extends NonNullable<Plan['rows'][number]>>(row: T, place: number): T {
  const values = Object.entries(row.values).map(([name, value]) => {
    if (Array.isArray(value)) return [name, value.filter((other) => other !== place)]
    return [
      name,
      name.endsWith('_id') && name !== 'company_id' && name !== 'owner_id' && value === place ? null : value,
    ]
  })
  return { ...row, values: Object.fromEntries(values) }
}

function* fewer<T>(list: readonly T[]): Iterable<readonly T[]> {
  for (let size = list.length; size >= 1; size = Math.floor(size / 2))
    for (let start = 0; start < list.length; start += size)
      yield [...list.slice(0, start), ...list.slice(start + size)]
}

function* smallerSteps(step: Step): Iterable<Step> {
  if (step.companies) yield { ...step, companies: null }
  if ('domain' in step && step.domain) {
    yield { ...step, domain: null }
    for (const domain of smallerConditions(step.domain)) yield { ...step, domain }
  }
  if ('rows' in step && step.rows.length > 1)
    for (const rows of fewer(step.rows)) if (rows.length) yield { ...step, rows }
  if ('fields' in step && step.fields && step.fields.length > 1)
    for (const fields of fewer(step.fields)) if (fields.length) yield { ...step, fields }
}

/** The parts of a condition, and the condition with fewer parts. */
export function* smallerConditions(condition: Condition): Iterable<Condition> {
  if (condition.kind === 'leaf') return
  if (condition.kind === 'and' || condition.kind === 'or') {
    const [left, right] = condition.of
    yield left
    yield right
    for (const smaller of smallerConditions(left)) yield { ...condition, of: [smaller, right] }
    for (const smaller of smallerConditions(right)) yield { ...condition, of: [left, smaller] }
    return
  }
  if (condition.kind === 'not') yield condition.of
  for (const smaller of smallerConditions(condition.of)) yield { ...condition, of: smaller }
}
