// Companies that fit together by the cache: those of new records and of the records that they refer to.
import type { FieldDef, ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { leadsToOne } from '../language/relations.ts'
import { type CachedColumns, cachedColumns } from '../load/decide.ts'

/**
 * Records that a field of the new record at a place of the list leads to; undefined where the cache has
 * none.
 */
export type Links = (field: FieldDef, record: number, place: number) => readonly number[] | undefined

/**
 * Whether a field of new records refers only to records of the same company, or of none. Others may fit
 * too: PostgreSQL decides.
 */
export function fitsByCache(
  env: Environment,
  model: ModelDef,
  field: FieldDef,
  ids: readonly number[],
  links: Links,
): boolean {
  const { comodel } = field
  if (!comodel || comodel.name === 'res.users') return false
  const columns = cachedColumns(env)
  const isOne = leadsToOne(field)
  return ids.every((id, place) => {
    const target = isOne ? cachedLink(columns, field, id) : null
    const targets = isOne ? null : links(field, id, place)
    if (isOne ? target === null : targets?.length === 0) return true
    const company = companyOf(columns, model, id)
    if (company === undefined) return false
    const fits = (referred: number) => {
      const theirs = companyOf(columns, comodel, referred)
      return theirs === null || theirs === company
    }
    return isOne ? target !== undefined && fits(target as number) : targets?.every(fits) === true
  })
}

/** Null where all companies share it; undefined where the cache has no value. */
function companyOf(columns: CachedColumns, model: ModelDef, id: number): unknown {
  if (model.name === 'res.company') return id
  const field = model.fields.get('company_id')
  return field?.kind === 'many2one' ? cachedLink(columns, field, id) : undefined
}

/** A many2one by the cache, by way of others where it is related. */
function cachedLink(columns: CachedColumns, field: FieldDef, id: number): unknown {
  if (field.column) return columns(field, id)
  if (!field.related || field.compute) return undefined
  let [model, record]: [ModelDef | undefined, unknown] = [field.model, id]
  for (const name of field.related) {
    const step: FieldDef | undefined = model?.fields.get(name)
    record = step?.kind === 'many2one' ? cachedLink(columns, step, record as number) : undefined
    if (record === undefined || record === null) return record
    model = step?.comodel
  }
  return record
}
