// JSON Schemas of field values: as they are read, and as they may be written (spec/models-api.md sections 1,
// 4 and 5).

import { selectionOf } from '../../models/kinds/index.ts'
import type { FieldDef, ModelDef } from '../../models/language/definitions.ts'
import { moduleOf } from '../visible-models.ts'

export type Schema = Readonly<Record<string, unknown>>

/** Reference to a schema of the components. */
export const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` })

const orUnset = (schema: Schema): Schema => ({ anyOf: [schema, ref('Unset')] })
const orEmpty = (schema: Schema): Schema => ({ anyOf: [schema, ref('Unset'), { type: 'null' }] })

/** Schemas that fields, parameters and results share. */
export const sharedSchemas: Readonly<Record<string, Schema>> = {
  Unset: { const: false, description: 'An empty value.' },
  Id: { type: 'integer', minimum: 1, maximum: 2_147_483_647, examples: [7] },
  Ids: { type: 'array', items: ref('Id'), examples: [[7, 9]] },
  Text: orUnset({ type: 'string' }),
  Date: orUnset({ type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2}$', examples: ['2026-01-31'] }),
  Datetime: orUnset({
    type: 'string',
    pattern: '^\\d{4}-\\d{2}-\\d{2} \\d{2}:\\d{2}:\\d{2}$',
    description: 'UTC.',
    examples: ['2026-01-31 09:30:00'],
  }),
  Many2one: {
    description: 'A many2one value in responses: id and display name, or the bare id if `load` is null.',
    examples: [[7, 'Corner Shop']],
    anyOf: [
      { type: 'array', prefixItems: [ref('Id'), { type: ['string', 'boolean'] }], minItems: 2, maxItems: 2 },
      ref('Id'),
      ref('Unset'),
    ],
  },
  Binary: orUnset({
    type: 'string',
    description: 'Base64; with `bin_size` in the context, the size as text, such as `12.5 Kb`.',
  }),
  Reference: orUnset({ type: 'string', pattern: '^[^,]+,\\d+$', examples: ['res.partner,7'] }),
  Properties: { anyOf: [{ type: 'array', items: { type: 'object' } }, { type: 'object' }, ref('Unset')] },
  Link: {
    description: 'A many2one value in requests: the id of the record.',
    ...orEmpty(ref('Id')),
    examples: [7],
  },
  Command: {
    description:
      '[0, 0, values] creates, [1, id, values] writes, [2, id] removes, [3, id] unlinks, [4, id] links, [5] clears, [6, 0, ids] sets. A bare id links too.',
    anyOf: [
      {
        type: 'array',
        prefixItems: [{ type: 'integer', enum: [0, 1, 2, 3, 4, 5, 6] }],
        minItems: 1,
        maxItems: 3,
      },
      ref('Id'),
    ],
    examples: [[4, 7]],
  },
  Commands: {
    description: 'A one2many or many2many value in requests: commands, carried out in order.',
    ...orEmpty({ type: 'array', items: ref('Command') }),
    examples: [[[6, 0, [7, 9]]], [[0, 0, { name: 'New' }]]],
  },
  Domain: {
    description:
      'Conditions [field, operator, value] in prefix notation with "&", "|" and "!"; an empty list matches all records.',
    type: 'array',
    items: { anyOf: [{ enum: ['&', '|', '!'] }, { type: 'array', minItems: 3, maxItems: 3 }] },
    examples: [[['name', 'ilike', 'wood']]],
  },
  Context: {
    type: 'object',
    description: 'Settings of the call, such as `lang`, `tz`, `active_test` and `allowed_company_ids`.',
    additionalProperties: true,
  },
  Error: {
    description: 'The response of every failed call.',
    type: 'object',
    required: ['name', 'message', 'arguments', 'context', 'debug'],
    properties: {
      name: { type: 'string', description: 'Name of the exception, for programs to decide by.' },
      message: { type: 'string' },
      arguments: { type: 'array' },
      context: { type: 'object' },
      debug: { type: 'string' },
    },
  },
}

/** Schema of a field's value as it is read. */
export function readSchema(field: FieldDef): Schema {
  return { ...readKind(field), ...notes(field), ...(isWritable(field) ? {} : { readOnly: true }) }
}

function readKind(field: FieldDef): Schema {
  switch (field.kind) {
    case 'char':
    case 'text':
    case 'html':
      return ref('Text')
    case 'integer':
      return field.name === 'id' ? ref('Id') : { type: 'integer' }
    case 'many2one_reference':
      return { type: 'integer' }
    case 'float':
    case 'monetary':
      return { type: 'number' }
    case 'boolean':
      return { type: 'boolean' }
    case 'date':
      return ref('Date')
    case 'datetime':
      return ref('Datetime')
    case 'binary':
      return ref('Binary')
    case 'selection':
      return { enum: [...Object.keys(selectionOf(field)), false] }
    case 'reference':
      return ref('Reference')
    case 'many2one':
      return ref('Many2one')
    case 'one2many':
    case 'many2many':
      return ref('Ids')
    case 'json':
      return {}
    case 'properties':
    case 'properties_definition':
      return ref('Properties')
    default:
      return { ...field.type.schema }
  }
}

/** Schema of the values that may be written into a field. */
export function writeSchema(field: FieldDef): Schema {
  return { ...writeKind(field), ...notes(field) }
}

function writeKind(field: FieldDef): Schema {
  switch (field.kind) {
    case 'selection':
      return { enum: [...Object.keys(selectionOf(field)), false, null] }
    case 'many2one':
      return ref('Link')
    case 'one2many':
    case 'many2many':
      return ref('Commands')
    case 'integer':
    case 'many2one_reference':
      return { type: ['integer', 'boolean', 'null'] }
    case 'float':
    case 'monetary':
      return { type: ['number', 'boolean', 'null'] }
    case 'boolean':
      return { type: ['boolean', 'null'] }
    case 'json':
      return {}
    default:
      return { anyOf: [readKind(field), { type: 'null' }] }
  }
}

function notes(field: FieldDef): Schema {
  const module = moduleOf(field)
  return {
    title: field.label,
    ...(field.options.help ? { description: field.options.help } : {}),
    ...(field.comodel ? { 'x-relation': field.comodel.name } : {}),
    ...(module ? { 'x-module': module } : {}),
  }
}

/** Whether a given value has an effect; values of other fields are ignored. */
export function isWritable(field: FieldDef): boolean {
  if (field.automatic) return false
  if (field.column) return true
  if (field.related && !field.stored) return field.inherited || !field.readonly
  if (field.compute && !field.stored) return field.compute.options.inverse !== undefined
  return true
}

/**
 * Whether a record cannot be created without it: it may not stay empty, and neither a default nor `create`
 * gives it a value.
 */
export function isNeeded(model: ModelDef, field: FieldDef): boolean {
  if (field.inherited) return isNeededOfParent(model, field)
  if (field.options.mustSend !== undefined) return field.options.mustSend
  const zero = ['integer', 'float', 'monetary', 'boolean', 'many2one_reference'].includes(field.kind)
  const delegate = [...model.inherits.values()].includes(field.name)
  return (
    field.required &&
    field.column &&
    isWritable(field) &&
    !zero &&
    !delegate &&
    field.compute === null &&
    field.defaultOf === null
  )
}

/** A record without the one that it delegates to gets a new one, which needs what all of its kind need. */
function isNeededOfParent(model: ModelDef, { name, related }: FieldDef): boolean {
  const link = model.fields.get(related?.[0] ?? '')
  const field = link?.comodel?.fields.get(name)
  return (
    link?.comodel !== undefined &&
    field !== undefined &&
    link.defaultOf === null &&
    isNeeded(link.comodel, field)
  )
}
