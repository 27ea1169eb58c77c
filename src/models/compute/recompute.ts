// Recomputation: a change marks its dependents, which are computed in batches on demand or at the end of
// the call.
import { oncePer, oncePerList } from '../../kit/once-per.ts'
import { present } from '../../kit/present.ts'
import type { FieldDef, Ids, ModelDef, Registry } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { backwards, backwardsAll } from './dependents.ts'
import { forgetAfterCreate, staysValidAfter } from './derived.ts'
import { prefetchPending } from './prefetch.ts'
import { storeValues } from './store.ts'
import { byField, computeTogether, sourceOf } from './values.ts'

/** Marks dependents of fields. Called before a change for old relations, and after it for new ones. */
export async function modified(env: Environment, fields: Iterable<FieldDef>, ids: Ids): Promise<void> {
  if (ids.length === 0) return
  const changed = [...fields]
  env.unit.cache.forgetDerived(staysValidAfter(changed))
  await markFollowers(env, changed, ids)
}

/**
 * As `modified`, for all fields of new records, whose own computed fields are marked already. No record
 * refers to them yet; they may refer to others, by computed links (`linked`) too.
 */
export async function markForNewRecords(
  env: Environment,
  model: ModelDef,
  ids: Ids,
  linked: ReadonlySet<FieldDef>,
): Promise<void> {
  if (ids.length === 0) return
  forgetAfterCreate(env, model, ids, linked)
  await markReached(env, routesToMade(model, env.unit.registry), ids)
}

/** Paths by which other records may depend on new ones. */
export const pathsToNewRecords = (env: Environment, model: ModelDef): Routes['paths'] =>
  routesToMade(model, env.unit.registry).paths

const markFollowers = (env: Environment, fields: Iterable<FieldDef>, ids: Ids) =>
  markReached(env, routesOf(env.unit.registry, fields), ids)

async function markReached(env: Environment, { local, far, paths }: Routes, ids: Ids): Promise<void> {
  const reached = paths.length ? await backwardsAll(env, paths, ids) : []
  for (const field of local) mark(env, field, ids)
  for (const [n, stale] of far.entries()) for (const field of stale) mark(env, field, reached[n] ?? [])
}

interface Routes {
  readonly local: readonly FieldDef[]
  /** Fields of other records, by the path from those to the changed record. */
  readonly far: readonly ReadonlySet<FieldDef>[]
  readonly paths: readonly (readonly FieldDef[])[]
}

const MOST_SETS = 1000

/** Computed once for a set of fields of a registry. */
const routesOf = oncePerList(MOST_SETS, (registry: Registry, fields: readonly FieldDef[]) =>
  makeRoutes(registry, fields, false),
)

function makeRoutes(registry: Registry, changed: readonly FieldDef[], fresh: boolean): Routes {
  const routes = new Map<string, { path: readonly FieldDef[]; fields: Set<FieldDef> }>()
  for (const changedField of changed) {
    for (const { field, path } of registry.triggers.get(changedField) ?? []) {
      if (fresh && (path.length === 0 || path.at(-1)?.kind === 'many2one')) continue
      const key = path.map((f) => `${f.model.name}.${f.name}`).join('/')
      const route = routes.get(key) ?? { path, fields: new Set<FieldDef>() }
      route.fields.add(field)
      routes.set(key, route)
    }
  }
  const far = [...routes.values()].filter(({ path }) => path.length > 0)
  return {
    local: [...(routes.get('')?.fields ?? [])],
    far: far.map(({ fields }) => fields),
    paths: far.map(({ path }) => path),
  }
}

export function mark(env: Environment, field: FieldDef, ids: Ids): void {
  const explicitIds = env.unit.recomputation.explicitIds.get(field)
  const stale = explicitIds ? ids.filter((id) => !explicitIds.has(id)) : ids
  if (stale.length === 0) return
  const waiting = env.unit.recomputation.pending.get(field) ?? new Set()
  env.unit.recomputation.pending.set(field, waiting)
  for (const id of stale) waiting.add(id)
}

/**
 * Runs `work`, which stores the rest of a call's values, and protects explicit values of computed
 * `fields` meanwhile: the other values do not mark them.
 */
export async function protectingExplicit(
  env: Environment,
  fields: ReadonlyMap<FieldDef, Ids>,
  work: () => Promise<void>,
): Promise<void> {
  const { explicitIds: explicit } = env.unit.recomputation
  const before = [...fields.keys()].map((field) => [field, explicit.get(field)] as const)
  for (const [field, ids] of fields) explicit.set(field, new Set([...(explicit.get(field) ?? []), ...ids]))
  try {
    await work()
  } finally {
    for (const [field, ids] of before) {
      if (ids) explicit.set(field, ids)
      else explicit.delete(field)
    }
  }
}

