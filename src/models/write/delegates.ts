// Delegates of new records: records whose fields the new ones inherit.
import { present } from '../../kit/present.ts'
import type { ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { fieldOf } from '../language/relations.ts'
import type { Sorted } from '../row/destinations.ts'
import { recordsOf } from '../unit/environment.ts'
import { createByCaller } from './by-caller.ts'
import { linksNothing, parseCommands } from './commands/index.ts'

/** Delegates that are not given are made, in one call a model; given ones take the values. */
export async function createDelegates(
  env: Environment,
  model: ModelDef,
  sorted: readonly Sorted[],
): Promise<void> {
  for (const [target, via] of model.inherits) {
    const field = fieldOf(model, via)
    const comodel = env.def(target)
    const fresh = sorted.filter((values) => !values.columns.get(field))
    const parents = fresh.length
      ? await makeDelegates(
          env,
          model,
          comodel,
          fresh.map((v) => v.delegated.get(via) ?? {}),
        )
      : []
    for (const [i, values] of fresh.entries()) values.columns.set(field, parents[i])
    const isFresh = new Set(fresh)
    const linked = sorted.filter((values) => values.delegated.has(via) && !isFresh.has(values))
    await env.unit.registry.engine.writeEach(
      env,
      comodel,
      linked.map((values) => ({
        ids: [values.columns.get(field) as number],
        vals: values.delegated.get(via),
      })),
    )
  }
}

/**
 * Lines and tags of a delegate that privileged code creates are other records: for those the caller's
 * own rights count.
 */
async function makeDelegates(
  env: Environment,
  model: ModelDef,
  comodel: ModelDef,
  list: readonly Vals[],
): Promise<readonly number[]> {
  if (env.su || !model.options.makesDelegates || env.unit.rights.mayModel(env.user, comodel, 'create'))
    return createByCaller(env, comodel, list)
  const isRelational = ([name, value]: readonly [string, unknown]) => {
    const field = comodel.fields.get(name)
    return (
      (field?.kind === 'one2many' || field?.kind === 'many2many') &&
      !linksNothing(parseCommands(field, value))
    )
  }
  const split = list.map((vals) =>
    Object.groupBy(Object.entries(vals), (entry) => (isRelational(entry) ? 'lines' : 'own')),
  )
  const { ids } = await recordsOf(env.sudo(), comodel, []).create(
    split.map(({ own = [] }) => Object.fromEntries(own)),
  )
  const changes = split.flatMap(({ lines }, i) =>
    lines ? [{ ids: [present(ids[i])], vals: Object.fromEntries(lines) }] : [],
  )
  await env.unit.registry.engine.writeEach(env, comodel, changes)
  return ids
}

type Vals = Readonly<Record<string, unknown>>
