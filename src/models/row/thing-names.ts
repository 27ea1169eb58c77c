// Names of a model's constraints and indexes in the database.
import { createHash } from 'node:crypto'
import type { FieldDef, ModelDef } from '../language/definitions.ts'

export function constraintName(model: ModelDef, rule: string): string {
  return `${model.table}_${rule}`.slice(0, 63)
}

/** A name that the database does not truncate: a hash at its end distinguishes long ones. */
export function fitName(name: string): string {
  return name.length <= 63
    ? name
    : `${name.slice(0, 52)}_${createHash('sha1').update(name).digest('hex').slice(0, 10)}`
}

export const foreignKeyName = (table: string, column: string): string => fitName(`${table}_${column}_fkey`)

export function uniqueIndexName({ model, name }: FieldDef): string {
  return fitName(`${model.table}_${name}_key`)
}
