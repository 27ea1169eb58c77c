// Columns and tables that modules created and that no module declares any more, according to the
// catalogue.
import { sql } from '../../sql/index.ts'
import type { Environment } from '../language/environment.ts'
import type { Leftover } from '../schema/rolling.ts'
import type { Schema } from '../schema/tables.ts'

/** Custom models and fields are not leftovers. Must run before the catalogue is pruned. */
export async function leftovers(env: Environment, schema: Schema): Promise<Leftover[]> {
  const { registry } = env.unit
  const rows =
    await env.query(sql`SELECT f.model, f.name, f.relation_table FROM ir_model_fields f JOIN ir_model m ON m.model = f.model
    WHERE m.state = 'base' AND f.state = 'base' AND f.store AND NOT COALESCE(m.abstract, FALSE) ORDER BY f.model, f.name`)
  const declared = new Set(schema.tables.map(({ name }) => name))
  const leftoversByName = new Map<string, Leftover>()
  const add = (table: string, column: string | null) => {
    if (column !== null || !declared.has(table)) leftoversByName.set(`${table} ${column}`, { table, column })
  }
  for (const [name, field, link] of rows as readonly (readonly [string, string, string | null])[]) {
    const model = registry.get(name)
    if (!model) add(name.replaceAll('.', '_'), null)
    if (link !== null && !model?.fields.get(field)?.link) add(link, null)
    else if (link === null && model?.hasTable && !model.fields.get(field)?.column) add(model.table, field)
  }
  return [...leftoversByName.values()]
}

/** Custom fields that refer to a model which will be dropped, as `model.field`. */
export async function madeUsesOf(env: Environment, schema: Schema): Promise<string[]> {
  const rows = await env.query<
    [string, string]
  >(sql`SELECT f.model || '.' || f.name, f.relation FROM ir_model_fields f JOIN ir_model m ON m.model = f.relation
    WHERE f.state = 'manual' AND m.state = 'base' ORDER BY 1`)
  return rows
    .filter(([, relation]) => !env.unit.registry.get(relation) && schema.tables.length > 0)
    .map(([name]) => name)
}
