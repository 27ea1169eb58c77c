// Attachments that are the value of a binary field: a caller who creates, changes, moves or deletes one
// writes the field, and needs what a write of the field needs.
import { authorizeWrite } from '#engine'
import { idsWhere, type Records, type WriteChange } from '#models'
import { present } from '../../../kit/present.ts'

type Attachments = Records<'ir.attachment'>
type Vals = Readonly<Record<string, unknown>>

/** Values by which a file gets another place, and all by which its field gets another content. */
const PLACE = ['res_model', 'res_field', 'res_id']
const CONTENT = ['raw', 'datas', 'type', 'url', ...PLACE]
const naming = (names: readonly string[]) => (vals: Vals) => names.some((name) => name in vals)

/** Files before a change: their fields lose the content that they have. */
export const authorizeFilesBefore = (files: Attachments, changes: readonly WriteChange[]): Promise<void> =>
  authorizeFieldFiles(files.browse(idsWhere(changes, naming(CONTENT))))

/** Files after a change: the fields at their new places get their content. */
export const authorizeFilesAfter = (files: Attachments, changes: readonly WriteChange[]): Promise<void> =>
  authorizeFieldFiles(files.browse(idsWhere(changes, naming(PLACE))))

/** Stands for any content: it is that of no file. */
const ANY_FILE = 'AA=='

/** Throws as a write of the files' fields does; other attachments pass. */
export async function authorizeFieldFiles(files: Attachments): Promise<void> {
  const { env } = files
  if (env.su || files.length === 0) return
  const places = (await files.sudo().load(['res_model', 'res_field', 'res_id'])).filter((row) => row.res_id)
  for (const rows of Map.groupBy(places, (row) => `${row.res_model} ${row.res_field}`).values()) {
    const { res_model, res_field } = present(rows[0])
    const def = res_model ? env.unit.registry.get(res_model) : undefined
    const field = res_field ? def?.fields.get(res_field) : undefined
    const ids = rows.map((row) => row.res_id as number)
    if (def && field) await authorizeWrite(env, def, [{ ids, vals: { [field.name]: ANY_FILE } }])
  }
}
