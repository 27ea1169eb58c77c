// Custom models and fields, decimals of named precisions, and facts about columns and tables: what a
// database adds to its modules, from rows of `ir.model` and `ir.model.fields` (spec/models-api.md section
// 10, "Made models"); and the module that these make.
import { ServiceError, ValidationError } from '../../errors.ts'
import { evaluate, parseExpression } from '../../kit/expression/index.ts'
import { raw, type Sql, sql } from '../../sql/index.ts'
import { implement } from '../behaviour/implement.ts'
import type { Field, FieldKind } from '../contract/field.ts'
import type { FieldOptions, OnDelete } from '../contract/field-options.ts'
import type { ModelKind, ModelOptions } from '../contract/model.ts'
import type { Behaviour } from '../language/behaviour.ts'
import type { Module } from '../language/module.ts'
import { parseOrder, type Term } from '../row/order.ts'

/** The module of custom models and fields. No real module can have this name. */
export const MANUAL = 'made over the API'

export interface ManualModel {
  readonly model: string
  readonly label: string
  readonly order: string
  readonly transient: boolean
}

export interface ManualField {
  readonly model: string
  readonly name: string
  readonly kind: FieldKind
  readonly label: string
  readonly help: string | null
  readonly relation: string | null
  readonly inverse: string | null
  readonly table: string | null
  readonly column: string | null
  readonly other: string | null
  readonly required: boolean | null
  readonly readonly: boolean | null
  readonly index: boolean | null
  readonly store: boolean | null
  readonly copied: boolean | null
  readonly translate: boolean
  readonly companyDependent: boolean | null
  readonly size: number | null
  readonly related: string | null
  readonly onDelete: OnDelete | null
  readonly domain: string | null
  readonly currency: string | null
  readonly sanitize: boolean | null
  /** External ids; `#<id>` for groups without one. */
  readonly groups: readonly string[]
  readonly selection: readonly (readonly [string, string])[]
}

export interface ManualRows {
  readonly models: readonly ManualModel[]
  readonly fields: readonly ManualField[]
  /** Usages whose number of decimals is not the default. */
  readonly precisions: readonly (readonly [usage: string, decimals: number])[]
  /** Many2ones in orders for which every row has a target, as `table.column`. */
  readonly filled: readonly string[]
  /** Tables with very many rows. */
  readonly large: readonly string[]
}

/** Rows from which a plan with an unnecessary scan takes noticeably longer: tenths of a second. */
const VERY_MANY = 100_000

/** Decimals of a named precision without a record. */
export const USUAL_DECIMALS = 2

const models = sql`SELECT json_agg(json_build_object('model', m.model, 'label', m.name->>'en_US', 'order', m."order", 'transient', COALESCE(m.transient, FALSE)) ORDER BY m.model)
  FROM ir_model m WHERE m.state = 'manual'`

const groups = sql`ARRAY(SELECT COALESCE((SELECT d.module || '.' || d.name FROM ir_model_data d WHERE d.model = 'res.groups' AND d.res_id = g.group_id ORDER BY d.id LIMIT 1), '#' || g.group_id)
  FROM ir_model_fields_group_rel g WHERE g.field_id = f.id ORDER BY g.group_id)`

const selection = sql`COALESCE((SELECT json_agg(json_build_array(s.value, s.name->>'en_US') ORDER BY s.sequence, s.id) FROM ir_model_fields_selection s WHERE s.field_id = f.id), '[]')`

const fields = sql`SELECT json_agg(json_build_object(
    'model', f.model, 'name', f.name, 'kind', f.ttype, 'label', COALESCE(f.field_description->>'en_US', f.name), 'help', f.help->>'en_US',
    'relation', f.relation, 'inverse', f.relation_field, 'table', f.relation_table, 'column', f.column1, 'other', f.column2,
    'required', f.required, 'readonly', f.readonly, 'index', f.index, 'store', f.store, 'copied', f.copied, 'translate', f.translate IS NOT NULL,
    'companyDependent', f.company_dependent, 'size', f.size, 'related', f.related, 'onDelete', f.on_delete, 'domain', f.domain,
    'currency', f.currency_field, 'sanitize', f.sanitize, 'groups', ${groups}, 'selection', ${selection}) ORDER BY f.model, f.id)
  FROM ir_model_fields f WHERE f.state = 'manual'`

