// Fields that the contacts of a company share, and how their values compare.
import type { Environment, Records } from '#models'

export type Partners = Records<'res.partner'>
export type Values = Readonly<Record<string, unknown>>

/** Fields that a company shares with its people, those of all modules (`commercial` in their declaration). */
export function commercialFields(env: Environment): readonly string[] {
  const { fields } = env.def('res.partner')
  const cached = commercial.get(fields)
  if (cached) return cached
  const names = [...fields.values()].filter((field) => field.options.commercial).map((field) => field.name)
  commercial.set(fields, names)
  return names
}

/** By the fields of a database's contacts, which change with its modules only. */
const commercial = new WeakMap<object, readonly string[]>()

/** Shared fields that a person may change for the company. */
export const upward = ['vat'] as const

/** Records with fields that only the database's modules know. */
export const loadAny = (
  partners: Partners,
  paths: Iterable<string>,
): Promise<(Values & { readonly id: number })[]> => partners.load([...new Set(paths)] as never)

export const prefixed = <P extends string, F extends string>(path: P, fields: readonly F[]) =>
  fields.map((field) => `${path}.${field}` as const)

/** A loaded value in the form that `write` takes. */
const plain = (value: unknown): unknown =>
  typeof value === 'object' && value !== null ? (value as { id: number }).id : (value ?? false)

export const isSet = (value: unknown): boolean => plain(value) !== false && plain(value) !== ''
export const differs = (a: Values, b: Values, fields: readonly string[]): boolean =>
  fields.some((f) => plain(a[f]) !== plain(b[f]))

/** The fields of a loaded record as values to write. */
export const pick = (record: Values, fields: readonly string[]): Values =>
  Object.fromEntries(fields.map((f) => [f, plain(record[f])]))

/** As `pick`; null when none of them is set. */
export const setValues = (record: Values, fields: readonly string[]): Values | null =>
  fields.some((field) => isSet(record[field])) ? pick(record, fields) : null

export const idOf = (value: unknown): number | null =>
  typeof value === 'number' && Number.isInteger(value) && value > 0 ? value : null
