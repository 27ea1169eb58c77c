// Entries of a database's audit log about logins, keys and rights, and about actions that modules
// record. They commit with the change that they describe. The model is `comptoir.audit`.

import { only } from '../../kit/present.ts'
import { join, raw, type Sql, sql } from '../../sql/index.ts'
import { actorColumns, actorOf, actorSql } from '../changes/audit-entries.ts'
import { CommitNotes } from '../changes/audited.ts'
import type { Environment } from '../language/environment.ts'
import type { AuditEntry, AuditRow } from '../language/outside.ts'
import { auditChain, emptyRanges, sealAudit } from './audit-seal.ts'

/** Entries that are inserted at the end of their call. */
const entries = new CommitNotes<AuditRow>()

const LENGTH = 200

/**
 * Adds an entry with the caller as actor, in the call's transaction: an action that is rolled back
 * leaves no entry. The actor is also named if the code runs as superuser. Databases that are being
 * created, and the server's own work, leave no entries.
 */
export function recordAudit(env: Environment, entry: AuditEntry): void {
  const { unit } = env
  if (unit.rights.version === 'unrestricted') return
  const row: AuditRow = { ...entry, ...actorOf(env) }
  // One statement, however many records a call changed.
  entries.add(unit, row, (rows) => unit.send(auditInsert(rows)))
  unit.ending.afterCommit.push(() => unit.services.onAudit?.(row))
}

/** The statement that appends rows. Their time is the clock's, not the transaction's. */
export function auditInsert(rows: readonly AuditRow[]): Sql {
  const values = rows.map((row) => ({
    ...row,
    login: storable(row.login),
    address: storable(row.address),
    name: storable(row.name),
    detail: boundedDetail(row.detail),
  }))
  // A null inside the document means no detail.
  const hasCredential = rows.some(({ key, session }) => key != null || session != null)
  const actor = {
    uid: raw('x.uid'),
    login: raw('x.login'),
    address: raw('x.address'),
    key: raw('x.key'),
    session: raw('x.session'),
  }
  const [columns, from] = hasCredential
    ? [actorColumns, actorSql(actor)]
    : [raw('uid, login, address'), join([actor.uid, actor.login, actor.address])]
  return sql`INSERT INTO comptoir_audit (time, event, res_model, res_id, name, detail, ${columns})
    SELECT clock_timestamp() AT TIME ZONE 'UTC', x.event, x.model, x.record, x.name, NULLIF(x.detail, 'null'::jsonb), ${from}
    FROM jsonb_to_recordset(${JSON.stringify(values)}::jsonb)
      AS x(event text, uid int, login text, address text, key int, session text, model text, record int, name text, detail jsonb)`
}

/** A text as the log stores it: truncated, and without characters that PostgreSQL cannot store. */
export function storable(text: string | null | undefined): string | null {
  return text == null ? null : text.slice(0, LENGTH).replaceAll('\0', '').toWellFormed()
}

const DETAIL = 4000

/** Texts are truncated; if the detail is still too long, only its length is stored. */
function boundedDetail(detail: AuditEntry['detail']): object | null {
  if (!detail) return null
  const text = JSON.stringify(detail)
  if (text.length <= DETAIL) return detail
  const shorter = JSON.stringify(detail, (_, value: unknown) =>
    typeof value === 'string' ? value.slice(0, LENGTH) : value,
  )
  return shorter.length <= DETAIL ? JSON.parse(shorter) : { characters: text.length }
}

/**
 * Removes sealed entries older than `days` days, at most `most`, and records their number and the empty
 * positions of the chain. The transaction may delete entries only within this function.
 */
export async function trimAudit(env: Environment, days: number, most: number): Promise<void> {
  await sealAudit(env)
  await env.query(sql`SELECT set_config('comptoir.trims_audit', 'yes', true)`)
  const [removed] = only(
    await env.query<
      [number]
    >(sql`WITH gone AS (DELETE FROM comptoir_audit WHERE id IN (SELECT a.id FROM comptoir_audit a JOIN comptoir_audit_seal s ON s.entry = a.id
      WHERE a.time < clock_timestamp() AT TIME ZONE 'UTC' - ${days}::int * interval '1 day' ORDER BY a.time LIMIT ${most}::int) RETURNING 1)
    SELECT count(*)::int FROM gone`),
  )
  await env.query(sql`SELECT set_config('comptoir.trims_audit', '', true)`)
  if (removed > 0)
    recordAudit(env, { event: 'audit.trim', detail: { days, removed, positions: await emptyRanges(env) } })
}

/**
 * Idempotent statements that make the table of the log append-only, even for administrators of the
 * database, and add its indexes.
 */
export const auditProtection: readonly string[] = [
  `CREATE OR REPLACE FUNCTION comptoir_audit_append_only() RETURNS trigger LANGUAGE plpgsql AS
    $$BEGIN
      IF TG_OP = 'DELETE' AND current_setting('comptoir.trims_audit', true) = 'yes' THEN RETURN NULL; END IF;
      RAISE EXCEPTION 'The audit log can only be appended to.' USING ERRCODE = 'insufficient_privilege';
    END$$`,
  `CREATE OR REPLACE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON comptoir_audit
    FOR EACH STATEMENT EXECUTE FUNCTION comptoir_audit_append_only()`,
  // For the search for earlier logins from an address, after each failed login.
  "CREATE INDEX IF NOT EXISTS comptoir_audit_from ON comptoir_audit (address, uid, time) WHERE event = 'login'",
  ...auditChain,
]
