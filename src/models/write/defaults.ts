// Defaults of new records: the context's `default_<field>`, the user's or global default, the field's own.

import { isDeepStrictEqual } from 'node:util'
import { ValidationError } from '../../errors.ts'
import { oncePer } from '../../kit/once-per.ts'
import { present } from '../../kit/present.ts'
import { isKnownAsync, isPromise, learnedOf } from '../compute/values.ts'
import type { FieldDef, ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { mayField } from '../rights/judge.ts'
import { fallsBackTo, isWritableOnCreate, keptDefaults } from '../row/company-values.ts'
import type { Sorted } from '../row/destinations.ts'

const PREFIX = 'default_'

type Vals = Record<string, unknown>

export interface Default {
  readonly name: string
  readonly make: (env: Environment) => unknown
  /** Whether it may give another value for another record. */
  readonly varies: boolean
}

function defaultsOf(env: Environment, model: ModelDef, names: Iterable<string>): readonly Default[] {
  const kept = keptDefaults(env, model, env.user)
  const isInContext = hasContextDefaults(env)
  const defaults: Default[] = []
  for (const name of names) {
    const contextual = isInContext && isWritableOnCreate(model, name) ? env.context[PREFIX + name] : undefined
    const field = model.fields.get(name)
    const isKept = Object.hasOwn(kept, name)
    if (contextual !== undefined) defaults.push({ name, make: () => contextual, varies: false })
    else if (!field || !(isKept || field.defaultOf) || !mayField(env, field)) continue
    else if (isKept) defaults.push({ name, make: () => kept[name], varies: false })
    else if (field.defaultOf)
      defaults.push({ name, make: field.defaultOf, varies: field.options.default === undefined })
  }
  return defaults
}

/**
 * Default values by field name, for the fields named; in the wire's forms, as explicit values would be
 * (spec/models-api.md section 5).
 */
export async function defaultValues(
  env: Environment,
  model: ModelDef,
  names: Iterable<string>,
): Promise<Vals> {
  const values: Vals = {}
  for (const { name, make } of defaultsOf(env, model, names)) {
    const answer = make(env)
    const value = isPromise(make, answer) ? await answer : answer
    if (value !== undefined) values[name] = value
  }
  return values
}

/** Values of new records with their defaults, which come first. */
export async function withDefaults(
  env: Environment,
  model: ModelDef,
  list: readonly Readonly<Vals>[],
): Promise<Vals[]> {
  const complete = list.map((): Vals => ({}))
  const missing = defaultable(env, model).filter((name) => list.some((vals) => vals[name] === undefined))
  for (const { name, make, varies } of defaultsOf(env, model, missing)) {
    const field = model.fields.get(name)
    const delegate = field?.inherited ? present(field.related?.[0]) : undefined
    let [calls, value]: [number, unknown] = [0, undefined]
    for (let n = 0; n < list.length; n++) {
      const vals = present(list[n])
      // An existing delegate keeps its own values.
      if (vals[name] !== undefined || (delegate && vals[delegate])) continue
      if (calls === 0 || (varies && !learnedOf(make).isSameForAll)) {
        const [before, answer] = [value, make(env)]
        const isAwaited = isPromise(make, answer)
        value = isAwaited ? await answer : answer
        if (++calls === 2 && isAwaited && isDeepStrictEqual(value, before))
          learnedOf(make).isSameForAll = true
      }
      if (value !== undefined && !isFallback(env, field, value)) present(complete[n])[name] = value
    }
  }
  for (const [n, vals] of list.entries())
    for (const name in vals) if (vals[name] !== undefined) present(complete[n])[name] = vals[name]
  return complete
}

const isFallback = (env: Environment, field: FieldDef | undefined, value: unknown): boolean =>
  Boolean(field?.options.companyDependent && fallsBackTo(env, field, value))

/**
 * Defaults for fields without explicit values, in their order: they are the same as long as the rights
 * are. Null where the context has some, where a function waits for something, and for values by company.
 */
export function defaultsBeside(
  env: Environment,
  model: ModelDef,
  vals: Readonly<Vals>,
): readonly Default[] | null {
  if (hasContextDefaults(env)) return null
  const missing = defaultable(env, model).filter((name) => !(name in vals))
  const defaults = defaultsOf(env, model, missing).filter(
    ({ name, make, varies }) => varies || !isFallback(env, model.fields.get(name), make(env)),
  )
  const isPlain = ({ name, make }: Default) =>
    !isKnownAsync(make) && !model.fields.get(name)?.options.companyDependent
  return defaults.every(isPlain) ? defaults : null
}

const hasContextDefaults = ({ context }: Environment): boolean => {
  for (const key in context) if (key.startsWith(PREFIX)) return true
  return false
}

/** Names of the fields that a record may get a default for: by the context or `ir.default` nearly any. */
function defaultable(env: Environment, model: ModelDef): readonly string[] {
  const { settable, declared } = namesOf(model)
  if (hasContextDefaults(env)) return settable
  for (const _ in keptDefaults(env, model, env.user)) return settable
  return declared
}

const namesOf = oncePer((model: ModelDef) => {
  const fields = [...model.fields.values()].filter((field) => !field.automatic)
  const names = (some: readonly FieldDef[]): readonly string[] => some.map(({ name }) => name)
  return { settable: names(fields), declared: names(fields.filter((field) => field.defaultOf)) }
})

// Refusals of required fields without a value.

const requiredColumns = oncePer((model: ModelDef) =>
  [...model.fields.values()].filter((field) => field.required && field.column),
)

/** Throws ValidationError about the first of them, with the places of all. */
export function assertRequired(model: ModelDef, sorted: readonly Sorted[]): void {
  const fields = requiredColumns(model)
  const lacks = ({ columns }: Sorted, field: FieldDef) => {
    if (field.type.filled || (field.compute && !columns.has(field))) return false
    return (columns.get(field) ?? null) === null
  }
  const first = sorted.findIndex((values) => fields.some((field) => lacks(values, field)))
  if (first < 0) return
  const rows = sorted.flatMap((values, row) =>
    fields.filter((field) => lacks(values, field)).map((field) => [row, field] as const),
  )
  throw missingRequiredError(present(rows[0]?.[1]), rows)
}

/** The refusal of an empty required field; `rows` are all places where one is empty. */
export function missingRequiredError(
  field: FieldDef,
  rows: readonly (readonly [row: number, field: FieldDef])[] = [],
): ValidationError {
  return new ValidationError(
    `Missing required value for the field '${field.label}' (${field.name}) of ${field.model.label} (${field.model.name}).`,
    {
      code: 'required_field',
      about: {
        model: field.model.name,
        field: field.name,
        rows: rows.slice(0, MOST_ROWS).map(([row, { name }]) => [row, name] as const),
      },
    },
  )
}

const MOST_ROWS = 100
