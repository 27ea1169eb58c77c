// Links that callers set and that show values of their target, its name or related and computed fields: those
// are read past record rules, so the target must be one that the caller may read.

import { unquoted } from '../../kit/nothing.ts'
import { oncePer } from '../../kit/once-per.ts'
import { isId, present } from '../../kit/present.ts'
import { sql } from '../../sql/index.ts'
import { flush } from '../compute/recompute.ts'
import { lower, needsPreparation } from '../domain/index.ts'
import type { Change, FieldDef, Ids, LooseVals, ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import type { Tree } from '../language/tree.ts'
import { cachedTest } from '../load/decide.ts'
import { loadPaths } from '../load/load.ts'
import { hiddenRecordsError } from '../rights/judge.ts'
import { guardRecords, ruleOf } from '../row/access.ts'
import { aboutRecords } from '../row/plans.ts'
import { scopeOver } from '../row/scope.ts'
import { refusing } from '../unit/refusing.ts'
import { checkedFields } from './checks.ts'

/**
 * Many2ones through which a model shows values of others; of documents and forms all that people write, as
 * prints and reads show at least the name, and of set-up those whose company is checked. Links to the
 * document of a part are judged with it, those that a model declares as of its company by the company, and
 * companies of documents by the rules of the record; forms have none of these.
 *
 * Other records that begin in the company of their caller leave for none that the caller may not read:
 * rules judge them before a write. Contacts begin in no company, and may be given to any (recorded).
 */
const shownLinks = oncePer((model: ModelDef): readonly FieldDef[] => {
  const shown = new Set<string>()
  for (const { related, compute, inherited } of model.fields.values()) {
    if (inherited) continue
    for (const steps of [related, ...(compute?.depends.map((path) => path.split('.')) ?? [])])
      if (steps && steps.length > 1) shown.add(present(steps[0]))
  }
  const isForm = model.kind === 'transient'
  const checked = new Set(checkedFields(model))
  const isShown = (field: FieldDef) => {
    if (shown.has(field.name) || checked.has(field)) return true
    if (field.comodel?.name === COMPANY) return !model.authority && field.defaultOf !== null
    return (isForm || model.authority !== null) && !field.readonly
  }
  return [...model.fields.values()].filter(
    (field) =>
      field.kind === 'many2one' &&
      field.column &&
      !field.automatic &&
      isShown(field) &&
      (isForm || !(field.options.checkCompany || field === model.authority?.partOf)),
  )
})

const COMPANY = 'res.company'

/**
 * Whether there are records that the link must not name: those that a record rule hides. Of models that the
 * caller may not read at all, forms, documents and custom fields name none, even where a scoped key is
 * narrower than its user; elsewhere a setting of one's own names a model or a field, whose catalogue is not
 * for everybody.
 */
function mayBeRefused(env: Environment, { model, comodel, name }: FieldDef): boolean {
  if (!comodel) return false
  const { rights } = env.unit
  // Users who may not write the model write what its own code takes, as their own user does.
  if (comodel.name === COMPANY && !rights.mayModel(env.user, model, 'write')) return false
  if (rights.mayModel(env.user, comodel, 'read')) return rights.rules(env, comodel, 'read') !== null
  if (model.kind === 'transient') return true
  if (rights.ownerMayModel(env.user, comodel, 'read') || isCatalogue(comodel)) return false
  return model.authority !== null || name.startsWith('x_')
}

const isCatalogue = ({ name }: ModelDef) => name === 'ir.model' || name.startsWith('ir.model.')

interface NamedTargets {
  readonly field: FieldDef
  readonly targets: Ids
}

/** Targets named by links that may be refused, by link; null where there are none. */
function targetsIn(
  env: Environment,
  model: ModelDef,
  list: readonly (LooseVals | null)[],
): readonly NamedTargets[] | null {
  const named: NamedTargets[] = []
  for (const field of shownLinks(model)) {
    const targets: number[] = []
    for (const vals of list) {
      const value = vals?.[field.name]
      if (value === undefined || value === null || value === false) continue
      const id = unquoted(value)
      if (isId(id)) targets.push(id)
    }
    if (targets.length && mayBeRefused(env, field)) named.push({ field, targets })
  }
  return named.length ? named : null
}

/**
 * Rejects with AccessError where values of new records name others by such links that the caller may not
 * read. Null where they name none.
 */
export function assertNewLinksReadable(
  env: Environment,
  model: ModelDef,
  list: readonly LooseVals[],
): Promise<void> | null {
  const named = targetsIn(env, model, list)
  return named && assertTargets(env, named)
}

export function assertLinksReadable(
  env: Environment,
  model: ModelDef,
  changes: readonly Change[],
): Promise<void> | null {
  const list = changes.map(({ ids, vals }) => (ids.length > 0 ? (vals as LooseVals | null) : null))
  const named = targetsIn(env, model, list)
  return (
    named &&
    assertChanges(
      env,
      model,
      changes,
      named.map(({ field }) => field),
    )
  )
}

async function assertChanges(
  env: Environment,
  model: ModelDef,
  changes: readonly Change[],
  links: readonly FieldDef[],
): Promise<void> {
  const ids = changes.flatMap(({ ids }) => ids)
  const current = await targetsOf(env, model, ids, links)
  const changed = changes.flatMap(({ ids, vals }) =>
    links.flatMap((field) => {
      const target = unquoted((vals as LooseVals | null)?.[field.name])
      const isChange = isId(target) && ids.some((id) => current.get(id)?.[field.name] !== target)
      return isChange ? [{ field, targets: [target] }] : []
    }),
  )
  await assertTargets(env, changed)
}

/** Of new forms: what they are about comes from the context, too. */
export async function assertFormsReadable(env: Environment, model: ModelDef, ids: Ids): Promise<void> {
  const links = shownLinks(model).filter((field) => mayBeRefused(env, field))
  if (links.length === 0) return
  const rows = [...(await targetsOf(env, model, ids, links)).values()]
  const named = links.map((field) => ({ field, targets: rows.flatMap((row) => row[field.name] ?? []) }))
  await assertTargets(env, named)
}

async function targetsOf(
  env: Environment,
  model: ModelDef,
  ids: Ids,
  links: readonly FieldDef[],
): Promise<Map<number, Readonly<Record<string, number | null>>>> {
  const names = links.map(({ name }) => name)
  const rows = await loadPaths(env.sudo(), model, [...new Set(ids)], names)
  return new Map(
    rows.map((row) => [
      row.id as number,
      Object.fromEntries(names.map((name) => [name, (row[name] as { id: number } | null)?.id ?? null])),
    ]),
  )
}

/** Records that the call created are the caller's. */
async function assertTargets(env: Environment, named: readonly NamedTargets[]): Promise<void> {
  for (const {
    field: { comodel },
    targets,
  } of named) {
    if (!comodel) continue
    const ids = [...new Set(targets)].filter((id) => !env.unit.cache.hasNewRows(comodel, [id]))
    if (ids.length) await guardRecords(env, comodel, ids, 'read')
  }
}

// The create rules, judged on what was made: by what is known of it, else by PostgreSQL.

/**
 * Refuses (`Unit.check`) with an AccessError where a rule does not let the caller make one of them; null
 * where it is known at once that rules do.
 */
export function assertVisible(env: Environment, model: ModelDef, ids: Ids): Promise<void> | null {
  const rules = env.su ? null : env.unit.rights.rules(env, model, 'create')
  if (!rules) return null
  if (!mustPrepare(rules, model)) {
    const domain = lower(scopeOver(env, model).privileged().env, model, rules)
    // Columns that rules look at are mostly given, or computed before the insert.
    const isDecided = cachedTest(env, domain)
    if (ids.every((id) => isDecided(id) === true)) return null
  }
  return ask(env, model, ids)
}

async function ask(env: Environment, model: ModelDef, ids: Ids): Promise<void> {
  const statement = aboutRecords(env, `made ${model.name}`, ids, (newIds) => {
    const scope = scopeOver(env, model)
    const rule = ruleOf(scope, model, 'create')
    return (
      rule && refusing(sql`SELECT 1 FROM ${scope.from()} WHERE ${scope.id} = ANY(${newIds}) AND NOT ${rule}`)
    )
  })
  if (!statement) return
  // Rules may look at computed values.
  await flush(env, (field) => field.model === model)
  env.unit.buffer.post(statement, () => hiddenRecordsError(env, model, 'create'))
}

/** By the tree: rules are composed once for a caller. */
const mustPrepare = oncePer((rules: Tree, model: ModelDef) => needsPreparation(model, rules))
