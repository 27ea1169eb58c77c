// Making fields over the API: what `ir.model.fields` and its options look at before rows are written
// (spec/models-api.md section 10, "Made models").

import { createHash } from 'node:crypto'
import { assertName } from '#engine'
import type { Environment, ModelName } from '#models'
import { ServiceError, UserError, ValidationError } from '../../../errors.ts'
import { evaluate, parseExpression } from '../../../kit/expression/index.ts'
import { isInteger, only } from '../../../kit/present.ts'
import { id, idList, sql } from '../../../sql/index.ts'
import { mirrored } from './catalogued.ts'

type Vals = Record<string, unknown>

const linked = new Set<unknown>(['many2one', 'one2many', 'many2many'])
/** Kinds that only a declaration can give a meaning. */
const declaredOnly = new Set<unknown>(['properties', 'properties_definition', 'many2one_reference'])

/**
 * Models whose rows the server writes past them: a required or computed column that it does not know of would
 * keep it from signing people in.
 */
const serverWritten = new Set([
  'comptoir.audit',
  'comptoir.chain',
  'comptoir.chain.link',
  'comptoir.key.use',
  'comptoir.webhook.delivery',
  'res.users.apikeys',
])

export const fieldWraps = mirrored({
  frozen: [
    'name',
    'model',
    'model_id',
    'ttype',
    'relation',
    'relation_field',
    'required',
    'readonly',
    'store',
    'state',
    'related',
  ],
  settled: [
    'model',
    'model_id',
    'ttype',
    'relation',
    'relation_field',
    'relation_table',
    'column1',
    'column2',
    'state',
    'translate',
    'company_dependent',
  ],
  made: sql`t.state = 'manual'`,
  reads: [],
  refuse: () =>
    new UserError(
      'Fields that modules declare can be neither altered nor removed; made fields keep their model and type.',
    ),
  async prepare(env, list) {
    const models = await modelsOf(env, list)
    await assertRelations(env, list)
    return list.map((vals) => ready(vals, models))
  },
  async prepareWrite(env, vals, ids) {
    if (vals.compute) throw codeRefused()
    assertDomain(vals.domain)
    if ('name' in vals) await rename(env, vals.name, ids)
    if (!('selection' in vals)) return vals
    const { selection, ...rest } = vals
    await env.execute(sql`DELETE FROM ir_model_fields_selection WHERE field_id = ANY(${idList([...ids])})`, {
      reads: ['ir.model.fields.selection'],
    })
    return { ...rest, selection_ids: optionsFrom(selection) }
  },
})

export const optionWraps = mirrored({
  frozen: ['field_id', 'value'],
  settled: ['field_id'],
  made: sql`EXISTS (SELECT FROM ir_model_fields f WHERE f.id = t.field_id AND f.state = 'manual')`,
  reads: ['ir.model.fields'],
  refuse: () =>
    new UserError(
      'Options of selections that modules declare can be neither made, nor altered, nor removed.',
    ),
  async prepare(env, list) {
    const ids = list.flatMap(({ field_id }) => (isInteger(field_id) ? [field_id] : []))
    const rows = await env.rows(
      sql`SELECT FROM ir_model_fields WHERE id = ANY(${idList(ids)}) AND state <> 'manual'`,
      { reads: ['ir.model.fields'], row: [] },
    )
    if (rows.length)
      throw new UserError(
        'Options of selections that modules declare can be neither made, nor altered, nor removed.',
      )
    return list
  },
  async prepareWrite(env, vals, ids) {
    if (typeof vals.value === 'string') await carryOver(env, vals.value, ids)
    return vals
  },
})

/** Records that have an option have it still when its key is another one. */
async function carryOver(env: Environment, key: string, ids: readonly number[]): Promise<void> {
  const rows = await env.rows(
    sql`SELECT f.model, f.name, o.value FROM ir_model_fields_selection o JOIN ir_model_fields f ON f.id = o.field_id
      WHERE o.id = ANY(${idList([...ids])}) AND o.value <> ${key}`,
    { reads: ['ir.model.fields.selection', 'ir.model.fields'], row: ['text', 'text', 'text'] },
  )
  for (const [model, name, old] of rows) {
    const field = env.unit.registry.get(model)?.fields.get(name)
    if (!field?.column || field.options.companyDependent) continue
    await env.execute(
      sql`UPDATE ${id(field.model.table)} SET ${id(name)} = ${key} WHERE ${id(name)} = ${old}`,
      {
        reads: [field.model.name as ModelName],
      },
    )
  }
}

/** A condition on a relation's records may name what only a screen knows, but it is an expression. */
function assertDomain(text: unknown): void {
  if (typeof text !== 'string' || text.trim() === '') return
  try {
    parseExpression(text.trim())
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    throw new ValidationError(`The domain is not a valid expression: ${error.message}`, { cause: error })
  }
}

const codeRefused = () =>
  new UserError(
    'Code in the database is not run: made fields follow others by "related", and what else is computed belongs into a module.',
  )

