// Attachments that are the value of a binary field: a caller who creates, changes, moves or deletes one
// writes the field, and needs what a write of the field needs.
import { authorizeWrite } from '#engine'
import { type Environment, idsWhere, type Records, type WriteChange } from '#models'

type Attachments = Records<'ir.attachment'>
type Vals = Readonly<Record<string, unknown>>

/** Values by which a file gets another content or another place. */
const CONTENT = ['raw', 'datas', 'type', 'url', 'res_model', 'res_field', 'res_id']
const changesContent = (vals: Vals) => CONTENT.some((name) => name in vals)

/** New files. Throws as a write of their fields does; other attachments pass. */
export async function authorizeFieldFiles(files: Attachments): Promise<void> {
  await authorizeFields(files.env, await placesOf(files))
}

/** Before a write: the fields of before lose their content, and those of the new values get one. */
export async function authorizeFileChanges(
  files: Attachments,
  changes: readonly WriteChange[],
): Promise<void> {
  const rows = await placesOf(files.browse(idsWhere(changes, changesContent)))
  const placeOf = new Map(rows.map((row) => [row.id, row]))
  for (const { ids, vals } of changes) {
    if (!changesContent(vals)) continue
    const places = ids.flatMap((id) => placeOf.get(id) ?? [])
    await authorizeFields(files.env, places)
    if ('res_model' in vals || 'res_field' in vals || 'res_id' in vals)
      await authorizeFields(
        files.env,
        places.map((place) => ({ ...place, ...vals })),
      )
  }
}

async function placesOf(files: Attachments) {
  if (files.env.su || files.length === 0) return []
  return files.sudo().load(['res_model', 'res_field', 'res_id'])
}

/** Stands for any content: it is that of no file. */
const ANY_FILE = 'AA=='

async function authorizeFields(env: Environment, places: readonly Vals[]): Promise<void> {
  for (const { res_model, res_field, res_id } of places) {
    const def = typeof res_model === 'string' ? env.unit.registry.get(res_model) : undefined
    const field = typeof res_field === 'string' ? def?.fields.get(res_field) : undefined
    if (!def || !field || typeof res_id !== 'number' || res_id === 0) continue
    await authorizeWrite(env, def, [{ ids: [res_id], vals: { [field.name]: ANY_FILE } }])
  }
}
