// What the cache may hold of a field: by what its value differs, and which values come back from the table as
// they went in.

import { Slot } from '../../kit/slot.ts'
import type { FieldDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { leadsToOne } from '../language/relations.ts'

/** Whether what was written of a field is what a read of it would give. */
export function heldAsGiven(field: FieldDef): boolean {
  // Unset by a company may still be what all its records fall back to.
  return field.column && field.type.heldAsGiven && !field.options.companyDependent
}

/** Whether the variant of a relation is as nobody's rules hide anything of it. */
export const isUnruled = (variant: string): boolean => /^[^|]*\|[^|]*\|0\//.test(variant)

/** Whether the value of a record is the same for everybody. */
export const isOneForAll = (field: FieldDef): boolean =>
  field.column && !field.translate && !field.options.companyDependent

/** What is known of an environment, which stays as it is. */
interface Variants {
  readonly of: Map<FieldDef, string>
  /** Those of fields that look at nothing in the context, by whether they lead somewhere, and to one. */
  readonly plain: (string | undefined)[]
}

const variants = new Slot<Variants>()

/** What a value may differ by besides the record. */
export function variantOf(env: Environment, field: FieldDef): string {
  if (isOneForAll(field)) return ''
  let known = variants.get(env)
  if (!known) {
    known = { of: new Map(), plain: [] }
    variants.set(env, known)
  }
  if (!field.compute?.context.length) {
    const place = (leadsToOne(field) ? 1 : 0) + (field.comodel ? 2 : 0)
    known.plain[place] ??= variantIn(env, field)
    return known.plain[place]
  }
  let variant = known.of.get(field)
  if (variant === undefined) {
    variant = variantIn(env, field)
    known.of.set(field, variant)
  }
  return variant
}

function variantIn(env: Environment, field: FieldDef): string {
  const lang = leadsToOne(field) ? '' : env.lang
  const keys = field.compute?.context.length
    ? JSON.stringify(field.compute.context.map((k) => env.context[k] ?? null))
    : ''
  const seen = field.comodel ? `${env.su ? 0 : env.uid}/${env.activeTest}` : ''
  return `${lang}|${env.companyIds.join()}|${seen}|${keys}`
}
