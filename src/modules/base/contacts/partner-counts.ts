// Numbers of documents of contacts: their own and those of all contacts below them.
import type { Environment, ModelName } from '#models'
import { id as identifier, idList, sql } from '../../../sql/index.ts'

/**
 * Counts by contact of documents that a search found, each its `partner_id`'s and everybody's above: one
 * statement.
 */
export async function countUpwards(
  env: Environment,
  ids: readonly number[],
  documents: { readonly ids: readonly number[]; readonly model: ModelName },
): Promise<Map<number, number>> {
  const rows = documents.ids.length
    ? await env.rows(
        sql`WITH RECURSIVE above(document, contact) AS (
        SELECT d.id, d.partner_id FROM ${identifier(env.def(documents.model).table)} d WHERE d.id = ANY(${idList(documents.ids)})
        UNION SELECT a.document, p.parent_id FROM above a JOIN res_partner p ON p.id = a.contact WHERE p.parent_id IS NOT NULL)
      SELECT contact, count(*)::int FROM above WHERE contact = ANY(${idList(ids)}) GROUP BY contact`,
        { reads: [documents.model, 'res.partner'], row: ['int', 'int'] },
      )
    : []
  const counts = new Map(rows.map((row) => [row[0], row[1]]))
  return new Map(ids.map((id) => [id, counts.get(id) ?? 0]))
}
