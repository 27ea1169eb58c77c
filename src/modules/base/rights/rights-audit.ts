// Audit entries about changes of rights: users, groups and what they imply, companies, access lines,
// record rules, parameters that guard logins and keys.

import { raiseRightsVersion, recordAudit, SECOND_FACTOR_REQUIRED } from '#engine'
import type { Environment, ModelName, WriteRun } from '#models'
import { idList, raw, type Sql, sql } from '../../../sql/index.ts'
import { proofMissing, STEP_UP } from '../users/step-up.ts'

interface Recordset {
  readonly env: Environment
  readonly ids: readonly number[]
}
type Run<R> = (records: R, params: Record<string, unknown>) => Promise<unknown>
type Detail = Record<string, unknown>

/**
 * State that is compared before and after a change, by id: scalar values, and lists of records as `<id>
 * <name>`, because several records may share a name.
 */
type Snapshot = Map<number, Record<string, unknown>>

/** Values longer than this are cut: a rule's domain may be a book. */
const LENGTH = 2000

/** A group in a list, with its privilege: very many are called "User". */
const named = (group: 'g' | 'i') =>
  raw(
    `${group}.id || ' ' || concat((SELECT p.name->>'en_US' || ' / ' FROM res_groups_privilege p WHERE p.id = ${group}.privilege_id), ${group}.name->>'en_US')`,
  )

/**
 * Users: who they are, what they may, whether they may come in. Passwords have their own entries
 * (users-password.ts).
 */
const usersQuery = (ids: readonly number[]): Sql => sql`SELECT u.id, json_build_object(
    'login', u.login, 'active', u.active, 'company', u.company_id,
    'companies', ARRAY(SELECT c.id || ' ' || c.name FROM res_company_users_rel r JOIN res_company c ON c.id = r.cid WHERE r.user_id = u.id ORDER BY c.id),
    'groups', ARRAY(SELECT ${named('g')} FROM res_groups_users_rel r JOIN res_groups g ON g.id = r.gid WHERE r.uid = u.id ORDER BY g.id)
  )::text FROM res_users u WHERE u.id = ANY(${idList(ids)})`

/** Groups: who is in them, what they imply, how long their keys live. */
const groupsQuery = (ids: readonly number[]): Sql => sql`SELECT g.id, json_build_object(
    'name', g.name->>'en_US', 'api_key_duration', COALESCE(g.api_key_duration, 0),
    'users', ARRAY(SELECT u.id || ' ' || u.login FROM res_groups_users_rel r JOIN res_users u ON u.id = r.uid WHERE r.gid = g.id ORDER BY u.id),
    'implied', ARRAY(SELECT ${named('i')} FROM res_groups_implied_rel r JOIN res_groups i ON i.id = r.hid WHERE r.gid = g.id ORDER BY i.id),
    'rules', ARRAY(SELECT concat(i.id, ' ', i.name) FROM rule_group_rel r JOIN ir_rule i ON i.id = r.rule_group_id WHERE r.group_id = g.id ORDER BY i.id),
    'implied_by', ARRAY(SELECT ${named('i')} FROM res_groups_implied_rel r JOIN res_groups i ON i.id = r.gid WHERE r.hid = g.id ORDER BY i.id)
  )::text FROM res_groups g WHERE g.id = ANY(${idList(ids)})`

/** Companies: who may act for them. */
const companiesQuery = (
  ids: readonly number[],
): Sql => sql`SELECT c.id, json_build_object('name', c.name, 'active', c.active,
    'users', ARRAY(SELECT u.id || ' ' || u.login FROM res_company_users_rel r JOIN res_users u ON u.id = r.user_id WHERE r.cid = c.id ORDER BY u.id)
  )::text FROM res_company c WHERE c.id = ANY(${idList(ids)})`

const accessQuery = (ids: readonly number[]): Sql => sql`SELECT a.id, json_build_object(
    'name', a.name, 'active', COALESCE(a.active, FALSE), 'model', m.model, 'group', g.name->>'en_US',
    'read', COALESCE(a.perm_read, FALSE), 'write', COALESCE(a.perm_write, FALSE), 'create', COALESCE(a.perm_create, FALSE), 'unlink', COALESCE(a.perm_unlink, FALSE)
  )::text FROM ir_model_access a JOIN ir_model m ON m.id = a.model_id LEFT JOIN res_groups g ON g.id = a.group_id WHERE a.id = ANY(${idList(ids)})`

