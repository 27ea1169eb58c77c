// Examples of bodies and results, made from contracts: what must be given, in values that the schemas accept.
import type { Param, ParamType } from '../../models/contract/param.ts'
import { selectionOf } from '../../models/kinds/index.ts'
import type { FieldDef, MethodDef, ModelDef } from '../../models/language/definitions.ts'
import { annotationIn } from '../annotation.ts'
import { exampleOf } from './annotation.ts'
import { isNeeded, isWritable } from './values.ts'

type Body = Readonly<Record<string, unknown>>

const byType: Partial<Readonly<Record<ParamType, unknown>>> = {
  boolean: true,
  integer: 1,
  number: 1.5,
  string: 'text',
  text: 'text',
  domain: [],
  fields: ['display_name'],
  strings: ['text'],
  order: 'id desc',
  limit: 10,
  offset: 0,
  vals: {},
  valsList: [{}],
  ids: [1],
  specification: { display_name: {} },
  records: [1],
}

/** Values of parameters that say what they are by their name. */
const named: Readonly<Record<string, unknown>> = {
  operation: 'read',
  field_name: 'display_name',
  groupby: ['create_date:month'],
  group_by: 'create_date:month',
  fields_to_export: ['id', 'display_name'],
}

function givenValue(param: Param): unknown {
  return (
    byType[param.type] ?? (param.annotation === undefined ? null : exampleOf(annotationIn(param.annotation)))
  )
}

const panel: Body = { field_name: 'create_uid' }

/** Parameters that say more than a list of what is required. */
const telling: Readonly<Record<string, Body>> = {
  search: { domain: [['create_date', '>=', '2026-01-31']], limit: 10 },
  search_count: { domain: [['create_date', '>=', '2026-01-31']] },
  name_search: { name: 'a', limit: 10 },
  fields_get: { attributes: ['type', 'string', 'required'] },
  read_group: { domain: [], fields: [], groupby: ['create_date:month'] },
  formatted_read_group: { domain: [], groupby: ['create_date:month'], aggregates: ['__count'] },
  formatted_read_grouping_sets: {
    domain: [],
    grouping_sets: [['create_date:month'], []],
    aggregates: ['__count'],
  },
  read_progress_bar: {
    domain: [],
    progress_bar: { field: 'active', colors: { true: 'success', false: 'muted' } },
  },
  search_panel_select_range: panel,
  search_panel_select_multi_range: panel,
  load: { fields: ['id', 'name'], data: [['example.first', 'First']] },
  get_views: {
    views: [
      [false, 'list'],
      [false, 'form'],
    ],
  },
  onchange: { ids: [], values: {}, field_names: [], fields_spec: { display_name: {} } },
  has_access: { operation: 'read' },
}

/** A body for a method, the same for every model. */
export function bodyExample(method: MethodDef): Body {
  const required = Object.entries(method.params).filter(([, param]) => !param.hasDefault)
  return {
    ...(method.level === 'records' ? { ids: [1] } : {}),
    ...Object.fromEntries(
      required.map(([name, param]) => [
        name,
        Object.hasOwn(named, name) && method.module === 'core' ? named[name] : givenValue(param),
      ]),
    ),
    ...(method.module === 'core' && Object.hasOwn(telling, method.name) ? telling[method.name] : {}),
  }
}

/**
 * A body for a method of this model: as above, and with fields that it has where the method is about fields.
 */
export function callExample(model: ModelDef, fields: readonly FieldDef[], method: MethodDef): Body {
  if (method.module !== 'core') return bodyExample(method)
  switch (method.name) {
    case 'search_read':
      return { domain: [], fields: identifyingFields(model, fields), limit: 10 }
    case 'read':
      return { ids: [1], fields: identifyingFields(model, fields) }
    case 'create':
      return { vals_list: [createExample(model, fields)] }
    case 'write':
      return { ids: [1], vals: writeExample(model, fields) }
    case 'load': {
      const values = Object.entries(createExample(model, fields)).filter(
        ([, value]) => typeof value !== 'object',
      )
      return {
        fields: ['id', ...values.map(([name]) => name)],
        data: [['example.first', ...values.map(([, value]) => String(value))]],
      }
    }
    default:
      return withoutMoments(bodyExample(method), fields)
  }
}

/** Models without a log of their records have no moment to search or group by. */
function withoutMoments(body: Body, fields: readonly FieldDef[]): Body {
  if (fields.some(({ name }) => name === 'create_date')) return body
  const about = {
    domain: [],
    groupby: [],
    group_by: 'display_name',
    grouping_sets: [[]],
    field_name: 'display_name',
  }
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => [name, about[name as keyof typeof about] ?? value]),
  )
}

