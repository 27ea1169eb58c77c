// The stored fields that a value without a column follows from: lists of lines, related fields, and
// functions that see what they declare. Cached values stay valid when any other field changes.
import { oncePer } from '../../kit/once-per.ts'
import { present } from '../../kit/present.ts'
import type { FieldDef, ModelDef } from '../language/definitions.ts'
import { domainOf, isTreePath, leadsToMany, modelFieldOf } from '../language/field-options.ts'
import { currencyPath } from '../row/monetary.ts'
import { parseOrder } from '../row/order.ts'

type Fields = ReadonlySet<FieldDef>

/**
 * Stored fields, of any model, that the field's value follows from as the superuser sees it: itself where a
 * table keeps it. Null where that is not known.
 */
export const reachOf = oncePer((field: FieldDef): Fields | null => {
  const fields = new Set<FieldDef>()
  return addReach(field, fields, 0) ? fields : null
})

const DEEPEST = 8

function addReach(field: FieldDef, fields: Set<FieldDef>, depth: number): boolean {
  if (depth > DEEPEST || follows(field)) return false
  if (field.name === 'id') return true
  if (field.column) {
    fields.add(field)
    return true
  }
  if (field.related) return addPath(field.model, field.related, fields, depth)
  if (field.compute && !field.stored) return addDeclared(field, fields, depth)
  return leadsToMany(field) && addList(field, fields, depth)
}

/** Whether a column changes without a write of it: log fields, tree paths, and rows of a query. */
const follows = (field: FieldDef): boolean =>
  !field.model.hasTable ||
  (field.automatic && (field.name === 'write_date' || field.name === 'write_uid')) ||
  isTreePath(field)

/** Pure functions see only what they declare; so do those that declare what they query (`asks`). */
function addDeclared(field: FieldDef, fields: Set<FieldDef>, depth: number): boolean {
  const { compute, model } = field
  if (!compute || !(compute.pure || compute.options.asks)) return false
  const rounding = field.kind === 'monetary' ? currencyPath(field) : null
  const seen = [...compute.depends, ...(compute.options.asks ?? [])].map((path) => path.split('.'))
  return [...seen, ...(rounding ? [rounding] : [])].every((path) => addPath(model, path, fields, depth))
}

function addPath(model: ModelDef, names: readonly string[], fields: Set<FieldDef>, depth: number): boolean {
  let currentModel: ModelDef | undefined = model
  for (const name of names) {
    const step: FieldDef | undefined = currentModel?.fields.get(name)
    if (!step || !addReach(step, fields, depth + 1)) return false
    currentModel = step.comodel
  }
  return true
}

function addList(list: FieldDef, fields: Set<FieldDef>, depth: number): boolean {
  const parts = depth > DEEPEST ? null : listOf(list)
  for (const part of [...(parts?.choosers ?? []), ...(parts?.sorters ?? [])]) fields.add(part)
  return parts !== null
}

interface ListParts {
  /** Which lines there are, and which of them show. */
  readonly choosers: Fields
  /** In what order they are, beyond that. */
  readonly sorters: Fields
}

/** The stored fields that a list of lines follows from; null if they are not all columns. */
export const listOf = oncePer((list: FieldDef): ListParts | null => {
  const choosers = choosersIn(list)
  const sorters = choosers && orderOf(list)
  return choosers && sorters && { choosers, sorters: sorters.difference(choosers) }
})

function choosersIn(list: FieldDef): Fields | null {
  const { comodel } = list
  if (!comodel) return null
  const fields = new Set<FieldDef>([list])
  const choosers = choosersOf(list)
  if (list.link) for (const sharer of sharersOf(list)) choosers.push(sharer)
  else if (!choosers[0]?.column) return null
  for (const chooser of choosers) fields.add(chooser)
  if (comodel.active && !addReach(comodel.active, fields, 0)) return null
  for (const leaf of domainOf(list) ?? []) {
    if (!Array.isArray(leaf)) continue
    const leafField = comodel.fields.get(String(leaf[0]))
    if (!leafField?.column || !addReach(leafField, fields, 0)) return null
  }
  return fields
}

/** Columns that lines of one record are sorted by; null where that is not in columns. */
function orderOf({ comodel, inverse }: FieldDef): ReadonlySet<FieldDef> | null {
  const fields = new Set<FieldDef>()
  if (!comodel) return null
  return addOrder(comodel, comodel.order, fields, 0, inverse) ? fields : null
}

const DEEPEST_ORDER = 5

function addOrder(
  model: ModelDef,
  order: string,
  fields: Set<FieldDef>,
  depth: number,
  shared: string | null = null,
): boolean {
  return parseOrder(order).every(({ path }) => {
    if (path.length === 1 && path[0] === shared) return true
    let currentModel: ModelDef | undefined = model
    for (const name of path) {
      const field: FieldDef | undefined = currentModel?.fields.get(name)
      if (!field?.column || follows(field) || depth > DEEPEST_ORDER) return false
      fields.add(field)
      currentModel = field.comodel
    }
    return !currentModel || addOrder(currentModel, currentModel.order, fields, depth + 1)
  })
}

function sharersOf({ model, comodel, link }: FieldDef): readonly FieldDef[] {
  const both = [...model.fields.values(), ...present(comodel).fields.values()]
  return both.filter((field) => field.link?.table === link?.table)
}

/** The fields on the other side that change which lines an x2many has. */
export function choosersOf(step: FieldDef): FieldDef[] {
  const back = step.kind === 'one2many' && step.inverse ? step.comodel?.fields.get(step.inverse) : undefined
  const by = modelFieldOf(back)
  const model = by ? back?.model.fields.get(by) : undefined
  const linking = step.kind === 'many2many' && step.link ? twins(step) : []
  return [...(back ? [back] : []), ...(model ? [model] : []), ...linking]
}

function twins(field: FieldDef): FieldDef[] {
  return [...(field.comodel?.fields.values() ?? [])].filter(
    (f) =>
      f.kind === 'many2many' && f.link?.table === field.link?.table && f.link?.column === field.link?.other,
  )
}
