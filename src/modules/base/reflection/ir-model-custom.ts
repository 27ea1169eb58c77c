// Making models over the API: what `ir.model` looks at before rows are written and removed
// (spec/models-api.md section 10, "Made models").
import { assertName, assertOrder } from '#engine'
import type { Environment } from '#models'
import { UserError } from '../../../errors.ts'
import { idList, sql } from '../../../sql/index.ts'
import { mirrored } from './catalogued.ts'

/** A made model has a name of its records unless it says otherwise. */
const naming = [[0, 0, { name: 'x_name', field_description: 'Name', ttype: 'char', copied: true }]]

export const modelWraps = mirrored({
  frozen: ['model', 'transient', 'abstract', 'state', 'order'],
  settled: ['model', 'transient', 'abstract', 'state'],
  made: sql`t.state = 'manual'`,
  reads: [],
  refuse: () =>
    new UserError(
      'Models that modules declare can be neither renamed, nor changed in kind, nor removed; made models keep their name.',
    ),
  async prepare(_env, list) {
    return list.map(({ abstract: _abstract, ...vals }) => {
      assertName('model', vals.model ?? 'x_')
      const values: Vals = { field_id: naming, ...vals, state: 'manual' }
      if (vals.order) assertOrder(vals.order, namesIn(values.field_id))
      return values
    })
  },
  async prepareWrite(env, vals, ids) {
    if (!('order' in vals)) return vals
    const rows = await env.rows(
      sql`SELECT name FROM ir_model_fields WHERE model_id = ANY(${idList([...ids])}) AND store`,
      { reads: ['ir.model.fields'], row: ['text'] },
    )
    assertOrder(vals.order, new Set([...rows.map((row) => row[0]), ...namesIn(vals.field_id)]))
    return vals
  },
  beforeUnlink: removePointers,
})

type Vals = Record<string, unknown>

/** Names of the fields that commands make. */
function namesIn(commands: unknown): Set<string> {
  const fieldVals = Array.isArray(commands)
    ? commands.flatMap((command) => (Array.isArray(command) && command[0] === 0 ? [command[2]] : []))
    : []
  return new Set(fieldVals.flatMap((vals) => (vals as Vals | null)?.name ?? []).map(String))
}

/**
 * Made fields of other models that lead to a model go with it; those that are the way back of its lines must
 * be removed first.
 */
async function removePointers(env: Environment, ids: readonly number[]): Promise<void> {
  await env.execute(
    sql`DELETE FROM ir_model_fields f USING ir_model m WHERE m.id = ANY(${idList([...ids])}) AND f.relation = m.model
    AND f.model_id <> ALL(${[...ids]}::int[]) AND f.state = 'manual' AND f.ttype IN ('many2one', 'many2many')`,
    { reads: ['ir.model.fields', 'ir.model'] },
  )
}
