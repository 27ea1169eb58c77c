// Custom models as a module: rows become contracts, so that all rules for declared models apply to them.
import { ServiceError } from '../../errors.ts'
import { evaluate, parseExpression } from '../../kit/expression/index.ts'
import { implement } from '../behaviour/implement.ts'
import type { Field } from '../contract/field.ts'
import type { FieldOptions } from '../contract/field-options.ts'
import type { ModelKind, ModelOptions } from '../contract/model.ts'
import type { Behaviour } from '../language/behaviour.ts'
import type { Module } from '../language/module.ts'
import { parseOrder } from '../row/order.ts'
import { everywhere, MANUAL, type ManualField, type ManualModel, type ManualRows } from './rows.ts'

/** The module with the custom models and fields; null if there are none. */
export function manualModule({ models, fields }: ManualRows): Module | null {
  const byModel = Map.groupBy(fields, (field) => field.model)
  const modelsByName = new Map(models.map((model) => [model.model, model]))
  const names = new Set([...modelsByName.keys(), ...byModel.keys()])
  if (names.size === 0) return null
  const behaviours = [...names].map((name) =>
    behaviourOf(name, modelsByName.get(name), byModel.get(name) ?? []),
  )
  return { name: MANUAL, version: '', summary: '', depends: [], models: behaviours }
}

function behaviourOf(
  name: string,
  customModel: ManualModel | undefined,
  rows: readonly ManualField[],
): Behaviour {
  const currency = rows.some((row) => row.name === 'x_currency_id') ? 'x_currency_id' : null
  const fields = Object.fromEntries(
    rows.map((row) => [row.name, fieldOf({ ...row, currency: row.currency || currency })]),
  )
  const kind: ModelKind = customModel ? (customModel.transient ? 'transient' : 'model') : 'extension'
  const options: ModelOptions = customModel
    ? { label: customModel.label, order: orderOf(customModel.order, fields), formsBySaving: true }
    : {}
  return implement({ name, kind, options, fields, methods: {} })
}

/** The order without missing fields: removing a field must not make the model unreadable. */
function orderOf(order: string, fields: Readonly<Record<string, Field>>): string {
  try {
    const kept = parseOrder(order).filter(
      ({ path: [name = ''] }) => everywhere.has(name) || Object.hasOwn(fields, name),
    )
    return (
      kept.map(({ path, descending }) => `${path.join('.')}${descending ? ' desc' : ''}`).join(', ') || 'id'
    )
  } catch (error) {
    if (error instanceof ServiceError) return 'id'
    throw error
  }
}

const linked = new Set(['many2one', 'one2many', 'many2many'])
/** Field types for which a related field cannot have a column. */
const unkept = new Set(['one2many', 'many2many', 'binary'])

function fieldOf(row: ManualField): Field {
  const { kind } = row
  const related = row.related || undefined
  const options: { -readonly [K in keyof FieldOptions]: FieldOptions[K] | undefined } = {
    label: row.label,
    help: row.help || undefined,
    required: row.required ?? false,
    readonly: row.readonly ?? false,
    related,
    stored: related ? row.store === true && !unkept.has(kind) : undefined,
    index: row.index && !linked.has(kind) && kind !== 'binary' ? true : undefined,
    copy: (row.copied ?? !related) && kind !== 'one2many' && !row.companyDependent,
    groups: row.groups.length ? row.groups.join(',') : undefined,
  }
  if (kind === 'char') options.size = row.size || undefined
  if (kind === 'char' || kind === 'text' || kind === 'html') options.translate = row.translate
  if (kind === 'html') options.sanitize = row.sanitize ?? true
  if (kind === 'selection' || kind === 'reference') options.selection = Object.fromEntries(row.selection)
  if (kind === 'monetary') options.currency = row.currency || undefined
  if (kind === 'many2one') options.ondelete = row.onDelete ?? 'set null'
  if (kind === 'one2many') options.inverse = row.inverse ?? ''
  if (kind === 'many2many' && !related && row.table && row.column && row.other) {
    options.relation = { table: row.table, column: row.column, other: row.other }
  }
  if (linked.has(kind)) options.domain = domainOfText(row.domain)
  if (row.companyDependent && !linked.has(kind) && !related) options.companyDependent = true
  const fieldOptions = Object.fromEntries(
    Object.entries(options).filter(([, value]) => value !== undefined),
  ) as FieldOptions
  return linked.has(kind) && row.relation
    ? { kind, target: row.relation, options: fieldOptions }
    : { kind, options: fieldOptions }
}

/** A fixed domain, written as a literal; undefined if it is not a list. */
export function domainOfText(text: string | null): readonly unknown[] | undefined {
  if (!text || text.trim() === '[]') return undefined
  try {
    const value = evaluate(parseExpression(text.trim()), {})
    return Array.isArray(value) && value.length ? value : undefined
  } catch (error) {
    // It may contain names that only forms know.
    if (error instanceof ServiceError) return undefined
    throw error
  }
}
