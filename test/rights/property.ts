// The property: whatever the groups, access lines and rules, the server answers every user as the plain model
// says.
import { Random } from '../fuzz/random.ts'
import { makePlan } from './make.ts'
import type { Plan, Step } from './plan.ts'
import { type Difference, play } from './play.ts'
import { makeShape } from './shape.ts'
import { shrink } from './shrink.ts'
import { Stage } from './stage.ts'

export interface PropertyOptions {
  readonly rounds: number
  readonly seed: number
  readonly steps: number
  readonly shapes: number
  readonly progress?: (round: number) => void
}

export interface Finding {
  readonly round: number
  readonly plan: Plan
  readonly difference: Difference
}

/** Plays rounds until the server differs from the model; the plan is shrunk then. Null: it never did. */
export async function findDifference({
  rounds,
  seed,
  steps,
  shapes: count,
  progress,
}: PropertyOptions): Promise<Finding | null> {
  const shapes = Array.from({ length: count }, (_, i) => makeShape(new Random(seed * 1000 + i)))
  const stage = await Stage.open(shapes)
  try {
    for (let round = 0; round < rounds; round++) {
      const random = new Random(seed * 1_000_003 + round)
      const [module, shape] = [`kin${round % count}`, shapes[round % count] as (typeof shapes)[number]]
      const drawn = makePlan(random, shape, steps)
      const plan = { ...drawn, steps: drawn.steps.map((step) => inCompanies(random, step, drawn)) }
      const difference = await play(stage, module, plan, shape)
      progress?.(round + 1)
      if (!difference) continue
      const until = { ...plan, steps: plan.steps.slice(0, difference.at + 1) }
      const smallest = await shrink(
        until,
        async (smaller) => (await play(stage, module, smaller, shape)) !== null,
      )
      return { round, plan: smallest, difference: (await play(stage, module, smallest, shape)) ?? difference }
    }
    return null
  } finally {
    await stage.close()
  }
}

/** Some ask for some of their companies only. */
function inCompanies(random: Random, step: Step, { users }: Plan): Step {
  const companies = users[step.user]?.companies ?? []
  const chosen = random.some(companies, companies.length)
  return chosen.length && random.chance(0.4) ? { ...step, companies: chosen } : step
}

/** A finding as text, for people. */
export function describe({ round, plan, difference }: Finding): string {
  const used = plan.rows.flatMap((row, place) =>
    row ? [`  ${place}: ${row.model} ${JSON.stringify(row.values)}`] : [],
  )
  return [
    `Round ${round}: ${JSON.stringify(difference.step)}`,
    `  server: ${JSON.stringify(difference.said)}`,
    `  right:  ${JSON.stringify(difference.right)}`,
    `users ${JSON.stringify(plan.users)}`,
    `implied ${JSON.stringify(plan.implied)}`,
    ...plan.access.map((line) => `access ${JSON.stringify(line)}`),
    ...plan.rules.map((rule) => `rule ${JSON.stringify(rule)}`),
    ...plan.steps.map((step) => `step ${JSON.stringify(step)}`),
    'records',
    ...used,
  ].join('\n')
}
