// Before something is sent: whether its user is still there, and may still read the model, the fields and the
// record.
import type { Database } from '../../databases/index.ts'
import type { ModelDef } from '../../models/language/definitions.ts'
import type { Environment } from '../../models/language/environment.ts'
import { environmentOf } from '../../models/unit/environment.ts'
import { SYSTEM } from '../../models/unit/options.ts'
import { UnitOfWork } from '../../models/unit/unit.ts'
import { id as identifier, idList, sql } from '../../sql/index.ts'
import { visibleBefore } from '../changes/visibility.ts'
import { currentRights } from '../scheduled-actions.ts'
import type { Due } from './due-deliveries.ts'

interface SentBody {
  readonly fields?: readonly string[]
  readonly values?: Readonly<Record<string, unknown>>
}

/** Which of an endpoint's deliveries may go. */
export async function allowedDeliveries(
  database: Database,
  user: number,
  dues: readonly Due[],
): Promise<(due: Due) => boolean> {
  if (dues.length === 0) return () => true
  const rights = await currentRights(database)
  const unit = new UnitOfWork(database.pool, database.registry, rights, { readonly: true, patient: true })
  try {
    const isSystem = user === SYSTEM.id
    const profile = isSystem ? SYSTEM : await rights.profile(unit, user)
    if (!profile || !(isSystem || profile.active)) {
      await unit.rollback()
      return () => false
    }
    const mayModel = (model: ModelDef) => isSystem || rights.mayModel(profile, model, 'read')
    // No rules hold for the system user.
    const hidden = isSystem
      ? new Set()
      : await hiddenAmong(environmentOf(unit, profile, { active_test: false }), dues, mayModel)
    await unit.rollback()
    return (due) => {
      if (due.model === null) return true
      const model = database.registry.get(due.model)
      if (!model || !mayModel(model) || hidden.has(due)) return false
      const { fields = [], values = {} } = (JSON.parse(due.body) as { data: SentBody }).data
      return [...fields, ...Object.keys(values)].every((fieldName) => {
        const field = model.fields.get(fieldName)
        return field !== undefined && (isSystem || rights.mayField(profile, field))
      })
    }
  } catch (error) {
    throw await unit.abandon(error)
  }
}

/** Deliveries about existing records that the user may not read any more; removals are sent nevertheless. */
async function hiddenAmong(
  as: Environment,
  dues: readonly Due[],
  mayModel: (model: ModelDef) => boolean,
): Promise<ReadonlySet<Due>> {
  const hidden = new Set<Due>()
  const withoutRemovals = dues.filter(({ type }) => !type.endsWith('.deleted'))
  for (const [name, theirs] of Map.groupBy(withoutRemovals, (due) => due.model)) {
    const model = name === null ? undefined : as.unit.registry.get(name)
    if (!model || !mayModel(model)) continue
    const ids = [...new Set(theirs.flatMap(({ record }) => record ?? []))]
    const seen = await visibleBefore(as, model, ids, [])
    const unseen = ids.filter((id) => !seen.has(id))
    if (unseen.length === 0) continue
    const rows = await as.query<[number]>(
      sql`SELECT id FROM ${identifier(model.table)} WHERE id = ANY(${idList(unseen)})`,
    )
    const existing = new Set(rows.map(([id]) => id))
    for (const due of theirs) if (due.record !== null && existing.has(due.record)) hidden.add(due)
  }
  return hidden
}
