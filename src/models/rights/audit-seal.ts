// The hash chain over a database's audit log: committed entries are sealed in order, each with the hash
// of the previous one, so that an entry that is changed, removed or inserted later is detected
// (docs/decisions/0091).
import {
  CHAIN_BEGIN,
  CHAIN_PROBLEMS,
  CHAIN_START,
  type ChainBreak,
  type ChainHead,
  type ChainLink,
  ChainWalk,
  linkHash,
} from '../../kit/chain.ts'
import { present } from '../../kit/present.ts'
import { idList, raw, sql } from '../../sql/index.ts'
import type { Environment } from '../language/environment.ts'

/** Sealed columns of an entry, in their order. A later column needs a new version of the format. */
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

/** The sealed content of an entry `a` in its canonical form. */
export const sealedContent = raw(`json_build_array(${SEALED.map((name) => `a."${name}"`).join(', ')})::text`)

const AT_ONCE = 1000

/**
 * Idempotent statements that create the tables of the chain. Writers do not wait for the sealing: a
 * trigger puts their entries into a queue (`comptoir_audit_open`), which `sealAudit` processes.
 */
export const auditChain: readonly string[] = [
  'CREATE TABLE IF NOT EXISTS comptoir_audit_seal (position bigint PRIMARY KEY, entry int NOT NULL UNIQUE, hash text NOT NULL)',
  'CREATE TABLE IF NOT EXISTS comptoir_audit_open (entry int PRIMARY KEY)',
  'CREATE TABLE IF NOT EXISTS comptoir_audit_head (position bigint NOT NULL, hash text NOT NULL)',
  // The position up to which each receiver outside of the server has entries.
  'CREATE TABLE IF NOT EXISTS comptoir_audit_shipped (receiver text PRIMARY KEY, position bigint NOT NULL)',
  `INSERT INTO comptoir_audit_head SELECT 0, '${CHAIN_START}' WHERE NOT EXISTS (SELECT FROM comptoir_audit_head)`,
  `CREATE OR REPLACE FUNCTION comptoir_audit_line_up() RETURNS trigger LANGUAGE plpgsql AS
    $$BEGIN INSERT INTO comptoir_audit_open SELECT id FROM fresh; RETURN NULL; END$$`,
  `CREATE OR REPLACE TRIGGER line_up AFTER INSERT ON comptoir_audit REFERENCING NEW TABLE AS fresh
    FOR EACH STATEMENT EXECUTE FUNCTION comptoir_audit_line_up()`,
  `CREATE OR REPLACE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON comptoir_audit_seal
    FOR EACH STATEMENT EXECUTE FUNCTION comptoir_audit_append_only()`,
  // Entries older than the chain.
  `INSERT INTO comptoir_audit_open SELECT a.id FROM comptoir_audit a
    WHERE NOT EXISTS (SELECT FROM comptoir_audit_seal s WHERE s.entry = a.id) ON CONFLICT DO NOTHING`,
]

/** Seals committed entries; returns their number. One process at a time does so. */
export async function sealAudit(env: Environment): Promise<number> {
  let sealed = 0
  for (;;) {
    const count = await sealPortion(env)
    sealed += count
    if (count < AT_ONCE) return sealed
  }
}

