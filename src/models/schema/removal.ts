// Tables, columns and rules that a schema has beyond another one, taken away by changes that lock a table for
// a moment only.
import { quote } from '../../sql/index.ts'
import { removal } from './apply.ts'
import { type Change, change, dropLeftovers } from './rolling.ts'
import type { Schema } from './tables.ts'

export interface Removal {
  /** Lets records be written and removed by models that do not know what goes. */
  readonly loosen: readonly Change[]
  readonly drop: readonly Change[]
}

/** Tables, columns, indexes and constraints that `after` does not have. */
export function removalOf(before: Schema, after: Schema): Removal {
  const staying = new Map(
    after.tables.map((table) => [table.name, new Set(table.columns.map((column) => column.name))]),
  )
  const names = new Set([...after.things, ...after.foreignKeys].map((thing) => thing.name))
  const things = before.things.filter(({ name, table }) => staying.has(table) && !names.has(name))
  const columns = before.tables.flatMap(({ name: table, columns }) =>
    columns
      .filter(({ name }) => staying.has(table) && !staying.get(table)?.has(name))
      .map((column) => ({ ...column, table })),
  )
  const tables = before.tables.filter(({ name }) => !staying.has(name))
  const required = columns.filter(({ notNull }) => notNull)
  return {
    loosen: [
      ...before.foreignKeys
        .filter(({ name }) => !names.has(name))
        .map((key) =>
          change(`drop the foreign key ${key.name}`, [
            `ALTER TABLE IF EXISTS ${quote(key.table)} DROP CONSTRAINT IF EXISTS ${quote(key.name)}`,
          ]),
        ),
      ...required.map(({ table, name }) =>
        change(`let ${table}.${name} be empty`, [
          `ALTER TABLE ${quote(table)} ALTER COLUMN ${quote(name)} DROP NOT NULL`,
        ]),
      ),
    ],
    drop: [
      ...things.map((thing) => change(`drop the ${thing.kind} ${thing.name}`, [removal(thing)])),
      ...dropLeftovers([
        ...columns.map(({ table, name }) => ({ table, column: name })),
        ...tables.map(({ name }) => ({ table: name, column: null })),
      ]),
    ],
  }
}
