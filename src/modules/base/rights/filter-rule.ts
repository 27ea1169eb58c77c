// The migration of the rule about saved searches in databases from before it was divided: what it allowed in
// every operation is for reads now, and `ir_filters_employee_write_rule` says who changes them.
import type { Environment, Migration } from '#models'
import { idList, sql } from '../../../sql/index.ts'

/** The rule as it was installed; a rule that an administrator changed stays. */
const BEFORE = "[('user_ids', 'in', [False, user.id])]"

async function limitToReads(env: Environment, ids: readonly number[]): Promise<void> {
  const rows = await env.rows(
    sql`SELECT r.id FROM ir_rule r JOIN ir_model_data d ON d.model = 'ir.rule' AND d.res_id = r.id
    WHERE r.id = ANY(${idList(ids)}) AND d.module = 'base' AND d.name = 'ir_filters_employee_rule'
      AND r.domain_force = ${BEFORE} AND r.perm_read AND r.perm_write AND r.perm_create AND r.perm_unlink
      AND EXISTS (SELECT FROM ir_model_data w WHERE w.module = 'base' AND w.name = 'ir_filters_employee_write_rule')`,
    { reads: ['ir.rule', 'ir.model.data'], row: ['int'] },
  )
  if (rows.length)
    await env
      .model('ir.rule')
      .browse(rows.map(([id]) => id))
      .write({ perm_write: false, perm_create: false, perm_unlink: false })
}

export const filterRule: Migration = {
  name: 'saved searches of everybody',
  model: 'ir.rule',
  run: limitToReads,
}
