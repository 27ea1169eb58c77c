// The catalogue: the registry's models, fields and selection values as records of `ir.model`,
// `ir.model.fields` and `ir.model.fields.selection`.

import { present } from '../../kit/present.ts'
import { id, idList, join, raw, sql } from '../../sql/index.ts'
import { selectionOf } from '../kinds/index.ts'
import type { FieldDef, Ids, ModelDef, Registry } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { leadsToOne } from '../language/field-options.ts'
import { isShownAsStored } from '../methods/describe.ts'
import { columnTypeIn } from '../row/values.ts'
import { type ExternalIdRow, registerExternalIds } from './data.ts'

type RowValues = Readonly<Record<string, unknown>>

/**
 * Updates the catalogue from the registry, with one statement per table, and registers the external ids
 * that clients use. `prune`: entries that the registry does not have are removed.
 */
export async function reflect(
  env: Environment,
  registry: Registry = env.unit.registry,
  prune = true,
): Promise<void> {
  const models = [...registry.models.values()]
  const modelIds = await upsert(env, 'ir.model', ['model'], models.map(modelRow), prune)
  const fields = models.flatMap((model) => [...model.fields.values()].filter((f) => !f.options.hidden))
  const fieldRows = fields.map((field) => fieldRow(field, modelIds))
  const fieldIds = await upsert(env, 'ir.model.fields', ['model', 'name'], fieldRows, prune)
  const options = fields.flatMap(optionsOf)
  const optionIds = await upsert(
    env,
    'ir.model.fields.selection',
    ['field_id', 'value'],
    options.map(({ field, value, label, sequence }) => ({
      field_id: fieldIds.get(`${field.model.name}|${field.name}`),
      value,
      name: label,
      sequence,
    })),
  )
  const declared = options.map(({ field, value }) =>
    optionIds.get(`${fieldIds.get(`${field.model.name}|${field.name}`)}|${value}`),
  )
  if (prune)
    await dropOptions(
      env,
      declared.filter((option) => option !== undefined),
    )
  const external = externalIds({ models, modelIds, fields, fieldIds, options, optionIds })
  await registerExternalIds(env, [
    ...new Map(external.map((row) => [`${row.module}.${row.name}`, row])).values(),
  ])
}

interface DeclaredOption {
  readonly field: FieldDef
  readonly value: string
  readonly label: string
  readonly sequence: number
}

function optionsOf(field: FieldDef): DeclaredOption[] {
  return field.kind === 'selection' && typeof field.options.selection !== 'function' && !field.inherited
    ? Object.entries(selectionOf(field)).map(([value, label], sequence) => ({
        field,
        value,
        label,
        sequence,
      }))
    : []
}

/** The catalogued declarations, and the ids of their records. */
interface Reflected {
  readonly models: readonly ModelDef[]
  readonly modelIds: ReadonlyMap<string, number>
  readonly fields: readonly FieldDef[]
  readonly fieldIds: ReadonlyMap<string, number>
  readonly options: readonly DeclaredOption[]
  readonly optionIds: ReadonlyMap<string, number>
}

function externalIds({ models, modelIds, fields, fieldIds, options, optionIds }: Reflected): ExternalIdRow[] {
  const words = (text: string) => text.replaceAll('.', '_')
  const external: ExternalIdRow[] = []
  const enter = (module: string | null, name: string, model: string, record: number | undefined) => {
    if (record) external.push({ module: module ?? 'base', name, model, res_id: record, noupdate: false })
  }
  for (const model of models)
    enter(model.module, `model_${words(model.name)}`, 'ir.model', modelIds.get(model.name))
  for (const field of fields) {
    enter(
      field.module ?? field.model.module,
      `field_${words(field.model.name)}__${field.name}`,
      'ir.model.fields',
      fieldIds.get(`${field.model.name}|${field.name}`),
    )
  }
  for (const { field, value } of options) {
    const key = `${fieldIds.get(`${field.model.name}|${field.name}`)}|${value}`
    const name = `selection__${words(field.model.name)}__${field.name}__${value.toLowerCase().replaceAll(/[^a-z0-9]+/g, '_')}`
    enter(field.module ?? field.model.module, name, 'ir.model.fields.selection', optionIds.get(key))
  }
  return external
}

/** Adds the automatic fields of custom models, which the API shows like those of modules. */
export async function reflectAutomatic(env: Environment, models: readonly ModelDef[]): Promise<void> {
  if (models.length === 0) return
  const rows = await env.query<[string, number]>(
    sql`SELECT model, id FROM ir_model WHERE model = ANY(${models.map((model) => model.name)}::text[])`,
  )
  const ids = new Map(rows.map((row) => [row[0], row[1]]))
  const fields = models.flatMap((model) => [...model.fields.values()].filter((field) => field.automatic))
  const fieldRows = fields.map((field) => fieldRow(field, ids))
  await upsert(env, 'ir.model.fields', ['model', 'name'], fieldRows, false)
}

/** Removes options that the declaration of their selection no longer has. */
async function dropOptions(env: Environment, declared: Ids): Promise<void> {
  if (!env.unit.registry.get('ir.model.fields.selection')) return
  const gone = await env.query<[number]>(sql`DELETE FROM ir_model_fields_selection s USING ir_model_fields f
    WHERE f.id = s.field_id AND f.state = 'base' AND NOT (s.id = ANY(${idList(declared)})) RETURNING s.id`)
  const ids = gone.map((row) => row[0])
  if (ids.length)
    await env.query(
      sql`DELETE FROM ir_model_data WHERE model = 'ir.model.fields.selection' AND res_id = ANY(${idList(ids)})`,
    )
}