const rulesQuery = (ids: readonly number[]): Sql => sql`SELECT a.id, json_build_object(
    'name', a.name, 'active', COALESCE(a.active, FALSE), 'model', m.model, 'domain', a.domain_force,
    'groups', ARRAY(SELECT ${named('g')} FROM rule_group_rel r JOIN res_groups g ON g.id = r.group_id WHERE r.rule_group_id = a.id ORDER BY g.id),
    'read', COALESCE(a.perm_read, FALSE), 'write', COALESCE(a.perm_write, FALSE), 'create', COALESCE(a.perm_create, FALSE), 'unlink', COALESCE(a.perm_unlink, FALSE)
  )::text FROM ir_rule a JOIN ir_model m ON m.id = a.model_id WHERE a.id = ANY(${idList(ids)})`

/** Parameters that slow down guessing, open and limit keys and passwords, or shorten the audit log. */
const guarding = [
  'base.enable_programmatic_api_keys',
  'base.programmatic_api_keys_limit',
  'auth_password_policy.allow_common',
  'auth_password_policy.minlength',
  'comptoir.audit_retention_days',
  SECOND_FACTOR_REQUIRED,
  STEP_UP,
  'comptoir.idempotency_required',
]

/** Parameters that the server keeps in memory with the rights (databases/database.ts). */
const isGuarding = (key: unknown): boolean =>
  typeof key === 'string' && (key.startsWith('base.login') || guarding.includes(key))

/** Parameters whose values are logged. Others may hold secrets: the log only says that they changed. */
const OURS = '^(base\\.login|comptoir|web\\.base|product|account|sale|purchase|stock|point_of_sale)'
const SECRET = '(secret|passw|token|key|uuid|credential)'

/**
 * `mark` shows whether a value changed that is not logged; it is removed before the entry is written.
 */
const parametersQuery = (
  ids: readonly number[],
): Sql => sql`SELECT p.id, json_build_object('key', p.key, 'value', CASE WHEN shown THEN p.value END, 'mark', CASE WHEN NOT shown THEN sha256(convert_to(p.value, 'UTF8')) END)::text
  FROM ir_config_parameter p CROSS JOIN LATERAL (SELECT p.key = ANY(${guarding}::text[]) OR p.key ~ ${OURS} AND p.key !~* ${SECRET} AS shown) s WHERE p.id = ANY(${idList(ids)})`

/** Facts of an entry, with no mark in them. */
function withoutMark({ mark, ...detail }: Detail): Detail {
  return mark == null ? detail : { ...detail, value: detail.value ?? 'changed' }
}

interface Watch {
  /** The event's first word. */
  readonly word: string
  readonly query: (ids: readonly number[]) => Sql
  /** Models that the query reads. */
  readonly reads: readonly ModelName[]
  /** The key of the snapshot that people call it by. */
  readonly name: string
  /**
   * Fields that matter, with what they change in the snapshot; null: all. Values that a field sets
   * through another write are logged by that write.
   */
  readonly fields: Readonly<Record<string, string>> | null
}

const watched = {
  'res.users': {
    word: 'user',
    query: usersQuery,
    reads: ['res.users', 'res.company', 'res.groups', 'res.groups.privilege'],
    name: 'login',
    fields: {
      group_ids: 'groups',
      active: 'active',
      login: 'login',
      company_id: 'company',
      company_ids: 'companies',
    },
  },
  'res.groups': {
    word: 'group',
    query: groupsQuery,
    reads: ['res.groups', 'res.users', 'ir.rule', 'res.groups.privilege'],
    name: 'name',
    fields: {
      name: 'name',
      user_ids: 'users',
      implied_ids: 'implied',
      implied_by_ids: 'implied_by',
      rule_groups: 'rules',
      api_key_duration: 'api_key_duration',
    },
  },
  'res.company': {
    word: 'company',
    query: companiesQuery,
    reads: ['res.company', 'res.users'],
    name: 'name',
    fields: { active: 'active', user_ids: 'users' },
  },
  'ir.model.access': {
    word: 'access',
    query: accessQuery,
    reads: ['ir.model.access', 'ir.model', 'res.groups'],
    name: 'name',
    fields: null,
  },
  'ir.config_parameter': {
    word: 'parameter',
    query: parametersQuery,
    reads: ['ir.config_parameter'],
    name: 'key',
    fields: null,
  },
  'ir.rule': {
    word: 'rule',
    query: rulesQuery,
    reads: ['ir.rule', 'ir.model', 'res.groups', 'res.groups.privilege'],
    name: 'name',
    fields: null,
  },
} as const satisfies Readonly<Record<string, Watch>>

type Watched = keyof typeof watched

async function snapshot(env: Environment, model: Watched, ids: readonly number[]): Promise<Snapshot> {
  const { query, reads } = watched[model]
  const rows = await env.rows(query(ids), { reads, row: ['int', 'text'] })
  return new Map(rows.map((row) => [row[0], JSON.parse(row[1]) as Detail]))
}

