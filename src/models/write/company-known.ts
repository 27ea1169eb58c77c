// Companies that fit together by what is known of new records and of what they refer to.
import type { FieldDef, ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { leadsToOne } from '../language/relations.ts'
import { variantOf } from '../row/held.ts'

/** Records that a field of the new record at a place of the list leads to; undefined where that is not known. */
export type Links = (field: FieldDef, record: number, place: number) => readonly number[] | undefined

/**
 * Whether a field of new records refers to nothing but records of the very company, or of none. Others may
 * fit too: PostgreSQL decides.
 */
export function isKnownToFit(
  env: Environment,
  model: ModelDef,
  field: FieldDef,
  ids: readonly number[],
  links: Links,
): boolean {
  const { comodel } = field
  if (!comodel || comodel.name === 'res.users') return false
  return ids.every((id, place) => {
    const targets = leadsToOne(field) ? targetOf(env, field, id) : links(field, id, place)
    if (targets?.length === 0) return true
    const own = companyOf(env, model, id)
    return (
      own !== undefined &&
      targets?.every((target) => {
        const theirs = companyOf(env, comodel, target)
        return theirs === null || theirs === own
      }) === true
    )
  })
}

function targetOf(env: Environment, field: FieldDef, id: number): readonly number[] | undefined {
  const value = known(env, field, id)
  return value === undefined ? undefined : value === null ? [] : [value as number]
}

/** Null where all companies share it; undefined where that is not known. */
function companyOf(env: Environment, model: ModelDef, id: number): unknown {
  if (model.name === 'res.company') return id
  const field = model.fields.get('company_id')
  return field?.kind === 'many2one' ? known(env, field, id) : undefined
}

/** A many2one by the cache, by way of others where it is related. */
function known(env: Environment, field: FieldDef, id: number): unknown {
  if (field.column) {
    if (env.unit.pending.get(field)?.has(id)) return undefined
    return env.unit.cache.of(field, variantOf(env, field)).get(id)
  }
  if (!field.related || field.compute) return undefined
  let [model, here]: [ModelDef | undefined, unknown] = [field.model, id]
  for (const name of field.related) {
    const step: FieldDef | undefined = model?.fields.get(name)
    here = step?.kind === 'many2one' ? known(env, step, here as number) : undefined
    if (here === undefined || here === null) return here
    model = step?.comodel
  }
  return here
}