/** Clears pending records: their value is explicit, or is being computed. */
export function clearPending(env: Environment, field: FieldDef, ids: Iterable<number>): void {
  const waiting = env.unit.recomputation.pending.get(field)
  if (!waiting) return
  for (const id of ids) waiting.delete(id)
  if (waiting.size === 0) env.unit.recomputation.pending.delete(field)
}

const BATCH = 2000

/**
 * Computes pending values of the fields that `only` accepts, of all or of some records, until none is
 * pending. A field that is being computed by a caller is left to it, unless records are named: a
 * function that read a value too early is marked when it changes.
 */
export async function flush(
  env: Environment,
  only: (field: FieldDef) => boolean | ReadonlySet<number> = () => true,
): Promise<void> {
  const { pending, computing } = env.unit.recomputation
  const { registry } = env.unit
  if (pending.size === 0) return
  const su = env.sudo()
  for (let guard = 0; guard < 100_000; guard++) {
    let next: FieldDef | undefined
    for (const [field, waiting] of pending) {
      const wanted = only(field)
      if (wanted === true ? computing.has(field) : wanted === false || wanted.isDisjointFrom(waiting))
        continue
      if (!next || (registry.computeOrder.get(field) ?? 0) < (registry.computeOrder.get(next) ?? 0))
        next = field
    }
    if (!next) return
    const waiting = present(pending.get(next))
    const wanted = only(next)
    const batch = [
      ...(typeof wanted === 'boolean' ? waiting : waiting.intersection(wanted)).values().take(BATCH),
    ]
    await prefetchPending(su, next, batch)
    const ids = await ready(su, next, batch)
    clearPending(env, next, ids)
    const outer = computing.has(next)
    computing.add(next)
    try {
      await recompute(su, next, ids)
    } finally {
      if (!outer) computing.delete(next)
    }
    env.unit.cache.trim()
  }
  throw new Error('Computed fields do not come to rest.')
}

/** Records of a tree that depend on no other pending one: each is computed once. */
async function ready(env: Environment, field: FieldDef, ids: number[]): Promise<number[]> {
  const paths = (env.unit.registry.triggers.get(field) ?? []).filter((trigger) => trigger.field === field)
  if (paths.length === 0 || ids.length === 1) return ids
  const blocked = new Set<number>()
  for (const { path } of paths) for (const id of await backwards(env, path, ids)) blocked.add(id)
  const free = ids.filter((id) => !blocked.has(id))
  return free.length ? free : ids
}

async function recompute(env: Environment, field: FieldDef, ids: number[]): Promise<void> {
  const together = sameSource(field).filter((f) => f === field || waits(env, f, ids))
  for (const other of together) if (other !== field) clearPending(env, other, ids)
  const changed = await storeValues(env, byField(together, await computeTogether(env, together, ids)))
  // Fields that were stored together changed on the same records: their dependents are marked once.
  for (const [changedIds, entries] of Map.groupBy(changed, ([, changedIds]) => changedIds)) {
    if (changedIds.length === 0) continue
    const fields = entries.map(([f]) => f)
    env.unit.cache.forgetDerived(staysValidAfter(fields))
    await markFollowers(env, fields, changedIds)
  }
}

function sameSource(field: FieldDef): readonly FieldDef[] {
  return bySource(field.model).get(sourceOf(field)) ?? []
}

const bySource = oncePer((model: ModelDef) =>
  Map.groupBy(
    [...model.fields.values()].filter((f) => f.stored && f.compute !== null),
    sourceOf,
  ),
)

function waits(env: Environment, field: FieldDef, ids: Ids): boolean {
  const waiting = env.unit.recomputation.pending.get(field)
  return waiting !== undefined && ids.every((id) => waiting.has(id))
}

/** Stored computed fields of a model; new records wait for all of them. */
export const storedComputed = oncePer((model: ModelDef): readonly FieldDef[] =>
  [...model.fields.values()].filter((f) => f.stored && f.compute !== null && !f.inherited),
)

/** Routes from new records of a model: from all of its fields that something follows. */
const routesToMade = oncePer(({ fields }: ModelDef, registry: Registry): Routes => {
  const followed = [...fields.values()].filter(
    (field) => registry.triggers.has(field) && (!field.compute || field.column),
  )
  return makeRoutes(registry, followed, true)
})