/** Keys of the snapshot that written values may change; null: all. */
function keysOf(fields: Watch['fields'], vals: object): readonly string[] | null {
  return fields && Object.entries(fields).flatMap(([field, key]) => (field in vals ? [key] : []))
}

/** A value as the log keeps it: texts cut, lists as names. */
function kept(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => String(item).replace(/^\d+ /, ''))
  return typeof value === 'string' ? value.slice(0, LENGTH) : value
}

const shortened = (row: Detail): Detail =>
  Object.fromEntries(Object.entries(row).map(([key, value]) => [key, kept(value)]))

/** Differences of a record: `[before, after]` of values, added and removed entries of lists. */
function differences(before: Detail, after: Detail, keys: readonly string[] | null): Detail {
  const differing: Detail = {}
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    if (keys && !keys.includes(key)) continue
    const [was = null, is = null] = [before[key], after[key]]
    if (Array.isArray(was) && Array.isArray(is)) {
      const [added, removed] = [
        is.filter((entry) => !was.includes(entry)),
        was.filter((entry) => !is.includes(entry)),
      ]
      if (added.length) differing[`${key}_added`] = kept(added)
      if (removed.length) differing[`${key}_removed`] = kept(removed)
    } else if (was !== is) differing[key] = [kept(was), kept(is)]
  }
  return differing
}

/** Wraps that write down what is created, changed and removed of a model. */
export function auditWraps<R extends Recordset>(model: Watched) {
  const { word, name, fields }: Watch = watched[model]
  const tell = (env: Environment, deed: string, record: number, row: Detail, detail: Detail) => {
    const keys = [row.key, ...(Array.isArray(detail.key) ? detail.key : [])]
    if (model === 'ir.config_parameter' && keys.some(isGuarding)) raiseRightsVersion(env)
    const facts = { model, record, name: row[name] as string | null, detail: withoutMark(detail) }
    recordAudit(env, { event: `${word}.${deed}`, ...facts })
  }
  const create =
    (next: Run<R>): Run<R> =>
    async (records, params) => {
      const { env } = records
      if (!isWatched(env)) return next(records, params)
      const noteProven = await proving(env, tell)
      const created = (await next(records, params)) as R
      for (const [id, row] of await snapshot(env, model, created.ids))
        noteProven(env, 'create', id, row, shortened(row))
      return created
    }
  const write =
    (next: WriteRun<R>): WriteRun<R> =>
    async (records, changes) => {
      const { env } = records
      const keys = new Map<number, readonly string[] | null>()
      for (const { ids, vals } of changes) {
        const changed = keysOf(fields, vals)
        if (changed?.length !== 0) for (const id of ids) keys.set(id, changed)
      }
      if (!isWatched(env) || keys.size === 0) return next(records, changes)
      const ids = [...keys.keys()]
      const before = await snapshot(env, model, ids)
      const noteProven = await proving(env, tell)
      await next(records, changes)
      const after = await snapshot(env, model, ids)
      // A parameter may become one that matters, or cease to be one.
      for (const id of new Set([...before.keys(), ...after.keys()])) {
        const [was, is] = [before.get(id) ?? {}, after.get(id) ?? {}]
        const detail = differences(was, is, keys.get(id) ?? null)
        if (Object.keys(detail).length) noteProven(env, deedOf(detail), id, after.has(id) ? is : was, detail)
      }
    }
  const unlink =
    (next: Run<R>): Run<R> =>
    async (records, params) => {
      const { env, ids } = records
      if (!isWatched(env) || ids.length === 0) return next(records, params)
      const before = await snapshot(env, model, ids)
      const noteProven = await proving(env, tell)
      const result = await next(records, params)
      for (const [id, row] of before) noteProven(env, 'unlink', id, row, shortened(row))
      return result
    }
  return { create, write, unlink }
}

/**
 * Databases in the making and work of the server's own leave no entries: then nothing is read for them
 * either.
 */
const isWatched = (env: Environment): boolean => env.unit.rights.version !== 'unrestricted'

/**
 * `tell`, refused without the proof of identity. The proof is judged before the change, which may be that of
 * the parameter that asks for it. A refusal undoes the change with the call.
 */
async function proving<A extends readonly unknown[]>(
  env: Environment,
  tell: (...entry: A) => void,
): Promise<(...entry: A) => void> {
  const missing = await proofMissing(env)
  return (...entry) => {
    if (missing) throw missing
    tell(...entry)
  }
}

/** Archiving has a word of its own. */
function deedOf(detail: Detail): string {
  const active = detail.active as readonly [unknown, unknown] | undefined
  if (!active) return 'write'
  return active[1] ? 'unarchive' : 'archive'
}
