// Links that callers set and that show values of their target, by related or computed fields: those are read
// past record rules, so the target must be one that the caller may read.
import { unquoted } from '../../kit/nothing.ts'
import { isInteger, present } from '../../kit/present.ts'
import type { Change, FieldDef, ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { loadPaths } from '../load/load.ts'
import { guardRecords } from '../row/access.ts'
import { perModel } from '../unit/per-model.ts'

type Vals = Readonly<Record<string, unknown>>

/**
 * Many2ones through which a model shows values of others. Links to the document of a part are judged with it,
 * and those that must fit the company of the record by the company; forms have neither.
 */
const shownLinks = perModel((model): readonly FieldDef[] => {
  const shown = new Set<string>()
  for (const { related, compute, inherited } of model.fields.values()) {
    if (inherited) continue
    for (const steps of [related, ...(compute?.depends.map((path) => path.split('.')) ?? [])])
      if (steps && steps.length > 1) shown.add(present(steps[0]))
  }
  const isForm = model.kind === 'transient'
  return [...model.fields.values()].filter(
    (field) =>
      field.kind === 'many2one' &&
      field.column &&
      !field.automatic &&
      shown.has(field.name) &&
      (isForm || !(field.options.checkCompany || field === model.authority?.partOf)),
  )
})

/** Throws AccessError where values of new records name others by such links that the caller may not read. */
export async function assertNewLinksReadable(
  env: Environment,
  model: ModelDef,
  list: readonly Vals[],
): Promise<void> {
  for (const field of shownLinks(model))
    await assertTargets(
      env,
      field,
      list.map((vals) => idOf(vals[field.name])),
    )
}

/** The same of changes; a link that a record has already is no change. Null if there are no such links. */
export function assertLinksReadable(
  env: Environment,
  model: ModelDef,
  changes: readonly Change[],
): Promise<void> | null {
  const links = shownLinks(model).filter(({ name }) =>
    changes.some(({ ids, vals }) => ids.length > 0 && idOf((vals as Vals | null)?.[name]) !== null),
  )
  return links.length ? assertChanges(env, model, changes, links) : null
}

async function assertChanges(
  env: Environment,
  model: ModelDef,
  changes: readonly Change[],
  links: readonly FieldDef[],
): Promise<void> {
  const current = await targetsOf(
    env,
    model,
    changes.flatMap(({ ids }) => ids),
    links,
  )
  for (const field of links)
    await assertTargets(
      env,
      field,
      changes.flatMap(({ ids, vals }) => {
        const target = idOf((vals as Vals | null)?.[field.name])
        return ids.some((id) => current.get(id)?.[field.name] !== target) ? [target] : []
      }),
    )
}

/** Of new forms: what they are about comes from the context, too. */
export async function assertFormsReadable(
  env: Environment,
  model: ModelDef,
  ids: readonly number[],
): Promise<void> {
  const links = shownLinks(model)
  if (links.length === 0) return
  const rows = [...(await targetsOf(env, model, ids, links)).values()]
  for (const field of links)
    await assertTargets(
      env,
      field,
      rows.map((row) => row[field.name] ?? null),
    )
}

/** The targets that records have, by record and name of the link. */
async function targetsOf(
  env: Environment,
  model: ModelDef,
  ids: readonly number[],
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
async function assertTargets(
  env: Environment,
  { comodel }: FieldDef,
  targets: readonly (number | null)[],
): Promise<void> {
  if (!comodel) return
  const ids = [...new Set(targets)].filter((id) => id !== null && !env.unit.cache.hasMade(comodel, [id]))
  if (ids.length) await guardRecords(env, comodel, ids as number[], 'read')
}

function idOf(value: unknown): number | null {
  const id = unquoted(value)
  return isInteger(id) ? id : null
}
