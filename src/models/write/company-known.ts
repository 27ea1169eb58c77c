// Companies that fit together by what is known of new records and of what they refer to.
import type { FieldDef, ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { leadsToOne } from '../language/relations.ts'
import { type KnownColumns, knownColumns } from '../load/known-columns.ts'

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
  const columns = knownColumns(env)
  const isOne = leadsToOne(field)
  return ids.every((id, place) => {
    const target = isOne ? known(columns, field, id) : null
    const targets = isOne ? null : links(field, id, place)
    if (isOne ? target === null : targets?.length === 0) return true
    const own = companyOf(columns, model, id)
    if (own === undefined) return false
    const fits = (one: number) => {
      const theirs = companyOf(columns, comodel, one)
      return theirs === null || theirs === own
    }
    return isOne ? target !== undefined && fits(target as number) : targets?.every(fits) === true
  })
}

/** Null where all companies share it; undefined where that is not known. */
function companyOf(columns: KnownColumns, model: ModelDef, id: number): unknown {
  if (model.name === 'res.company') return id
  const field = model.fields.get('company_id')
  return field?.kind === 'many2one' ? known(columns, field, id) : undefined
}

/** A many2one by the cache, by way of others where it is related. */
function known(columns: KnownColumns, field: FieldDef, id: number): unknown {
  if (field.column) return columns(field, id)
  if (!field.related || field.compute) return undefined
  let [model, here]: [ModelDef | undefined, unknown] = [field.model, id]
  for (const name of field.related) {
    const step: FieldDef | undefined = model?.fields.get(name)
    here = step?.kind === 'many2one' ? known(columns, step, here as number) : undefined
    if (here === undefined || here === null) return here
    model = step?.comodel
  }
  return here
}
