// What the cache may hold of a field: by what its value differs, and which values come back from the table as they went in.
import type { FieldDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'

/** Kinds whose column holds just what `toColumn` gave: what was written need not be read back. */
const kinds: ReadonlySet<string> = new Set([
  'char',
  'text',
  'html',
  'selection',
  'boolean',
  'integer',
  'float',
  'many2one',
  'date',
  'datetime',
  'reference',
])

export function heldAsGiven(field: FieldDef): boolean {
  // Unset by a company may still be what all its records fall back to.
  return field.column && kinds.has(field.kind) && !field.options.companyDependent
}

/** What a value may differ by besides the record. */
export function variantOf(env: Environment, field: FieldDef): string {
  if (field.column && !field.translate && !field.options.companyDependent) return ''
  const lang = field.kind === 'many2one' ? '' : env.lang
  const keys = field.compute?.context.length ? JSON.stringify(field.compute.context.map((k) => env.context[k] ?? null)) : ''
  const seen = field.comodel ? `${env.su ? 0 : env.uid}/${env.activeTest}` : ''
  return `${lang}|${env.companyIds.join()}|${seen}|${keys}`
}
