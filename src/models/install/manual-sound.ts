// Checks custom models and fields for contradictions that composition does not find.

import { UserError, ValidationError } from '../../errors.ts'
import type { FieldDef, ModelDef, Registry } from '../language/definitions.ts'
import { currencyOf } from '../language/field-options.ts'
import { leadsToOne } from '../language/relations.ts'
import type { ManualRows } from '../manual/rows.ts'

/** Throws UserError and ValidationError as the recordings show (manual-models/refused). */
export function assertSoundRows(registry: Registry, { models, fields }: ManualRows): void {
  assertTables(registry, models.length > 0 || fields.some((field) => field.kind === 'many2many'))
  for (const { model, name } of fields) {
    const field = registry.get(model)?.fields.get(name)
    if (!field) continue
    if (field.related) assertRelated(field)
    else if (field.kind === 'one2many') assertWayBack(field)
    if (field.kind === 'monetary') assertCurrency(field)
    if (leadsToOne(field) && field.required && field.options.ondelete === 'set null') {
      throw new ValidationError(
        `The m2o field ${name} is required but declares its on_delete policy as being 'set null'. Only 'restrict' and 'cascade' make sense.`,
      )
    }
  }
}

/** Two models never share a table, and a link table only with its other side. */
function assertTables(registry: Registry, any: boolean): void {
  if (!any) return
  const owners = new Map<string, ModelDef>()
  for (const model of registry.models.values()) {
    if (!model.hasTable) continue
    const other = owners.get(model.table)
    if (other)
      throw new ValidationError(
        `The models ${other.name} and ${model.name} would share the table ${model.table}.`,
      )
    owners.set(model.table, model)
  }
  const links = new Map<string, FieldDef>()
  for (const model of owners.values()) {
    for (const field of model.fields.values()) {
      if (!field.link || field.inherited) continue
      if (owners.has(field.link.table))
        throw new ValidationError(
          `${model.name}.${field.name} cannot link through the table ${field.link.table}.`,
        )
      const other = links.get(field.link.table)
      if (other && !isTwin(field, other)) {
        throw new ValidationError(
          `${model.name}.${field.name} and ${other.model.name}.${other.name} cannot share the table ${field.link.table}.`,
        )
      }
      links.set(field.link.table, field)
    }
  }
}

function isTwin(a: FieldDef, b: FieldDef): boolean {
  const turned =
    a.link?.column === b.link?.other &&
    a.link?.other === b.link?.column &&
    a.model === b.comodel &&
    a.comodel === b.model
  return (
    turned ||
    (a.link?.column === b.link?.column &&
      a.link?.other === b.link?.other &&
      a.comodel === b.comodel &&
      a.model === b.model)
  )
}

function assertRelated(field: FieldDef): void {
  let model: ModelDef | undefined = field.model
  let last: FieldDef | undefined
  const path = field.related ?? []
  for (const [i, name] of path.entries()) {
    last = model?.fields.get(name)
    if (!last || last.options.hidden || last === field)
      throw new UserError(`Unknown field name "${name}" in related field "${path.join('.')}"`)
    if (i < path.length - 1 && last.kind !== 'many2one')
      throw new UserError(`Non-relational field name "${name}" in related field "${path.join('.')}"`)
    model = last.comodel
  }
  if (last?.kind !== field.kind || last.comodel !== field.comodel)
    throw new UserError(`Related field "${path.join('.')}" does not have type "${field.kind}"`)
}

function assertWayBack(field: FieldDef): void {
  const back = field.comodel?.fields.get(field.inverse ?? '')
  if (back?.kind !== 'many2one' || back.comodel !== field.model) {
    throw new UserError(`No inverse field "${field.inverse}" found for "${field.comodel?.name}"`)
  }
}

/** A monetary amount needs its currency. */
function assertCurrency(field: FieldDef): void {
  const name = currencyOf(field)
  const currency = field.model.fields.get(name)
  if (currency?.kind !== 'many2one' || currency.comodel?.name !== 'res.currency') {
    throw new ValidationError(
      `The amount ${field.name} needs a field with its currency: ${name} is not a many2one to res.currency.`,
    )
  }
}
