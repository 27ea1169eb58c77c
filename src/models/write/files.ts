// Binary fields kept as attachments of their record: hidden rows of `ir.attachment` with the field's name.

import { idList, sql } from '../../sql/index.ts'
import { pixelsOf, shrink } from '../images/shrink.ts'
import type { FieldDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { isImageField, maxWidthOf } from '../language/field-options.ts'
import { smallerOnes } from '../load/binaries.ts'

/** Replaces the content of a binary field; `values` holds base64 text or null by record. */
export async function storeFiles(
  env: Environment,
  field: FieldDef,
  values: ReadonlyMap<number, unknown>,
): Promise<void> {
  const ids = [...values.keys()]
  const smaller = isImageField(field) ? smallerOnes(field) : []
  for (const version of [field, ...smaller]) env.unit.cache.forget(version, ids)
  const names = [field, ...smaller].map(({ name }) => name)
  env.unit.send(
    sql`DELETE FROM ir_attachment WHERE res_model = ${field.model.name} AND res_field = ANY(${names}::text[]) AND res_id = ANY(${idList(ids)})`,
  )
  if (isShrunk(field, smaller)) foreseePixels(env, values)
  const rows: object[] = []
  for (const [record, value] of values) {
    if (typeof value !== 'string') continue
    for (const [version, datas] of await sizesOf(env, field, smaller, value))
      rows.push({
        name: version.name,
        res_model: field.model.name,
        res_field: version.name,
        res_id: record,
        type: 'binary',
        datas,
      })
  }
  if (rows.length === 0) return
  await env
    .sudo()
    .model('ir.attachment' as never)
    .create(rows as never)
}

const isShrunk = (field: FieldDef, smaller: readonly FieldDef[]): boolean =>
  isImageField(field) && (maxWidthOf(field) !== undefined || smaller.length > 0)

/** Throws PayloadTooLarge before the first of too many images is worked on: each takes a second. */
function foreseePixels({ unit }: Environment, values: ReadonlyMap<number, unknown>): void {
  let pixels = 0
  for (const value of values.values()) if (typeof value === 'string') pixels += pixelsOf(value)
  unit.quota.foresee('pixels-call', pixels)
}

/**
 * The contents to store: an image no larger than its field allows, and its smaller versions where they
 * differ from it.
 */
async function sizesOf(
  { unit }: Environment,
  field: FieldDef,
  smaller: readonly FieldDef[],
  value: string,
): Promise<readonly (readonly [FieldDef, string])[]> {
  const most = maxWidthOf(field)
  if (!isShrunk(field, smaller)) return [[field, value]]
  const versions = await shrink(
    value,
    [field, ...smaller].flatMap((one) => maxWidthOf(one) ?? []),
    (pixels) => unit.quota.spend('pixels-call', pixels),
  )
  const largest = most === undefined ? undefined : versions.get(most)
  const others = smaller.flatMap((version) => {
    const width = maxWidthOf(version)
    const content = width === undefined ? undefined : versions.get(width)
    return content ? [[version, content.toString('base64')] as const] : []
  })
  return [[field, largest?.toString('base64') ?? value], ...others]
}
