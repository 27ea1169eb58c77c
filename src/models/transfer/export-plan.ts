// The plan of an export: paths of fields as steps over relations and cells to fill.
import { InvalidValue } from '../../errors.ts'
import { shown } from '../../kit/text.ts'
import { assertWithin } from '../../limits.ts'
import type { FieldDef, ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { comodelOf, leadsToOne } from '../language/relations.ts'
import { fieldNamed } from '../rights/judge.ts'
import { splitPath } from './layout.ts'

/** Steps over relations and cells to fill. */
export type Plan = readonly Step[]
export type Step =
  | { readonly kind: 'id'; readonly at: number }
  | { readonly kind: 'xmlid'; readonly at: number }
  | { readonly kind: 'value'; readonly at: number; readonly field: FieldDef }
  | { readonly kind: 'relation'; readonly field: FieldDef; readonly below: Plan }

/** Whether a step reads the display names of targets and nothing else of them. */
export const named = ({ field, below }: Step & { kind: 'relation' }): boolean =>
  leadsToOne(field) && below.every((step) => step.kind === 'value' && step.field.name === 'display_name')

/** Validates paths from a client. Throws InvalidValue, PayloadTooLarge. */
export function pathsIn(paths: unknown): readonly string[] {
  if (!Array.isArray(paths) || !paths.every((path) => typeof path === 'string'))
    throw new InvalidValue('fields_to_export must be a list of paths')
  assertWithin('fields', paths.length)
  return paths
}

/** Throws InvalidValue for unknown fields, AccessError for fields that the user may not read. */
export const planFor = (env: Environment, model: ModelDef, paths: readonly string[]): Plan =>
  planOf(
    env,
    model,
    paths.map((path, at) => ({ at, steps: splitPath(path) })),
  )

/** Most steps of a path. */
const MAX_STEPS = 20

interface Path {
  readonly at: number
  readonly steps: readonly string[]
}

function planOf(env: Environment, model: ModelDef, paths: readonly Path[]): Plan {
  const plan: Step[] = []
  const below = new Map<FieldDef, Path[]>()
  for (const { at, steps } of paths) {
    const [name = '', ...rest] = steps
    if (steps.length > MAX_STEPS) throw new InvalidValue(`A path to export has at most ${MAX_STEPS} steps.`)
    if (rest.length === 0 && name === '.id') plan.push({ kind: 'id', at })
    else if (rest.length === 0 && name === 'id') plan.push({ kind: 'xmlid', at })
    else {
      const field = fieldNamed(env, model, name)
      if (field.comodel)
        below.set(field, [...(below.get(field) ?? []), { at, steps: rest.length ? rest : ['display_name'] }])
      else if (rest.length)
        throw new InvalidValue(
          `${model.name}.${name} is no relation; ${shown(steps.join('/'))} leads nowhere.`,
        )
      else plan.push({ kind: 'value', at, field })
    }
  }
  for (const [field, deeper] of below)
    plan.push({ kind: 'relation', field, below: planOf(env, comodelOf(field), deeper) })
  return plan
}
