// Specifications as read: their fields, checked, and the relations that PostgreSQL is to expand.
import { InvalidValue } from '../../errors.ts'
import { isEmptyList, unquoted } from '../../kit/nothing.ts'
import { assertWithin } from '../../limits.ts'
import type { FieldDef, Ids, LooseVals, ModelDef } from '../language/definitions.ts'
import type { Environment, Typed } from '../language/environment.ts'
import { leadsToOne } from '../language/field-options.ts'
import { fieldNamed } from '../rights/judge.ts'
import { assertContext } from '../unit/environment.ts'
import type { WireRow } from './rendered.ts'
import { answerFormOf, type Expanded, type Form } from './selection.ts'

/** Field → {}; for relations `fields`, `order`, `limit`, `context`. */
export type Specification = Readonly<Record<string, unknown>>
export type SpecifiedRow = WireRow

export interface Below {
  readonly fields?: Specification
  readonly order?: string
  readonly limit?: number
  readonly context: LooseVals
}

/** Rows of the specified fields in the order of `ids` (specification.ts). */
export type ReadSpecified = (
  env: Environment,
  model: ModelDef,
  ids: Ids,
  specification: Specification,
  typed?: Typed | null,
) => Promise<SpecifiedRow[]>

export interface Part {
  readonly field: FieldDef
  readonly below: Below
}

export interface Wanted {
  readonly parts: readonly Part[]
  readonly fields: readonly FieldDef[]
  readonly form: Form
  /** Nothing is left to do where PostgreSQL gives all that it is asked for. */
  readonly whole: boolean
}

/** Levels of a specification: each may be a query. */
const MAX_DEPTH = 40

/**
 * Throws InvalidValue for unknown fields anywhere and for what is not a specification, AccessError for fields
 * that are not the user's to see, PayloadTooLarge for too many of them.
 */
export function assertSpecification(env: Environment, model: ModelDef, specification: Specification): void {
  let fields = 0
  const judge = (of: ModelDef, specification: Specification, depth: number) => {
    if (depth > MAX_DEPTH)
      throw new InvalidValue(`The specification is nested more than ${MAX_DEPTH} levels deep.`)
    for (const [name, value] of Object.entries(specification)) {
      assertWithin('fields', ++fields)
      const field = fieldNamed(env, of, name)
      const below = belowOf(name, value)
      assertContext(below.context)
      if (below.fields && field.comodel) judge(field.comodel, below.fields, depth + 1)
      else if (below.fields) assertWithin('fields', fields + Object.keys(below.fields).length)
    }
  }
  judge(model, specification, 1)
}

export function wanted(
  env: Environment,
  model: ModelDef,
  specification: Specification,
  typed: Typed | null,
  among = false,
): Wanted {
  const parts = Object.entries(specification).map(([name, value]) => ({
    field: fieldNamed(env, model, name),
    below: belowOf(name, value),
  }))
  const fields = parts.map(({ field }) => field).filter((field) => field.name !== 'id')
  const form = formFor(env, parts, typed, among)
  return { parts, fields, form, whole: parts.every((part) => isWhole(part, form)) }
}

/**
 * Relations that one statement can expand: without an order, a limit or a context of their own; of many2ones
 * the name, lines that the user may read. Records that several others share (`among`) get no lines in it:
 * these would be made once for each of them.
 */
function formFor(env: Environment, parts: readonly Part[], typed: Typed | null, among: boolean): Form {
  const expanded = new Map<FieldDef, Expanded>()
  for (const { field, below } of parts) {
    const { comodel } = field
    if (
      !comodel ||
      !below.fields ||
      below.order ||
      below.limit !== undefined ||
      Object.keys(below.context).length
    )
      continue
    if (leadsToOne(field)) {
      if (namesOnly(below.fields))
        expanded.set(field, {
          fields: 'display_name' in below.fields ? [comodel.displayName] : [],
          form: answerFormOf(null, typed),
        })
      continue
    }
    if (
      among ||
      comodel.kind === 'abstract' ||
      !(env.su || env.unit.rights.mayModel(env.user, comodel, 'read'))
    )
      continue
    const inside = wanted(env, comodel, below.fields, typed, field.kind !== 'one2many')
    if (inside.whole) expanded.set(field, inside)
  }
  return { named: false, expanded, typed }
}

function isWhole({ field, below }: Part, { expanded }: Form): boolean {
  if (field.kind === 'reference' || field.kind === 'many2one_reference' || field.kind === 'properties')
    return false
  return !field.comodel || expanded.has(field) || (!below.fields && !below.order)
}

export const namesOnly = (fields: Specification): boolean =>
  Object.keys(fields).every((name) => name === 'id' || name === 'display_name')

/** PHP's empty lists are empty objects here, at every depth. */
function belowOf(name: string, parameter: unknown): Below {
  const value = isEmptyList(parameter) ? {} : parameter
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new InvalidValue(`The specification of ${name} must be an object.`)
  const { fields: inside, order, limit: most, context } = value as Record<string, unknown>
  const [fields, limit] = [isEmptyList(inside) ? {} : inside, unquoted(most)]
  if (fields !== undefined && (typeof fields !== 'object' || fields === null || Array.isArray(fields))) {
    throw new InvalidValue(`The fields of ${name} must be an object.`)
  }
  if (typeof limit === 'number' && !(Number.isInteger(limit) && limit >= 0))
    throw new InvalidValue(`The limit of ${name} must be a whole number, and not below zero.`)
  return {
    ...(fields === undefined ? {} : { fields: fields as Specification }),
    ...(typeof order === 'string' && order ? { order } : {}),
    ...(typeof limit === 'number' ? { limit } : {}),
    context: typeof context === 'object' && context !== null ? (context as Record<string, unknown>) : {},
  }
}
