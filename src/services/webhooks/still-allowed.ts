// Before something is sent: whether its user is still there, and may still read the model and the fields.
import type { Database } from '../../databases/index.ts'
import { SYSTEM } from '../../models/unit/system.ts'
import { UnitOfWork } from '../../models/unit/unit.ts'
import { currentRights } from '../jobs.ts'
import type { Due } from './due.ts'

interface Told {
  readonly fields?: readonly string[]
  readonly values?: Readonly<Record<string, unknown>>
}

/** Which of an endpoint's deliveries may go. */
export async function allowedOf(
  database: Database,
  user: number,
  dues: readonly Due[],
): Promise<(due: Due) => boolean> {
  if (dues.length === 0) return () => true
  const rights = await currentRights(database)
  const unit = new UnitOfWork(database.pool, database.registry, rights, { readonly: true, patient: true })
  try {
    const profile = user === SYSTEM.id ? SYSTEM : await rights.profile(unit, user)
    await unit.rollback()
    if (!profile || (user !== SYSTEM.id && !profile.active)) return () => false
    const su = user === SYSTEM.id
    return ({ model: name, body }) => {
      if (name === null) return true
      const model = database.registry.get(name)
      if (!model || !(su || rights.mayModel(profile, model, 'read'))) return false
      const { fields = [], values = {} } = (JSON.parse(body) as { data: Told }).data
      return [...fields, ...Object.keys(values)].every((one) => {
        const field = model.fields.get(one)
        return field !== undefined && (su || rights.mayField(profile, field))
      })
    }
  } catch (error) {
    throw await unit.abandon(error)
  }
}
