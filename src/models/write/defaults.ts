// Defaults of new records: the context's `default_<field>`, the user's or global default, the field's own.
import { isKnownToWait, waits } from '../compute/waits.ts'
import type { FieldDef, ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { mayField } from '../rights/judge.ts'
import { fallsBackTo } from '../row/company-values.ts'
import { keptDefaults, mayBeGiven } from '../row/kept-defaults.ts'
import { perModel } from '../unit/per-model.ts'

const PREFIX = 'default_'

/**
 * Default values by field name, for the fields named; in the wire's forms, as given values would be
 * (spec/models-api.md section 5).
 */
export async function defaultValues(
  env: Environment,
  model: ModelDef,
  names: Iterable<string>,
): Promise<Record<string, unknown>> {
  const values: Record<string, unknown> = {}
  const kept = keptDefaults(env, model, env.user)
  const told = isTold(env)
  for (const name of names) {
    const given = told && mayBeGiven(model, name) ? env.context[PREFIX + name] : undefined
    if (given !== undefined) {
      values[name] = given
      continue
    }
    const field = model.fields.get(name)
    const isKept = Object.hasOwn(kept, name)
    if (!field || !(isKept || field.defaultOf) || !mayField(env, field)) continue
    const value = isKept ? kept[name] : field.defaultOf?.(env)
    const known = field.defaultOf && waits(field.defaultOf, value) ? await value : value
    if (known !== undefined || isKept) values[name] = known
  }
  return values
}

/**
 * Functions among those that gave default values which may give another one for another record: neither the
 * context nor what is kept for users says it, nor the contract.
 */
export function madeByFunctions(
  env: Environment,
  model: ModelDef,
  values: Readonly<Record<string, unknown>>,
): readonly Default[] {
  const kept = keptDefaults(env, model, env.user)
  const told = isTold(env)
  const made: Default[] = []
  for (const name in values) {
    const { defaultOf, options } = model.fields.get(name) ?? {}
    const isSaid = (told && env.context[PREFIX + name] !== undefined) || Object.hasOwn(kept, name)
    if (defaultOf && !isSaid && options?.default === undefined) made.push({ name, make: defaultOf })
  }
  return made
}

/** How a field of a new record gets a value that is not given. */
export interface Default {
  readonly name: string
  readonly make: (env: Environment) => unknown
}

/**
 * Defaults beside given values, in their order, for a caller who tells none by the context: kept ones stay
 * what they are as long as the rights do. Null where one is told or waits for something, or where what a
 * company falls back to may take its place.
 */
export function defaultsBeside(
  env: Environment,
  model: ModelDef,
  vals: Readonly<Record<string, unknown>>,
): readonly Default[] | null {
  if (isTold(env)) return null
  const kept = keptDefaults(env, model, env.user)
  const defaults: Default[] = []
  for (const name of defaultable(env, model)) {
    const field = model.fields.get(name)
    const isKept = Object.hasOwn(kept, name)
    if (name in vals || !field || !(isKept || field.defaultOf) || !mayField(env, field)) continue
    const value = kept[name]
    if (field.options.companyDependent) {
      // A record without a value of its own has this one, and needs none.
      if (isKept && fallsBackTo(env, field, value)) continue
      return null
    }
    if (!isKept && field.defaultOf && isKnownToWait(field.defaultOf)) return null
    defaults.push({ name, make: (isKept ? () => value : field.defaultOf) ?? (() => undefined) })
  }
  return defaults
}

const isTold = ({ context }: Environment): boolean => {
  for (const key in context) if (key.startsWith(PREFIX)) return true
  return false
}

/** Names of the fields that a record may get a default for: by the context or `ir.default` nearly any. */
export function defaultable(env: Environment, model: ModelDef): readonly string[] {
  const { settable, declared } = namesOf(model)
  if (isTold(env)) return settable
  for (const _ in keptDefaults(env, model, env.user)) return settable
  return declared
}

const namesOf = perModel((model) => {
  const fields = [...model.fields.values()].filter((field) => !field.automatic)
  const names = (some: readonly FieldDef[]): readonly string[] => some.map(({ name }) => name)
  return { settable: names(fields), declared: names(fields.filter((field) => field.defaultOf)) }
})