const precisions = sql`SELECT json_agg(json_build_array(name, digits) ORDER BY name) FROM decimal_precision WHERE digits <> ${raw(String(USUAL_DECIMALS))}`

// A column that became required on a table with rows may contain NULLs, and a column of an earlier build
// may differ from its contract: only the table itself is reliable.
const filled = sql`SELECT json_agg(c.relname || '.' || a.attname ORDER BY c.relname, a.attname)
  FROM ir_model m JOIN ir_model_fields f ON f.model = m.model AND f.ttype = 'many2one' AND f.required AND m."order" ~ ('\\m' || f.name || '\\M')
  JOIN pg_class c ON c.oid = to_regclass(quote_ident(replace(m.model, '.', '_')))
  JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = f.name AND a.attnotnull
  WHERE EXISTS (SELECT FROM pg_constraint k WHERE k.conrelid = c.oid AND k.contype = 'f' AND k.convalidated AND k.conkey = ARRAY[a.attnum])`

// According to PostgreSQL's statistics.
const large = sql`SELECT json_agg(relname ORDER BY relname) FROM pg_class
  WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace AND reltuples > ${raw(String(VERY_MANY))}`

/** The JSON text of all rows. The same text means the same models. */
export const manualRows: Sql = sql`json_build_object('models', COALESCE((${models}), '[]'), 'fields', COALESCE((${fields}), '[]'), 'precisions', COALESCE((${precisions}), '[]'), 'filled', COALESCE((${filled}), '[]'), 'large', COALESCE((${large}), '[]'))::text`

/**
 * Rows that the API cannot have created, such as those in a manipulated backup, are left out: their
 * names could be those of PostgreSQL's system tables.
 */
export function parseManualRows(text: string): ManualRows {
  const { models, fields, precisions, filled, large } = JSON.parse(text) as ManualRows
  return {
    precisions,
    filled,
    large,
    models: models.filter(({ model }) => isCustomName('model', model)),
    fields: fields.filter(
      ({ name, table }) =>
        isCustomName('field', name) && (table === null || isCustomName('link table', table)),
    ),
  }
}

// Valid names and orders of custom models and fields (spec/models-api.md section 10, "Made models").

const patterns = {
  model: /^x_[a-z0-9_]+(?:\.[a-z0-9_]+)*$/,
  field: /^x_[A-Za-z0-9_]+$/,
  'link table': /^x_[a-z0-9_]+$/,
} as const

/** Whether a custom model, field or link table may have a name. PostgreSQL allows 63 bytes. */
export function isCustomName(kind: keyof typeof patterns, name: unknown): name is string {
  return typeof name === 'string' && patterns[kind].test(name) && name.length <= 63
}

/** Throws ValidationError for a name that a custom model or field may not have. */
export function assertName(kind: 'model' | 'field', name: unknown): asserts name is string {
  if (isCustomName(kind, name)) return
  throw new ValidationError(
    kind === 'model'
      ? 'The model name must start with x_ and hold lower case letters, digits, underscores and dots only.'
      : 'Custom fields must have a name that starts with x_ and holds letters, digits and underscores only.',
  )
}

export const orderableEverywhere: ReadonlySet<string> = new Set([
  'id',
  'display_name',
  'create_uid',
  'create_date',
  'write_uid',
  'write_date',
])

/** Throws ValidationError for an invalid order, or for one with a field that the model does not have. */
export function assertOrder(order: unknown, names: ReadonlySet<string>): void {
  for (const { path } of termsOf(order)) {
    const [name = ''] = path
    if (!orderableEverywhere.has(name) && !names.has(name)) {
      throw new ValidationError(
        `Unable to order by ${name}: fields used for ordering must be present on the model and stored.`,
      )
    }
  }
}

function termsOf(order: unknown): readonly Term[] {
  try {
    return parseOrder(order)
  } catch (error) {
    if (error instanceof ServiceError) throw new ValidationError(error.message, { cause: error })
    throw error
  }
}

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
      ({ path: [name = ''] }) => orderableEverywhere.has(name) || Object.hasOwn(fields, name),
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
