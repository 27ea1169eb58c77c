// The chain over a database's audit log: entries that are committed are sealed one after the other, each with
// the hash of the one before, so that none can be changed, removed or put in unseen (docs/decisions/0092).

import { CHAIN_START, type ChainBreak, linkHash } from '../../kit/chain.ts'
import { present } from '../../kit/present.ts'
import { idList, raw, type Sql, sql } from '../../sql/index.ts'
import type { Environment } from '../language/environment.ts'

/** Columns of an entry that are sealed, in their order. One that is added later takes a form of its own. */
const SEALED = [
  'id',
  'time',
  'event',
  'uid',
  'login',
  'address',
  'key_id',
  'key_name',
  'session',
  'person_id',
  'res_model',
  'res_id',
  'name',
  'detail',
] as const

const content = raw(`json_build_array(${SEALED.map((name) => `a."${name}"`).join(', ')})::text`)

/** Entries that are sealed in one transaction. */
const AT_ONCE = 1000

/**
 * Statements that make what the chain is kept in; each may run again. Writers wait for nobody: the trigger
 * puts what they write into the line (`comptoir_audit_open`), and whoever seals takes it from there.
 */
export const auditChain: readonly string[] = [
  'CREATE TABLE IF NOT EXISTS comptoir_audit_seal (position bigint PRIMARY KEY, entry int NOT NULL UNIQUE, hash text NOT NULL)',
  'CREATE TABLE IF NOT EXISTS comptoir_audit_open (entry int PRIMARY KEY)',
  'CREATE TABLE IF NOT EXISTS comptoir_audit_head (position bigint NOT NULL, hash text NOT NULL)',
  // How far receivers outside of the server have come.
  'CREATE TABLE IF NOT EXISTS comptoir_audit_shipped (receiver text PRIMARY KEY, position bigint NOT NULL)',
  `INSERT INTO comptoir_audit_head SELECT 0, '${CHAIN_START}' WHERE NOT EXISTS (SELECT FROM comptoir_audit_head)`,
  `CREATE OR REPLACE FUNCTION comptoir_audit_line_up() RETURNS trigger LANGUAGE plpgsql AS
    $$BEGIN INSERT INTO comptoir_audit_open SELECT id FROM fresh; RETURN NULL; END$$`,
  `CREATE OR REPLACE TRIGGER line_up AFTER INSERT ON comptoir_audit REFERENCING NEW TABLE AS fresh
    FOR EACH STATEMENT EXECUTE FUNCTION comptoir_audit_line_up()`,
  `CREATE OR REPLACE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON comptoir_audit_seal
    FOR EACH STATEMENT EXECUTE FUNCTION comptoir_audit_append_only()`,
  // Entries from before the chain.
  `INSERT INTO comptoir_audit_open SELECT a.id FROM comptoir_audit a
    WHERE NOT EXISTS (SELECT FROM comptoir_audit_seal s WHERE s.entry = a.id) ON CONFLICT DO NOTHING`,
]

/** Seals what is committed and waits; gives how many entries that were. One process at a time does so. */
export async function sealAudit(env: Environment): Promise<number> {
  let sealed = 0
  for (;;) {
    const count = await sealPortion(env)
    sealed += count
    if (count < AT_ONCE) return sealed
  }
}

async function sealPortion(env: Environment): Promise<number> {
  const heads = await env.query<[string, string]>(
    sql`SELECT position::text, hash FROM comptoir_audit_head FOR UPDATE`,
  )
  const rows = await env.query<[number, string]>(
    sql`SELECT a.id, ${content} FROM comptoir_audit_open o JOIN comptoir_audit a ON a.id = o.entry
      ORDER BY a.id LIMIT ${AT_ONCE}::int`,
  )
  if (rows.length === 0) return 0
  const [position, start] = present(heads[0])
  let hash = start
  const hashes = rows.map((row) => {
    hash = linkHash(hash, row[1])
    return hash
  })
  const ids = rows.map((row) => row[0])
  await env.query(sql`WITH sealed AS (INSERT INTO comptoir_audit_seal (position, entry, hash)
      SELECT ${position}::bigint + x.n, x.entry, x.hash
      FROM unnest(${ids}::int[], ${hashes}::text[]) WITH ORDINALITY AS x(entry, hash, n) RETURNING position),
    gone AS (DELETE FROM comptoir_audit_open WHERE entry = ANY(${idList(ids)}))
    UPDATE comptoir_audit_head SET position = ${position}::bigint + ${rows.length}::int, hash = ${hash}`)
  return rows.length
}