/** The column and the files of a field go by its new name; whatever else names it must be changed first. */
async function rename(env: Environment, name: unknown, ids: readonly number[]): Promise<void> {
  assertName('field', name)
  const rows = await env.rows(
    sql`SELECT model, name FROM ir_model_fields WHERE id = ANY(${idList([...ids])}) AND name <> ${name}`,
    { reads: ['ir.model.fields'], row: ['text', 'text'] },
  )
  if (rows.length === 0) return
  if (ids.length > 1) throw new UserError('Only one field can be renamed at a time.')
  const [model, old] = only(rows)
  const field = env.unit.registry.get(model)?.fields.get(old)
  const [taken] = await env.rows(sql`SELECT FROM ir_model_fields WHERE model = ${model} AND name = ${name}`, {
    reads: ['ir.model.fields'],
    row: [],
  })
  if (taken) throw new ValidationError('Field names must be unique per model.')
  if (field?.column)
    await env.execute(sql`ALTER TABLE ${id(field.model.table)} RENAME COLUMN ${id(old)} TO ${id(name)}`)
  if (field?.kind === 'binary')
    await env.execute(
      sql`UPDATE ir_attachment SET res_field = ${name} WHERE res_model = ${model} AND res_field = ${old}`,
      { reads: ['ir.attachment'] },
    )
}

/** Names of the models that fields are made for, by the id of their row. */
async function modelsOf(env: Environment, list: readonly Vals[]): Promise<Map<unknown, string>> {
  const ids = list.flatMap(({ model_id }) => (isInteger(model_id) ? [model_id] : []))
  const rows = await env.rows(sql`SELECT id, model FROM ir_model WHERE id = ANY(${idList(ids)})`, {
    reads: ['ir.model'],
    row: ['int', 'text'],
  })
  return new Map(rows.map((row) => [row[0], row[1]]))
}

async function assertRelations(env: Environment, list: readonly Vals[]): Promise<void> {
  const wanted = [...new Set(list.filter(({ ttype }) => linked.has(ttype)).map(({ relation }) => relation))]
  const rows = await env.rows(
    sql`SELECT model FROM ir_model WHERE model = ANY(${wanted.map(String)}::text[]) AND NOT COALESCE(abstract, FALSE)`,
    { reads: ['ir.model'], row: ['text'] },
  )
  const existing = new Set<unknown>(rows.map((row) => row[0]))
  for (const relation of wanted) {
    if (!existing.has(relation))
      throw new ValidationError(`Unknown model name ${JSON.stringify(relation ?? false)} in Related Model`)
  }
}

/** Values as they are kept: what follows from others is filled in. */
function ready(fieldValues: Vals, models: ReadonlyMap<unknown, string>): Vals {
  const { selection, state: _state, model: _model, complete_name: _complete, ...vals } = fieldValues
  if (vals.compute) throw codeRefused()
  assertDomain(vals.domain)
  assertName('field', vals.name ?? 'x_')
  if (declaredOnly.has(vals.ttype))
    throw new ValidationError(`Fields of the type ${String(vals.ttype)} are declared by modules.`)
  const model = models.get(vals.model_id)
  if (model && serverWritten.has(model))
    throw new UserError(`The model ${model} cannot have custom fields: only the server writes it.`)
  const done: Vals = {
    copied: vals.ttype !== 'one2many' && !vals.related,
    ...vals,
    state: 'manual',
    ...(model ? { model } : {}),
  }
  if (!linked.has(vals.ttype))
    Object.assign(done, { relation: false, relation_field: false, on_delete: false })
  if ('translate' in vals) done.translate = vals.translate === true ? 'standard' : vals.translate || false
  if (vals.ttype === 'many2one') done.on_delete = vals.on_delete || 'set null'
  if (vals.ttype === 'many2many' && !vals.related && model) Object.assign(done, linkTable(model, vals))
  if (typeof selection === 'string' && selection && !vals.selection_ids)
    done.selection_ids = optionsFrom(selection)
  return done
}

/** The link table of a made many2many: as given, when it can be no table of a module, else one of its own. */
function linkTable(model: string, { name, relation_table, column1, column2 }: Vals): Vals {
  const relationTable = `x_${model.replaceAll('.', '_')}_${String(name)}_rel`
  const short =
    relationTable.length <= 63
      ? relationTable
      : `${relationTable.slice(0, 48)}_${createHash('sha1').update(relationTable).digest('hex').slice(0, 10)}_rel`
  const table = typeof relation_table === 'string' && relation_table ? relation_table : short
  const columns = [column1 || 'id1', column2 || 'id2']
  for (const word of [table, ...columns]) {
    if (typeof word !== 'string' || !/^[a-z][a-z0-9_]{0,62}$/.test(word))
      throw new ValidationError(
        'The name of a relation table may only contain lower-case letters, digits and underscores.',
      )
  }
  if (!table.startsWith('x_')) throw new ValidationError('The name of a relation table must start with x_.')
  if (columns[0] === columns[1])
    throw new ValidationError('The columns of a relation table must have different names.')
  return { relation_table: table, column1: columns[0], column2: columns[1] }
}

/**
 * Options out of a text such as `[('u', 'Up'), ('d', 'Down')]`, a literal and nothing else. Throws
 * ValidationError.
 */
function optionsFrom(text: unknown): unknown[] {
  const wrong = (cause?: unknown) =>
    new ValidationError('Invalid selection options: use the form [("key", "Label"), …].', { cause })
  let value: unknown
  try {
    value = text ? evaluate(parseExpression(String(text).trim()), {}) : []
  } catch (error) {
    if (error instanceof ServiceError) throw wrong(error)
    throw error
  }
  if (!Array.isArray(value)) throw wrong()
  return value.map((option: unknown, sequence) => {
    if (!Array.isArray(option) || option.length !== 2 || !option.every((word) => typeof word === 'string'))
      throw wrong()
    return [0, 0, { value: option[0], name: option[1], sequence }]
  })
}