function modelRow(model: ModelDef): RowValues {
  return {
    model: model.name,
    name: model.label,
    order: model.order,
    state: 'base',
    transient: model.kind === 'transient',
    abstract: model.kind === 'abstract',
    fold_name: 'fold',
  }
}

function fieldRow(field: FieldDef, modelIds: ReadonlyMap<string, number>): RowValues {
  return {
    name: field.name,
    model: field.model.name,
    model_id: modelIds.get(field.model.name),
    ttype: field.type.wireType,
    field_description: field.label,
    help: field.options.help ?? null,
    relation: field.comodel?.name ?? null,
    relation_field: field.kind === 'one2many' ? field.inverse : null,
    relation_table: field.link?.table ?? null,
    column1: field.link?.column ?? null,
    column2: field.link?.other ?? null,
    required: field.required,
    readonly: field.readonly,
    store: isShownAsStored(field),
    index: Boolean(field.options.index),
    state: 'base',
    related: field.related?.join('.') ?? null,
    depends: field.compute?.depends.join(',') ?? null,
    translate: field.translate ? 'standard' : null,
    copied: field.copy || field.automatic,
    size: (field.kind === 'char' ? field.options.size : undefined) ?? null,
    on_delete: leadsToOne(field)
      ? (field.options.ondelete ?? (field.required ? 'restrict' : 'set null'))
      : null,
    company_dependent: field.options.companyDependent ?? false,
    currency_field: field.kind === 'monetary' ? (field.options.currency ?? 'currency_id') : null,
    group_expand: false,
    selectable: true,
    ...sanitizing(field),
  }
}

/** Effects of the policy for markup on values of a field (`kit/html-policy.ts`). */
function sanitizing(field: FieldDef): RowValues {
  const cleans = field.kind === 'html' && field.options.sanitize !== false
  return {
    sanitize_tags: cleans,
    sanitize_attributes: cleans,
    sanitize_form: cleans,
    sanitize_style: false,
    sanitize_overridable: false,
    strip_style: false,
    strip_classes: false,
  }
}

/**
 * Inserts or updates rows by `keys`, with only those columns that the model has, and removes base rows
 * that the registry no longer has. Returns ids of the rows by the keys' values joined with `|`.
 */
async function upsert(
  env: Environment,
  name: string,
  keys: readonly string[],
  rows: readonly RowValues[],
  prune = true,
): Promise<Map<string, number>> {
  const model = env.unit.registry.get(name)
  if (!model || rows.length === 0) return new Map()
  const fields = Object.keys(present(rows[0])).flatMap((key) => {
    const field = model.fields.get(key)
    return field?.column ? [field] : []
  })
  // An array per column: JSON would repeat all names in each of several thousand rows.
  const valueIn = (row: RowValues, f: FieldDef) => {
    const value = row[f.name] ?? null
    return f.translate && value !== null ? JSON.stringify({ en_US: value }) : value
  }
  const source = join(
    fields.map((f) => sql`${rows.map((row) => valueIn(row, f))}::${raw(columnTypeIn(f))}[]`),
  )
  const columns = join(fields.map((f) => id(f.name)))
  const table = id(model.table)
  const same = join(
    keys.map((key) => sql`t.${id(key)} = x.${id(key)}`),
    ' AND ',
  )
  const others = fields.filter((f) => !keys.includes(f.name))
  const merged = (f: FieldDef) =>
    f.translate ? sql`COALESCE(t.${id(f.name)}, '{}') || x.${id(f.name)}` : sql`x.${id(f.name)}`
  const differs = join(
    others.map((f) => sql`t.${id(f.name)} IS DISTINCT FROM ${merged(f)}`),
    ' OR ',
  )
  const custom = sql`SELECT FROM ir_model m WHERE m.model = t.model AND m.state = 'manual'`
  const removed =
    prune && model.fields.get('state')?.column
      ? sql`removed AS (DELETE FROM ${table} t WHERE t.state = 'base' AND NOT EXISTS (SELECT FROM x WHERE ${same}) AND NOT EXISTS (${custom})),`
      : sql``
  const stamp = sql`${env.uid}::int, now() AT TIME ZONE 'UTC'`
  const key = (alias: string) =>
    sql`concat_ws('|', ${join(keys.map((column) => sql`${raw(alias)}.${id(column)}`))})`
  const stored = await env.query<
    [number, string]
  >(sql`WITH x AS MATERIALIZED (SELECT * FROM unnest(${source}) AS x(${columns})),
    changed AS (UPDATE ${table} t SET ${join(others.map((f) => sql`${id(f.name)} = ${merged(f)}`))} FROM x WHERE ${same} AND (${differs})), ${removed}
    added AS (INSERT INTO ${table} AS a (${columns}, create_uid, create_date, write_uid, write_date)
      SELECT x.*, ${stamp}, ${stamp} FROM x WHERE NOT EXISTS (SELECT FROM ${table} t WHERE ${same}) RETURNING a."id", ${key('a')})
    SELECT * FROM added UNION ALL SELECT t."id", ${key('t')} FROM x JOIN ${table} t ON ${same}`)
  return new Map(stored.map((row) => [row[1], row[0]]))
}
