// Caching of a field: the key that its value depends on, and whether a read returns a written value
// unchanged.

import { Slot } from '../../kit/slot.ts'
import type { FieldDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { leadsToOne } from '../language/field-options.ts'

/** Whether a read of a field returns a written value unchanged. */
export function isCachedVerbatim(field: FieldDef): boolean {
  // Unset by a company may still be what all its records fall back to.
  return field.column && field.type.isCachedVerbatim && !field.options.companyDependent
}

/** Whether the cache key of a relation is that of the superuser, from whom rules hide nothing. */
export const isUnruled = (variant: string): boolean => /^[^|]*\|[^|]*\|0\//.test(variant)

/** Whether the value of a record is the same for all users, languages and companies. */
export const isSharedByAll = (field: FieldDef): boolean =>
  field.column && !field.translate && !field.options.companyDependent

interface Variants {
  readonly of: Map<FieldDef, string>
  /** Those of fields that read nothing in the context, by whether they lead to records, and to one. */
  readonly plain: (string | undefined)[]
}

const variants = new Slot<Variants>()

export function variantOf(env: Environment, field: FieldDef): string {
  if (isSharedByAll(field)) return ''
  let callerVariants = variants.get(env)
  if (!callerVariants) {
    callerVariants = { of: new Map(), plain: [] }
    variants.set(env, callerVariants)
  }
  if (!field.compute?.context.length) {
    const place = (leadsToOne(field) ? 1 : 0) + (field.comodel ? 2 : 0)
    callerVariants.plain[place] ??= variantIn(env, field)
    return callerVariants.plain[place]
  }
  let variant = callerVariants.of.get(field)
  if (variant === undefined) {
    variant = variantIn(env, field)
    callerVariants.of.set(field, variant)
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