/**
 * A result of the declared type; undefined where any value may come, and where the content depends on the
 * call.
 */
export function resultExample(returns: Param | null): unknown {
  if (!returns) return undefined
  const example =
    byType[returns.type] ??
    (returns.annotation === undefined ? undefined : exampleOf(annotationIn(returns.annotation)))
  return JSON.stringify(example)?.includes('{}') ? undefined : example
}

/** Values to create a record with: what is needed, and its name unless it gets one by itself. */
export function createExample(model: ModelDef, fields: readonly FieldDef[]): Body {
  const name = nameOf(model, fields)
  return valuesOf(
    fields.filter(
      (field) =>
        (field === name && field.defaultOf === null) || (isWritable(field) && isNeeded(model, field)),
    ),
  )
}

/** Values to write: the name, or the first field that takes a value. */
export function writeExample(model: ModelDef, fields: readonly FieldDef[]): Body {
  const example = nameOf(model, fields) ?? fields.find(isWritable)
  return example ? valuesOf([example]) : {}
}

/** The field that people write to name a record: what is shown as its name may be computed. */
function nameOf(model: ModelDef, fields: readonly FieldDef[]): FieldDef | undefined {
  const textField = (name: string | null) =>
    fields.find(
      (field) =>
        field.name === name && isWritable(field) && (field.compute === null || field.related !== null),
    )
  return textField(model.recName) ?? textField('name')
}

const valuesOf = (fields: readonly FieldDef[]): Body =>
  Object.fromEntries(fields.map((field) => [field.name, writtenValue(field)]))

/** Fields of the example of a question. */
const MOST_ASKED = 4

/** Fields that identify a record in an example: its name, and the required ones. */
function identifyingFields(model: ModelDef, fields: readonly FieldDef[]): string[] {
  const name = fields.find((field) => field.name === model.recName)?.name ?? 'display_name'
  const needed = fields
    .filter((field) => isNeeded(model, field) && field.kind !== 'binary')
    .map((field) => field.name)
  return [...new Set([name, ...needed])].filter((fieldName) => fieldName !== 'id').slice(0, MOST_ASKED)
}

/** A row with the fields that the example of a question asks for. */
export function rowExample(model: ModelDef, fields: readonly FieldDef[]): Body {
  const names = identifyingFields(model, fields)
  const requested = fields.filter((field) => names.includes(field.name))
  return { id: 1, ...Object.fromEntries(requested.map((field) => [field.name, readValue(field)])) }
}

/** Fields of the example of a record. */
const MOST_SHOWN = 12

/**
 * A record as it is read: its id and name, what must be sent, then fields of its own modules that are stored.
 */
export function recordExample(model: ModelDef, fields: readonly FieldDef[]): Body {
  const rank = (field: FieldDef) =>
    field.name === 'id'
      ? 0
      : field.name === model.recName
        ? 1
        : field.name === 'display_name'
          ? 2
          : isNeeded(model, field)
            ? 3
            : 4
  const telling = fields.filter(
    (field) => rank(field) < 4 || (field.stored && !field.automatic && field.kind !== 'binary'),
  )
  const shown = telling.sort((field, other) => rank(field) - rank(other)).slice(0, MOST_SHOWN)
  return Object.fromEntries(shown.map((field) => [field.name, readValue(field)]))
}

/** Example of a written value as it is read. */
function readValue(field: FieldDef): unknown {
  switch (field.kind) {
    case 'many2one':
      return [1, field.comodel?.label ?? 'Name']
    case 'one2many':
    case 'many2many':
      return [1, 2]
    case 'reference':
      return 'res.partner,1'
    default:
      return field.name === 'id' ? 1 : writtenValue(field)
  }
}

function writtenValue(field: FieldDef): unknown {
  switch (field.kind) {
    case 'integer':
    case 'many2one_reference':
    case 'many2one':
      return 1
    case 'float':
    case 'monetary':
      return 1.5
    case 'boolean':
      return true
    case 'date':
      return '2026-01-31'
    case 'datetime':
      return '2026-01-31 09:30:00'
    case 'binary':
      return 'R0lGODlhAQABAAAAACw='
    case 'selection':
      return Object.keys(selectionOf(field))[0] ?? false
    case 'reference':
      return 'res.partner,1'
    case 'one2many':
    case 'many2many':
      return [[4, 1]]
    case 'json':
    case 'properties':
      return {}
    case 'properties_definition':
      return []
    default:
      return field.type.schema?.examples[0] ?? field.label
  }
}