async function sealPortion(env: Environment): Promise<number> {
  const rows = await env.query<[number, string]>(
    sql`SELECT a.id, ${sealedContent} FROM comptoir_audit_open o JOIN comptoir_audit a ON a.id = o.entry
      ORDER BY a.id LIMIT ${AT_ONCE}::int`,
  )
  if (rows.length === 0) return 0
  // Locked only if there are entries to seal: checking an idle database writes nothing.
  const [head] = await env.query<[string, string]>(
    sql`SELECT position::text, hash FROM comptoir_audit_head FOR UPDATE`,
  )
  const [position, start] = present(head)
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

export async function emptyRanges(env: Environment): Promise<readonly (readonly [number, number])[]> {
  const rows = await env.query<[number, number]>(
    sql`SELECT min(g.position)::float8, max(g.position)::float8 FROM (
        SELECT s.position, s.position - row_number() OVER (ORDER BY s.position) AS run FROM comptoir_audit_seal s
        WHERE NOT EXISTS (SELECT FROM comptoir_audit a WHERE a.id = s.entry)) AS g
      GROUP BY g.run ORDER BY 1 LIMIT 100`,
  )
  return rows.map(([from, to]) => [from, to])
}

// Verifies the chain of a database's audit log, and reports the result.

interface AuditResult {
  /** The last valid hash. Stored outside of the database, it detects a chain that was rewritten. */
  readonly hash: string
  readonly entries: number
  /** Sealed entries that were removed by the retention setting. */
  readonly trimmed: number
  /** Entries that are committed and not sealed yet. */
  readonly waiting: number
  /** The first position at which the log differs from what was sealed, with the id of the entry. */
  readonly broken: (ChainBreak & { readonly entry: number | null }) | null
  /** Where the next call continues; null at the end, and at a break. */
  readonly next: ChainHead | null
}

const PORTION = 2000

/**
 * Verifies the chain from its start or from `from`, at most `links` links. It detects every entry that was
 * changed, removed or inserted after it was sealed. It does not check entries that are not sealed yet, and
 * does not detect a database that was restored from an earlier backup: shipped entries show that.
 */
export async function verifyAudit(
  env: Environment,
  from: ChainHead = CHAIN_BEGIN,
  links = Number.POSITIVE_INFINITY,
): Promise<AuditResult> {
  const ranges = await trimmedRanges(env)
  const isTrimmed = (position: number) =>
    ranges.some(([first, last]) => first <= position && position <= last)
  const walk = new ChainWalk(from)
  const result = (broken: AuditResult['broken'], waiting = 0, next: ChainHead | null = null): AuditResult => {
    const { position, hash } = walk.head
    const trimmed = ranges.reduce(
      (sum, [first, last]) => sum + Math.max(0, Math.min(last, position) - first + 1),
      0,
    )
    return { hash, entries: position - trimmed, trimmed, waiting, broken, next }
  }
  for await (const link of linksOf(env, from.position)) {
    const { position, entry, content } = link
    if (walk.head.position - from.position >= links) return result(null, 0, walk.head)
    if (position === walk.head.position + 1 && content === null && !isTrimmed(position))
      return result({ position, problem: 'missing', entry })
    const broken = walk.take(link)
    if (broken) return result({ ...broken, entry: broken.problem === 'missing' ? null : entry })
  }
  const [head] = await env.query<[number, string]>(
    sql`SELECT position::float8, hash FROM comptoir_audit_head`,
  )
  const { position } = walk.head
  const broken = walk.end(head ? { position: head[0], hash: head[1] } : CHAIN_BEGIN)
  if (broken) return result({ ...broken, entry: null })
  const [stray] = await env.query<[number]>(
    sql`SELECT a.id FROM comptoir_audit a WHERE NOT EXISTS (SELECT FROM comptoir_audit_seal s WHERE s.entry = a.id)
      AND NOT EXISTS (SELECT FROM comptoir_audit_open o WHERE o.entry = a.id) ORDER BY a.id LIMIT 1`,
  )
  if (stray) return result({ position: position + 1, problem: 'inserted', entry: stray[0] })
  const [waiting] = await env.query<[number]>(sql`SELECT count(*)::int FROM comptoir_audit_open`)
  return result(null, waiting?.[0] ?? 0)
}

async function* linksOf(
  env: Environment,
  after: number,
): AsyncGenerator<ChainLink & { readonly entry: number }> {
  for (let last = after; ; ) {
    const rows = await env.query<[number, number, string, string | null]>(
      sql`SELECT s.position::float8, s.entry, s.hash, CASE WHEN a.id IS NOT NULL THEN ${sealedContent} END
        FROM comptoir_audit_seal s LEFT JOIN comptoir_audit a ON a.id = s.entry
        WHERE s.position > ${last}::bigint ORDER BY s.position LIMIT ${PORTION}::int`,
    )
    for (const [position, entry, hash, content] of rows) {
      yield { position, entry, hash, content }
      last = position
    }
    if (rows.length < PORTION) return
  }
}

/** Trimmed positions according to the log itself: the last entry lists all of them. */
async function trimmedRanges(env: Environment): Promise<readonly (readonly [number, number])[]> {
  const [row] = await env.query<[string | null]>(
    sql`SELECT (a.detail->'positions')::text FROM comptoir_audit a
      WHERE a.event = 'audit.trim' AND a.detail ? 'positions' ORDER BY a.id DESC LIMIT 1`,
  )
  return row?.[0] ? (JSON.parse(row[0]) as [number, number][]) : []
}

/** The result as a report on a chain, in the format of reports on documents. */
export function auditReport({ hash, entries, trimmed, waiting, broken }: AuditResult) {
  return {
    model: 'comptoir.audit',
    id: 0,
    series: '',
    name: 'audit log',
    sealed: entries + trimmed,
    hash,
    unsealed: waiting,
    break: broken && {
      position: broken.position,
      problem: broken.problem,
      model: 'comptoir.audit',
      id: broken.entry,
      name: null,
      message: `The entry at place ${broken.position} of the audit log ${CHAIN_PROBLEMS[broken.problem]}.`,
    },
  }
}
