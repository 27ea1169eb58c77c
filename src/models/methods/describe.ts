// `fields_get`: what a model's fields are, for the caller in the caller's language (spec/models-api.md
// section 4).

import { assertWithin } from '../../limits.ts'
import { optional, returns } from '../contract/param.ts'
import type { FieldDef } from '../language/definitions.ts'
import { currencyOf, digitsOf, endOfPath, isAskable } from '../language/field-options.ts'
import { MANUAL } from '../manual/rows.ts'
import { mayField } from '../rights/judge.ts'
import { type Labels, labelsOf } from '../terms/labels.ts'
import { type GenericMethods, generic } from './generic.ts'

export const describeMethods: GenericMethods = {
  fields_get: generic(
    {
      doc: 'Describes fields: name → attributes. Unknown names are ignored.',
      level: 'model',
      readonly: true,
      params: {
        allfields: optional<unknown>('array', null, { annotation: 'list[str] | None' }),
        attributes: optional<unknown>('array', null, { annotation: 'list[str] | None' }),
      },
      returns: returns<object>('object', 'dict[str, ValuesType]'),
    },
    async ({ env, def }, p) => {
      for (const list of [p.allfields, p.attributes])
        if (Array.isArray(list)) assertWithin('fields', list.length)
      const labels = await labelsOf(env, def)
      const names = Array.isArray(p.allfields) && p.allfields.length ? new Set(p.allfields) : null
      const wanted = Array.isArray(p.attributes) ? new Set(p.attributes) : null
      const described: Record<string, Record<string, unknown>> = {}
      for (const field of def.fields.values()) {
        if (field.options.hidden || (names && !names.has(field.name)) || !mayField(env, field)) continue
        const attributes = describeField(field, labels)
        described[field.name] = wanted
          ? Object.fromEntries(Object.entries(attributes).filter(([key]) => wanted.has(key)))
          : attributes
      }
      return described
    },
  ),
}

/** Kind and flags of a field on the wire. A delegated field is as required as the field it leads to. */
export function shapeOf(field: FieldDef) {
  const { options, automatic, name } = field
  const source = field.inherited ? (endOfPath(field) ?? field) : field
  return {
    type: 'asLines' in options && options.asLines ? 'one2many' : field.type.wireType,
    relation: field.comodel?.name,
    required: source.required,
    readonly: automatic && name !== 'display_name' ? true : field.readonly,
    store: isShownAsStored(field),
  }
}

/** Attributes of a field, in the language of the labels; those that do not apply to its kind are absent. */
export function describeField(field: FieldDef, labels: Labels): Record<string, unknown> {
  const { options, kind } = field
  const { relation, ...shape } = shapeOf(field)
  const source = field.related ? (endOfPath(field) ?? field) : field
  const sql =
    field.column ||
    source.column ||
    (source.compute?.options.sql !== undefined && field.name !== 'display_name')
  const many = kind === 'one2many' || kind === 'many2many'
  const link = field.inherited ? source.link !== null : field.link !== null
  const sortable = sql && !many && kind !== 'binary' && isAskable(field)
  const attributes: Record<string, unknown> = {
    ...shape,
    name: field.name,
    string: labels.label(field),
    manual: field.module === MANUAL,
    depends: field.compute ? field.compute.depends : field.related ? [field.related.join('.')] : [],
    company_dependent: options.companyDependent ?? false,
    change_default: false,
    default_export_compatible: false,
    exportable: true,
    searchable: isSearchable(field),
    sortable,
    groupable: sortable || (link && field.stored),
  }
  const help = labels.help(field)
  if (help) attributes.help = help
  if (field.related) attributes.related = field.related.join('.')
  if (field.comodel)
    Object.assign(attributes, {
      relation,
      domain: field.options.domain ?? [],
      context: field.options.context ?? {},
    })
  if (kind === 'one2many' && field.inverse) attributes.relation_field = field.inverse
  if (kind === 'selection' || kind === 'reference')
    attributes.selection = Object.entries(labels.options(field))
  if (kind === 'char' || kind === 'text' || kind === 'html') attributes.translate = field.translate
  if (field.kind === 'char') {
    attributes.trim = field.options.trim ?? true
    if (field.options.size) attributes.size = field.options.size
  }
  if (field.kind === 'html') attributes.sanitize = field.options.sanitize ?? true
  const digits = digitsOf(field)
  if (digits !== undefined) attributes.digits = digits
  if (kind === 'monetary') attributes.currency_field = currencyOf(field)
  if (field.kind === 'binary') attributes.attachment = field.options.attachment ?? true
  if (field.kind === 'properties' && field.options.definition) {
    const [record, name] = field.options.definition.split('.')
    Object.assign(attributes, { definition_record: record, definition_record_field: name })
  }
  if (field.groups.length) attributes.groups = field.groups.join(',')
  const aggregator = aggregatorOf(field)
  if (aggregator && sortable) attributes.aggregator = aggregator
  return attributes
}

/** Whether `fields_get` says that a value is stored. */
export const isShownAsStored = ({ stored, inherited, options }: FieldDef): boolean =>
  inherited ? stored : (options.asStored ?? stored)

/** Whether a domain may name a field: one that is found by its path is, where what it leads to is. */
function isSearchable(field: FieldDef): boolean {
  if (field.stored || field.search || field.name === 'display_name') return true
  if (field.compute) return field.compute.options.sql !== undefined && isAskable(field)
  const source = endOfPath(field)
  return source !== null && isSearchable(source)
}

function aggregatorOf(field: FieldDef): string | null {
  if (field.options.aggregator !== undefined) return field.options.aggregator
  return ['integer', 'float', 'monetary'].includes(field.kind) && field.name !== 'id' ? 'sum' : null
}