/** Positions without entries, as ranges: what was trimmed by now. */
export async function trimmedRanges(env: Environment): Promise<readonly (readonly [number, number])[]> {
  const rows = await env.query<[number, number]>(
    sql`SELECT min(g.position)::float8, max(g.position)::float8 FROM (
        SELECT s.position, s.position - row_number() OVER (ORDER BY s.position) AS run FROM comptoir_audit_seal s
        WHERE NOT EXISTS (SELECT FROM comptoir_audit a WHERE a.id = s.entry)) AS g
      GROUP BY g.run ORDER BY 1 LIMIT 100`,
  )
  return rows.map(([from, to]) => [from, to])
}

/** What a walk along the chain came to. */
export interface AuditVerdict {
  /** The last hash that fits: noted elsewhere it tells of a chain that was written anew. */
  readonly hash: string
  /** Entries that are there and fit. */
  readonly entries: number
  /** Sealed entries that went by the retention that was set. */
  readonly trimmed: number
  /** Entries that are committed and not sealed yet. */
  readonly waiting: number
  /** The first place at which the log is not what was sealed, with the id of the entry. */
  readonly broken: (ChainBreak & { readonly entry: number | null }) | null
}

/** Rows of a statement, for a walk within one snapshot. */
export type AuditAsk = <R extends readonly unknown[]>(statement: Sql) => Promise<readonly R[]>

/** Links that are read at once. */
const PORTION = 2000

/**
 * Walks along the chain from its start, portion by portion. It sees every entry that was changed, removed or
 * put in after it was sealed; of those that wait it sees nothing, and nothing of a database that was put back
 * to an earlier backup: there what was shipped before tells.
 */
export async function verifyAudit(ask: AuditAsk): Promise<AuditVerdict> {
  const lawful = await lawfulRanges(ask)
  const isLawful = (position: number) => lawful.some(([from, to]) => from <= position && position <= to)
  let [entries, trimmed, last, hash] = [0, 0, 0, CHAIN_START]
  const end = (broken: AuditVerdict['broken'], waiting = 0): AuditVerdict => ({
    hash,
    entries,
    trimmed,
    waiting,
    broken,
  })
  for (;;) {
    const rows = await ask<[number, number, string, string | null]>(
      sql`SELECT s.position::float8, s.entry, s.hash, CASE WHEN a.id IS NOT NULL THEN ${content} END
        FROM comptoir_audit_seal s LEFT JOIN comptoir_audit a ON a.id = s.entry
        WHERE s.position > ${last}::bigint ORDER BY s.position LIMIT ${PORTION}::int`,
    )
    for (const [position, entry, sealed, text] of rows) {
      if (position !== last + 1) return end({ position: last + 1, problem: 'missing', entry: null })
      if (text === null && !isLawful(position)) return end({ position, problem: 'missing', entry })
      if (text !== null && linkHash(hash, text) !== sealed)
        return end({ position, problem: 'changed', entry })
      if (text === null) trimmed++
      else entries++
      last = position
      hash = sealed
    }
    if (rows.length < PORTION) break
  }
  return atEnd(ask, { last, hash }, end)
}

/** The end of the links against the head that is kept, and entries that nobody sealed. */
async function atEnd(
  ask: AuditAsk,
  { last, hash }: { readonly last: number; readonly hash: string },
  end: (broken: AuditVerdict['broken'], waiting?: number) => AuditVerdict,
): Promise<AuditVerdict> {
  const [head] = await ask<[number, string]>(sql`SELECT position::float8, hash FROM comptoir_audit_head`)
  const [position, kept] = head ?? [0, CHAIN_START]
  if (position > last) return end({ position: last + 1, problem: 'missing', entry: null })
  if (position < last) return end({ position: position + 1, problem: 'inserted', entry: null })
  if (kept !== hash) return end({ position, problem: 'changed', entry: null })
  const [stray] = await ask<[number]>(
    sql`SELECT a.id FROM comptoir_audit a WHERE NOT EXISTS (SELECT FROM comptoir_audit_seal s WHERE s.entry = a.id)
      AND NOT EXISTS (SELECT FROM comptoir_audit_open o WHERE o.entry = a.id) ORDER BY a.id LIMIT 1`,
  )
  if (stray) return end({ position: last + 1, problem: 'inserted', entry: stray[0] })
  const [waiting] = await ask<[number]>(sql`SELECT count(*)::int FROM comptoir_audit_open`)
  return end(null, waiting?.[0] ?? 0)
}

/** Positions that entries of the log itself say were trimmed: the last one says so of all before it. */
async function lawfulRanges(ask: AuditAsk): Promise<readonly (readonly [number, number])[]> {
  const [row] = await ask<[string | null]>(
    sql`SELECT (a.detail->'positions')::text FROM comptoir_audit a
      WHERE a.event = 'audit.trim' AND a.detail ? 'positions' ORDER BY a.id DESC LIMIT 1`,
  )
  return row?.[0] ? (JSON.parse(row[0]) as [number, number][]) : []
}
