// Binary fields kept as attachments of their record, and images in several sizes: where a value is, and how
// large, without reading it.
import { present } from '../../kit/present.ts'
import { id, idList, sql } from '../../sql/index.ts'
import type { FieldDef, ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { readContents, readFieldContents } from './contents.ts'

/** The image that a field is a smaller version of: a field of the same record. */
export function originalOf(field: FieldDef): FieldDef | null {
  const [name, ...more] = field.related ?? []
  if (
    field.kind !== 'binary' ||
    !field.options.image ||
    !field.options.maxWidth ||
    field.inherited ||
    name === undefined ||
    more.length
  )
    return null
  return field.model.fields.get(name) ?? null
}

/** Smaller versions of an image that its model has. */
export function smallerOnes(field: FieldDef): FieldDef[] {
  return [...field.model.fields.values()].filter((other) => originalOf(other) === field)
}

/** Kept as an attachment of its record. */
export const isFile = (field: FieldDef): boolean =>
  field.kind === 'binary' && field.stored && !field.column && !field.related && !field.compute

/** Contents of a field's own files by record, base64; records without a file are left out. */
export async function fileValues(
  env: Environment,
  field: FieldDef,
  ids: readonly number[],
): Promise<Map<number, string | null>> {
  const contents = await readContents(env, 'res_id', ownFiles(field.model, field, ids))
  return new Map([...contents].map(([record, content]) => [record, content?.toString('base64') || null]))
}

/** As `fileValues` for several fields of a model, by name. */
export async function filesValues(
  env: Environment,
  fields: readonly FieldDef[],
  ids: readonly number[],
): Promise<Map<string, Map<number, string | null>>> {
  const [first] = fields
  if (!first || ids.length === 0) return new Map()
  const names = fields.map(({ name }) => name)
  const contents = await readFieldContents(
    env,
    sql`res_model = ${first.model.name} AND res_field = ANY(${names}::text[]) AND res_id = ANY(${idList(ids)})`,
  )
  const values = new Map(names.map((name) => [name, new Map<number, string | null>()]))
  for (const [name, record, content] of contents)
    values.get(name)?.set(record, content?.toString('base64') || null)
  return values
}

/**
 * Bytes of binary values by record; null for unset ones. Undefined for fields whose values code
 * computes.
 */
export async function binarySizes(
  env: Environment,
  field: FieldDef,
  ids: readonly number[],
): Promise<Map<number, number | null> | undefined> {
  if (field.column) {
    const rows = await env.query<[number, number | null]>(
      sql`SELECT "id", octet_length(${id(field.name)}) FROM ${id(field.model.table)} WHERE "id" = ANY(${idList(ids)})`,
    )
    return new Map(rows.map(([record, size]) => [record, size]))
  }
  if (field.compute) return field.compute.options.size?.(ids, env)
  const original = originalOf(field)
  if (original || isFile(field)) return fileSizes(env, field.model, [original ?? field, field], ids)
  const [via = '', ...rest] = field.related ?? []
  const step = field.model.fields.get(via)
  const last = rest.length === 1 ? step?.comodel?.fields.get(present(rest[0])) : undefined
  if (step?.kind !== 'many2one' || !step.column || !last) return undefined
  const rows = await env.query<[number, number | null]>(
    sql`SELECT "id", ${id(via)} FROM ${id(field.model.table)} WHERE "id" = ANY(${idList(ids)})`,
  )
  const sizes = await binarySizes(env, last, [...new Set(rows.flatMap(([, target]) => target ?? []))])
  return sizes && new Map(rows.map(([record, target]) => [record, sizes.get(present(target)) ?? null]))
}

/** Sizes of the files of fields; of several of a record that of the last field that has one. */
async function fileSizes(
  env: Environment,
  model: ModelDef,
  fields: readonly FieldDef[],
  ids: readonly number[],
): Promise<Map<number, number | null>> {
  const sizes = new Map<number, number | null>()
  for (const field of new Set(fields)) {
    const rows = await env.query<[number, number | null]>(
      sql`SELECT res_id, file_size FROM ir_attachment WHERE ${ownFiles(model, field, ids)}`,
    )
    for (const [record, size] of rows) sizes.set(record, size)
  }
  return sizes
}

const ownFiles = (model: ModelDef, field: FieldDef, ids: readonly number[]) =>
  sql`res_model = ${model.name} AND res_field = ${field.name} AND res_id = ANY(${idList(ids)})`

/** Whether the context asks for sizes in place of the contents of a field. */
export function wantsSize({ context }: Environment, field: FieldDef): boolean {
  return field.kind === 'binary' && Boolean(context.bin_size || context[`bin_size_${field.name}`])
}

/** `11.00 bytes`, `5.86 Kb`: what `bin_size` gives in place of content (spec/models-api.md section 4). */
export function sizeText(bytes: number | null | undefined): string | false {
  if (!bytes) return false
  const units = ['bytes', 'Kb', 'Mb', 'Gb']
  let [size, unit] = [bytes, 0]
  for (; size >= 1024 && unit < units.length - 1; unit++) size /= 1024
  return `${size.toFixed(2)} ${units[unit]}`
}

/** Bytes that base64 text stands for. */
export function bytesIn(base64: unknown): number {
  if (typeof base64 !== 'string' || base64 === '') return 0
  return (base64.length / 4) * 3 - (base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0)
}
