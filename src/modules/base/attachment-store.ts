// Where the contents of attachments are kept: a column of their table for now, behind an interface that another store can take.
import type { Environment } from '#models'
import { sql } from '../../sql/index.ts'

/** Contents by attachment. A store takes part in the call's transaction: what is rolled back was never kept. */
export interface ContentStore {
  put(env: Environment, contents: ReadonlyMap<number, Buffer | null>): Promise<void>
  get(env: Environment, ids: readonly number[]): Promise<Map<number, Buffer | null>>
}

/** Contents in `ir_attachment.db_datas`. */
const inTable: ContentStore = {
  async put(env, contents) {
    const [ids, texts] = [[...contents.keys()], [...contents.values()].map((content) => content?.toString('base64') ?? null)]
    await env.query(sql`UPDATE ir_attachment SET db_datas = decode(given.content, 'base64')
      FROM unnest(${ids}::int[], ${texts}::text[]) AS given(id, content) WHERE ir_attachment.id = given.id`)
  },
  async get(env, ids) {
    const rows = await env.query(sql`SELECT id, db_datas FROM ir_attachment WHERE id = ANY(${ids}::int[])`)
    return new Map(rows.map((row) => [row[0] as number, row[1] as Buffer | null]))
  },
}

/** The store in use. */
export const contentStore: ContentStore = inTable
