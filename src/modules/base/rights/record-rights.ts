// Whether the caller may do something with a record that a row names by model and id, as SQL: for what
// belongs to records of any model.

import type { ModelDef } from '#engine'
import { compileDomain, needsPreparation } from '#engine'
import type { ComputedOptions } from '#models'
import { or, type Sql, sql } from '../../../sql/index.ts'

type Scope = Parameters<NonNullable<ComputedOptions['sql']>>[0]

interface Named {
  /** Expressions of the model's name and the record's id. */
  readonly model: Sql
  readonly record: Sql
  /** The one model that the rows name, where the query asks for no others (`Scope.fixed`). */
  readonly only?: string | undefined
  readonly operation: 'read' | 'write'
  /** Models whose records may be named; others are closed. */
  readonly isPlace: (def: ModelDef) => boolean
}

/** A sixth of the steps of a statement: rules of all models are in it, however many there are. */
const STEPS = 20

/** The user of the superuser is judged too. Throws PayloadTooLarge where a statement asks it too often. */
export function permittedRecord(scope: Scope, named: Named): Sql {
  const { model, record, only, operation, isPlace } = named
  scope.cost.step(only === undefined ? STEPS : 1)
  const { env } = scope
  const { registry, rights } = env.unit
  const asUser = env.sudo(false)
  const open: string[] = []
  const ruled: Sql[] = []
  for (const def of registry.models.values()) {
    if (only !== undefined && def.name !== only) continue
    // Models that follow the rights of other records, or delegate to them, ask this: that would never end.
    const readable = def.fields.get('readable')
    if (readable?.compute || readable?.inherited) continue
    if (!isPlace(def) || !rights.mayModel(env.user, def, operation)) continue
    const tree = rights.rules(asUser, def, operation)
    if (!tree) {
      open.push(def.name)
      continue
    }
    // A rule that only code can judge lets nothing through here: closed is the safe side.
    if (needsPreparation(def, tree)) continue
    ruled.push(
      scope.cost.countedApart(() => {
        const nested = scope.nested(def, env.sudo())
        const condition = compileDomain(nested, tree)
        return sql`(${model} = ${def.name} AND ${record} IN (SELECT ${nested.id} FROM ${nested.from()} WHERE ${condition}))`
      }),
    )
  }
  return or([sql`${model} = ANY(${open}::text[])`, ...ruled])
}
