// Plays a plan against the server and against the model of what is right; gives the first answer that
// differs.
import { Right } from './model.ts'
import type { Answer, Plan, Step } from './plan.ts'
import type { Shape } from './shape.ts'
import type { Stage } from './stage.ts'
import { answerOf, requestOf } from './wire.ts'

export interface Difference {
  /** Its place among the plan's steps. */
  readonly at: number
  readonly step: Step
  readonly said: Answer
  readonly right: Answer
}

export async function play(
  stage: Stage,
  module: string,
  plan: Plan,
  shape: Shape,
): Promise<Difference | null> {
  const ids = await stage.put(module, plan, shape)
  const model = new Right(plan, shape)
  for (const [at, plannedStep] of plan.steps.entries()) {
    const step = 'rows' in plannedStep ? { ...plannedStep, rows: model.there(plannedStep.rows) } : plannedStep
    if ('values' in step && mentions(step.values, shape, step.model).some((place) => !model.rows[place]))
      continue
    const { method, body } = requestOf(step, shape, ids)
    const said = answerOf(
      step,
      shape,
      ids,
      await stage.call(step.user, `${module}.${step.model}`, method, body),
    )
    const right = model.answer(step)
    if (canonical(step, said) !== canonical(step, right)) return { at, step, said, right }
  }
  return null
}

/** Records of the plan that values refer to. */
function mentions(values: Readonly<Record<string, unknown>>, shape: Shape, model: Step['model']): number[] {
  return Object.entries(values).flatMap(([name, value]) => {
    const { target } = shape[model][name] ?? {}
    return !target || target === 'company' || target === 'user' || value === null
      ? []
      : ([value].flat() as number[])
  })
}

/** Groups have no order of their own here; everything else has. */
function canonical(step: Step, answer: Answer): string {
  if (!('value' in answer) || (step.do !== 'formatted_read_group' && step.do !== 'read_group'))
    return JSON.stringify(sorted(answer))
  return JSON.stringify((answer.value as unknown[]).map((group) => JSON.stringify(group)).sort())
}

/** Keys in one order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([key], [other]) => (key < other ? -1 : 1))
      .map(([key, inner]) => [key, sorted(inner)]),
  )
}
