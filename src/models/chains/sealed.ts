// Sealed records: declarations of modules, and expressions of PostgreSQL for what is hashed.
import { quote, literal as sqlLiteral } from '../../sql/index.ts'
import { columnTypeOf } from '../kinds/index.ts'
import type { ModelDef, Registry } from '../language/definitions.ts'

/** Records and fields of theirs that go into a hash. */
interface SealedFields {
  readonly model: string
  /** Stored fields, in the order of the hash; many2many fields stand for the ids that are linked. */
  readonly fields: readonly string[]
}

/** Lines of a sealed record. `parent`: the many2one that leads to it. */
export interface SealedPart extends SealedFields {
  readonly parent: string
}

/** A module's declaration of sealed records: when they are sealed, in which chain, and what is hashed. */
export interface SealedRecords extends SealedFields {
  readonly parts: readonly SealedPart[]
  /** The values of `state` in which a record is sealed; a sealed record keeps one of them. */
  readonly states: readonly string[]
  /** The record that the chain belongs to, with the field that people know it by. */
  readonly chain: { readonly model: string; readonly by: string; readonly title: string }
  /** A text field that tells several chains of one owner apart. */
  readonly series?: string
  /**
   * Where not every record in these states is sealed: the field for the hash. Records in which it is
   * `PENDING` are sealed at the end of their transaction, in the order of this integer field.
   */
  readonly marked?: { readonly field: string; readonly order: string }
}

/** The value in the place of the hash until the transaction ends. */
export const PENDING = 'pending'

/** A quoted string literal as text: bodies of functions take no parameters. */
export const literal = (text: string): string => sqlLiteral(text).compile().text

export const defOf = (registry: Registry, name: string): ModelDef => {
  const model = registry.get(name)
  if (!model) throw new Error(`There is no model ${name} to seal.`)
  return model
}

const fieldOf = (model: ModelDef, name: string) => {
  const field = model.fields.get(name)
  if (!field || (!field.column && !field.link))
    throw new Error(`${model.name}.${name} has neither a column nor links: it cannot be sealed.`)
  return field
}

/** Names of columns in the hash of a model's row, the id first. */
export function sealedColumns(registry: Registry, { model, fields }: SealedFields): readonly string[] {
  const def = defOf(registry, model)
  return ['id', ...fields.filter((name) => fieldOf(def, name).column)]
}

/** Tables of links in the hash, with the column that names the row. */
export function sealedLinks(registry: Registry, { model, fields }: SealedFields) {
  const def = defOf(registry, model)
  return fields.flatMap((name) => fieldOf(def, name).link ?? [])
}

/** The series of a row, which is empty where its chain has no series. */
export const seriesOf = ({ series }: SealedRecords, row: string): string =>
  series ? `COALESCE(${row}.${quote(series)}, '')` : "''"

/** Whether a row is in a state in which it is sealed. */
export const inSealedState = (row: string, { states }: SealedRecords): string =>
  `${row}.state IN (${states.map(literal).join(', ')})`

/**
 * The content of a record, the row `row`: an expression of type text that depends on nothing but the rows.
 * JSON has dates in one form, numbers without zeros at the end, and binary numbers by their bytes.
 */
export function contentOf(registry: Registry, sealed: SealedRecords, row: string): string {
  const parts = sealed.parts.map(
    (part) =>
      `(SELECT json_agg(${rowContent(registry, part, 'p')} ORDER BY p.id) FROM ${defOf(registry, part.model).table} p WHERE p.${quote(part.parent)} = ${row}.id)`,
  )
  return `json_build_array(${[inSealedState(row, sealed), rowContent(registry, sealed, row), ...parts].join(', ')})::text`
}

function rowContent(registry: Registry, { model, fields }: SealedFields, row: string): string {
  const def = defOf(registry, model)
  const values = fields.map((name) => {
    const field = fieldOf(def, name)
    const column = `${row}.${quote(name)}`
    if (field.link)
      return `(SELECT json_agg(x.${field.link.other} ORDER BY x.${field.link.other}) FROM ${field.link.table} x WHERE x.${field.link.column} = ${row}.id)`
    const type = columnTypeOf(field)
    if (type === 'numeric') return `trim_scale(${column})`
    return type === 'float8' ? `encode(float8send(${column} + 0), 'hex')` : column
  })
  return `json_build_array(${[`${row}.id`, ...values].join(', ')})`
}

/** The header of a link, hashed before the content: all of its columns, and which chain it is of. */
export const linkHeader = (
  columns: {
    readonly [name in 'model' | 'id' | 'series' | 'position' | 'time' | 'ofModel' | 'ofId' | 'name']: string
  },
): string =>
  `json_build_array(${[
    columns.model,
    columns.id,
    columns.series,
    columns.position,
    columns.time,
    columns.ofModel,
    columns.ofId,
    columns.name,
  ].join(', ')})::text`
