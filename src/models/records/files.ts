// Binary fields kept as attachments of their record: hidden rows of `ir.attachment` with the field's name.
import { sql } from '../../sql/index.ts'
import type { FieldDef } from '../defs.ts'
import type { Environment } from '../environment.ts'

/** Replaces the content of a binary field; `values` holds base64 text or null by record. */
export async function storeFiles(env: Environment, field: FieldDef, values: ReadonlyMap<number, unknown>): Promise<void> {
  const ids = [...values.keys()]
  env.unit.cache.forget(field, ids)
  await env.query(
    sql`DELETE FROM ir_attachment WHERE res_model = ${field.model.name} AND res_field = ${field.name} AND res_id = ANY(${ids}::int[])`,
  )
  const kept = [...values].filter(([, value]) => value !== null)
  if (kept.length === 0) return
  await env
    .sudo()
    .model('ir.attachment' as never)
    .create(
      kept.map(([record, datas]) => ({
        name: field.name,
        res_model: field.model.name,
        res_field: field.name,
        res_id: record,
        type: 'binary',
        datas,
      })) as never,
    )
}
