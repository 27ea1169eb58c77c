// Sealed records: declarations of modules, and SQL expressions for the content that is hashed.
import { CHAIN_PROBLEMS, type ChainBreak } from '../../kit/chain.ts'
import { id as identifier, quote, sql, literal as sqlLiteral } from '../../sql/index.ts'
import { columnTypeOf } from '../kinds/index.ts'
import type { ModelDef, Registry } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'

/** A model and its fields that are hashed. */
interface SealedFields {
  readonly model: string
  /** Stored fields, in the order of the hash. Many2many fields stand for the linked ids. */
  readonly fields: readonly string[]
}

/** Child records of a sealed record. `parent`: their many2one to it. */
export interface SealedPart extends SealedFields {
  readonly parent: string
}

/** A module's declaration of sealed records: when they are sealed, in which chain, and what is hashed. */
export interface SealedRecords extends SealedFields {
  readonly parts: readonly SealedPart[]
  /** The values of `state` in which a record is sealed. A sealed record keeps one of them. */
  readonly states: readonly string[]
  /** The record that the chain belongs to, with the field of its name for users. */
  readonly chain: { readonly model: string; readonly by: string; readonly title: string }
  /** A text field that distinguishes several chains of one owner. */
  readonly series?: string
  /**
   * If not every record in these states is sealed: the field for the hash. Records in which it is
   * `PENDING` are sealed at the end of their transaction, in the order of this integer field.
   */
  readonly marked?: { readonly field: string; readonly order: string }
}

/** The value of the hash until the transaction ends. */
export const PENDING = 'pending'

/** A quoted string literal as text, because bodies of functions have no parameters. */
export const literal = (text: string): string => sqlLiteral(text).compile().text

export const defOf = (registry: Registry, name: string): ModelDef => {
  const model = registry.get(name)
  if (!model) throw new Error(`The model ${name} of sealed records does not exist.`)
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

/** Link tables in the hash, with the column that refers to the row. */
export function sealedLinks(registry: Registry, { model, fields }: SealedFields) {
  const def = defOf(registry, model)
  return fields.flatMap((name) => fieldOf(def, name).link ?? [])
}

/** The series of a row; empty if its chain has no series. */
export const seriesOf = ({ series }: SealedRecords, row: string): string =>
  series ? `COALESCE(${row}.${quote(series)}, '')` : "''"

/** Whether a row is in a state in which it is sealed. */
export const inSealedState = (row: string, { states }: SealedRecords): string =>
  `${row}.state IN (${states.map(literal).join(', ')})`

/**
 * The content of a record, the row `row`: an expression of type text that depends only on the rows. JSON
 * has a single form for dates, numbers without trailing zeros, and binary numbers by their bytes.
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

/** The header of a link, hashed before the content: all of its columns, and its chain. */
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

// Reports on the verification of chains: the state of a chain, and the first break.

/** The first position where a chain differs from what was sealed. */
export interface FoundBreak {
  /** The position in the chain; null for a record without one. */
  readonly position: number | null
  readonly problem: ChainBreak['problem']
  /** The record, if known: model, id, and its name for users. */
  readonly model: string | null
  readonly id: number | null
  readonly name: string | null
  readonly message: string
}

/** The result of verifying a chain. */
export interface ChainReport {
  /** The record that the chain belongs to, and a name for the chain. */
  readonly model: string
  readonly id: number
  readonly series: string
  readonly name: string
  /** Sealed records, and the hash of the last: kept elsewhere, they detect a chain that was rewritten. */
  readonly sealed: number
  readonly hash: string
  /** Records of the same kind and owner that are not sealed: those older than the chain. */
  readonly unsealed: number
  readonly break: FoundBreak | null
}

/** The owner of a chain, and the series of the chain. */
export interface ChainName {
  readonly model: string
  readonly record: number
  readonly series: string
}

/** A name for a chain: the owner's display name, with the series. */
export async function titleOf(
  env: Environment,
  sealed: readonly SealedRecords[],
  { model, record, series }: ChainName,
): Promise<string> {
  const owner = sealed.find(({ chain }) => chain.model === model)
  const [row] = owner
    ? await env.query<[string | null]>(
        sql`SELECT ${identifier(owner.chain.title)} FROM ${identifier(defOf(env.unit.registry, model).table)} WHERE id = ${record}::int`,
      )
    : []
  return [row?.[0] ?? `${model} ${record}`, series].filter(Boolean).join(' ')
}

export type Named = Pick<FoundBreak, 'model' | 'id' | 'name'>

/** A break with its message. `record` is the record that it concerns, if that is certain. */
export function breakAt(
  position: number | null,
  problem: ChainBreak['problem'],
  record: Named | null,
): FoundBreak {
  const { model, id, name } = record ?? { model: null, id: null, name: null }
  const subject = model === null ? `Entry ${position} of the chain` : `${name ?? 'A record'} (${model} ${id})`
  return { position, problem, model, id, name, message: `${subject} ${CHAIN_PROBLEMS[problem]}.` }
}
