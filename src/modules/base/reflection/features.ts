// Features: groups that every internal user has while a feature is on, because the group of internal users
// implies them.
import { raisesRightsVersion } from '#engine'
import type { Environment } from '#models'
import { sql } from '../../../sql/index.ts'

const EVERYBODY = 'base.group_user'

/** Of groups by external id, those that all internal users have. */
export async function featuresOn(env: Environment, groups: readonly string[]): Promise<Set<string>> {
  const cached = knownOf(env)
  const open = groups.filter((group) => cached?.get(group) === undefined)
  if (open.length) {
    const isOn = await find(env, open)
    if (!cached) return isOn
    for (const group of open) cached.set(group, isOn.has(group))
  }
  return new Set(groups.filter((group) => cached?.get(group)))
}

/** By database, what is known under a version of its rights: groups and what they imply are of it. */
const byVersion = new WeakMap<object, { readonly version: string; readonly known: Map<string, boolean> }>()

/** Null where the unit has changed rights itself, or is not checked against a version. */
function knownOf({ unit }: Environment): Map<string, boolean> | null {
  const { version } = unit.rights
  if (version === 'unrestricted' || raisesRightsVersion(unit)) return null
  const last = byVersion.get(unit.database)
  if (last?.version === version) return last.known
  const cache = new Map<string, boolean>()
  byVersion.set(unit.database, { version, known: cache })
  return cache
}

async function find(env: Environment, groups: readonly string[]): Promise<Set<string>> {
  const rows = await env.rows(
    sql`WITH RECURSIVE implied(gid) AS (
      SELECT res_id FROM ir_model_data WHERE model = 'res.groups' AND module = 'base' AND name = 'group_user'
      UNION SELECT rel.hid FROM implied JOIN res_groups_implied_rel rel ON rel.gid = implied.gid
    ) SELECT feature.module || '.' || feature.name FROM implied
    JOIN ir_model_data feature ON feature.model = 'res.groups' AND feature.res_id = implied.gid
    WHERE feature.module || '.' || feature.name = ANY(${groups}::text[])`,
    { reads: ['ir.model.data'], row: ['text'] },
  )
  return new Set(rows.map((row) => row[0]))
}

/** Whether a feature, such as `product.group_product_pricelist`, is on for all internal users. */
export async function featureIsOn(env: Environment, group: string): Promise<boolean> {
  return (await featuresOn(env, [group])).has(group)
}

/**
 * Switches a feature on or off for all internal users; off takes it from users who were given it one by one,
 * too.
 */
export async function switchFeature(env: Environment, group: string, on: boolean): Promise<void> {
  const everybody = env
    .sudo()
    .model('res.groups')
    .browse([await env.ref(EVERYBODY)])
  const feature = await env.ref(group)
  await everybody.write({ implied_ids: [[on ? 4 : 3, feature, 0]] })
  if (!on)
    await env
      .sudo()
      .model('res.groups')
      .browse([feature])
      .write({ user_ids: [[5, 0, 0]] })
}
