// `fields_get`: what a model's fields are, for the caller in the caller's language (spec/models-api.md
// section 4).

import { turn } from '../../kit/turns.ts'
import { assertWithin } from '../../limits.ts'
import { optional, returns } from '../contract/param.ts'
import { ownAggregator } from '../grouping/specs.ts'
import type { FieldDef, Ids, ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { currencyOf, digitsOf, endOfPath, isAskable } from '../language/field-options.ts'
import { loadPaths } from '../load/load.ts'
import { MANUAL } from '../manual/custom.ts'
import { mayField } from '../rights/judge.ts'
import { assertRecords } from '../row/access.ts'
import { type Labels, labelsOf } from '../terms/labels.ts'
import { externalIds } from '../transfer/named-records.ts'
import { type GenericMethods, generic } from './bind.ts'

export const describeMethods: GenericMethods = {
  fields_get: generic({
    doc: 'Describes fields: name → attributes. Unknown names are ignored.',
    level: 'model',
    readonly: true,
    params: {
      allfields: optional<unknown>('array', null, { annotation: 'list[str] | None' }),
      attributes: optional<unknown>('array', null, { annotation: 'list[str] | None' }),
    },
    returns: returns<object>('object', 'dict[str, ValuesType]'),
    run: async ({ env, def }, p) => {
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
  }),
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
  const aggregator = ownAggregator(field)
  if (aggregator && sortable) attributes.aggregator = aggregator
  return attributes
}

export const isShownAsStored = ({ stored, inherited, options }: FieldDef): boolean =>
  inherited ? stored : (options.asStored ?? stored)

/** Whether a domain may name a field: one that is found by its path is, where what it leads to is. */
function isSearchable(field: FieldDef): boolean {
  if (field.stored || field.search || field.name === 'display_name') return true
  if (field.compute) return field.compute.options.sql !== undefined && isAskable(field)
  const source = endOfPath(field)
  return source !== null && isSearchable(source)
}

// External ids, log fields and other facts about records, as clients ask for them.

export const metadataMethods: GenericMethods = {
  get_metadata: generic({
    doc: 'Returns creator, last editor, dates and external ids of records.',
    readonly: true,
    params: {},
    returns: returns<object[]>('array', 'list[dict]'),
    run: async ({ env, def, ids }) => {
      await assertRecords(env, def, ids, 'read')
      const distinct = [...new Set(ids)]
      const facts = new Map<number, Metadata>()
      for (let from = 0; from < distinct.length; from += AT_ONCE) {
        for (const row of await metadataOf(env, def, distinct.slice(from, from + AT_ONCE)))
          facts.set(row.id, row)
        await turn()
      }
      env.unit.shown.add(ids.length * FACTS)
      return ids.flatMap((id) => facts.get(id) ?? [])
    },
  }),
  get_external_id: generic({
    doc: 'Returns external ids by record id; empty for records without one.',
    readonly: true,
    params: {},
    returns: returns<object>('object', 'dict[int, str]'),
    run: async ({ env, def, ids }) => {
      await assertRecords(env, def, ids, 'read')
      const xmlids = await externalIds(env, def.name, ids)
      return Object.fromEntries(ids.map((id) => [String(id), xmlids.get(id)?.[0]?.xmlid ?? '']))
    },
  }),
}

/** Records whose facts are found out at a time, and how many facts there are. */
const AT_ONCE = 1000
const FACTS = 8

type Metadata = { readonly id: number } & Record<string, unknown>

async function metadataOf(env: Environment, model: ModelDef, ids: Ids): Promise<Metadata[]> {
  const log = model.logAccess
    ? ['create_uid.display_name', 'create_date', 'write_uid.display_name', 'write_date']
    : ['id']
  const rows = await loadPaths(env.sudo(), model, ids, log)
  const xmlids = await externalIds(env, model.name, ids)
  return rows.map((row) => {
    const externalIdsOfRow = xmlids.get(row.id) ?? []
    return {
      id: row.id,
      create_uid: pair(row.create_uid),
      create_date: row.create_date ?? false,
      write_uid: pair(row.write_uid),
      write_date: row.write_date ?? false,
      xmlid: externalIdsOfRow[0]?.xmlid ?? false,
      noupdate: externalIdsOfRow[0]?.noupdate ?? false,
      xmlids: externalIdsOfRow,
    }
  })
}

function pair(user: unknown): [number, string] | false {
  const record = user as { id: number; display_name: string } | null | undefined
  return record ? [record.id, record.display_name] : false
}
