// Rows that rights consist of: access rights, record rules, defaults and languages of one database, all read
// at one version.
import { type Operation, operations } from '../models/language/rights.ts'
import { versionColumn } from '../models/rights/tables.ts'
import { type Sql, sql } from '../sql/index.ts'
import { type Ask, askJson } from './ask.ts'

/** Operations as bits, so that grants add up by `|`. */
export const bitOf: Readonly<Record<Operation, number>> = { read: 1, write: 2, create: 4, unlink: 8 }
export const allBits = operations.reduce((bits, operation) => bits | bitOf[operation], 0)

export interface AccessLine {
  readonly model: string
  /** Null: all users. */
  readonly group: number | null
  readonly bits: number
}

export interface RuleRow {
  readonly name: string
  readonly model: string
  readonly domain: string | null
  /** Empty: global. */
  readonly groups: readonly number[]
  readonly bits: number
}

export interface DefaultRow {
  readonly model: string
  readonly field: string
  /** Null: for all users. */
  readonly user: number | null
  readonly company: number | null
  /** JSON text. */
  readonly value: string
}

export interface RightsRows {
  readonly version: string
  readonly languages: readonly string[]
  readonly access: readonly AccessLine[]
  readonly rules: readonly RuleRow[]
  readonly defaults: readonly DefaultRow[]
}

/** Reads the active ones of all. Inside one transaction with the version, they belong together. */
export async function loadRightsRows(ask: Ask): Promise<RightsRows> {
  const rows = await askJson<RightsRows>(ask, rightsQuery)
  if (!rows) throw new Error('The database has no version of rights.')
  return rows
}

const bits = sql`COALESCE(perm_read, FALSE)::int + 2 * COALESCE(perm_write, FALSE)::int
  + 4 * COALESCE(perm_create, FALSE)::int + 8 * COALESCE(perm_unlink, FALSE)::int`

const accessQuery = sql`SELECT json_build_object('model', m.model, 'group', a.group_id, 'bits', ${bits})
  FROM ir_model_access a JOIN ir_model m ON m.id = a.model_id WHERE a.active`

const rulesQuery = sql`SELECT json_build_object('name', r.name, 'model', m.model, 'domain', r.domain_force, 'bits', ${bits},
    'groups', ARRAY(SELECT group_id FROM rule_group_rel WHERE rule_group_id = r.id ORDER BY group_id))
  FROM ir_rule r JOIN ir_model m ON m.id = r.model_id WHERE r.active ORDER BY r.id`

/** Defaults with a condition are for forms only. */
const defaultsQuery = sql`SELECT json_build_object('model', f.model, 'field', f.name, 'user', d.user_id, 'company', d.company_id, 'value', d.json_value)
  FROM ir_default d JOIN ir_model_fields f ON f.id = d.field_id WHERE COALESCE(d.condition, '') = '' ORDER BY d.id`

const rightsQuery: Sql = sql`SELECT json_build_object(
    'version', ${versionColumn},
    'languages', ARRAY(SELECT code FROM res_lang WHERE active ORDER BY code),
    'access', ARRAY(${accessQuery}), 'rules', ARRAY(${rulesQuery}), 'defaults', ARRAY(${defaultsQuery})
  )::text FROM rights_version`
