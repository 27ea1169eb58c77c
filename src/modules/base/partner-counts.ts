// How many documents contacts have: their own, and those of everybody below them.
import type { Environment } from '#models'

/** Counts by contact, of documents given by whose each is. One statement for each floor of contacts above these. */
export async function countUpwards(env: Environment, ids: readonly number[], owners: readonly number[]): Promise<Map<number, number>> {
  const above = new Map<number, number | null>()
  for (let open = [...new Set(owners)]; open.length; ) {
    const rows = await env.sudo().withContext({ active_test: false }).model('res.partner').browse(open).load(['parent_id'])
    for (const one of rows) above.set(one.id, one.parent_id?.id ?? null)
    open = [...new Set(rows.flatMap((one) => one.parent_id?.id ?? []))].filter((id) => !above.has(id))
  }
  const counts = new Map(ids.map((id) => [id, 0]))
  for (const owner of owners) {
    for (let here: number | null | undefined = owner; here; here = above.get(here)) {
      const count = counts.get(here)
      if (count !== undefined) counts.set(here, count + 1)
    }
  }
  return counts
}
