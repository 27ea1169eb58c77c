// The walk along the chain of a database's audit log (audit-seal.ts), and what it came to in words.

import { CHAIN_START, type ChainBreak, linkHash } from '../../kit/chain.ts'
import { type Sql, sql } from '../../sql/index.ts'
import type { Environment } from '../language/environment.ts'
import { sealedContent } from './audit-seal.ts'

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
      sql`SELECT s.position::float8, s.entry, s.hash, CASE WHEN a.id IS NOT NULL THEN ${sealedContent} END
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

const WORDS: Readonly<Record<ChainBreak['problem'], string>> = {
  changed: 'was changed after it was sealed',
  missing: 'is missing: it was sealed, and it or its place in the chain was removed',
  inserted: 'was put in: it is not what the chain sealed there',
}

/** The verdict as a report on a chain, beside those of documents. */
export async function auditReport(env: Environment) {
  const { hash, entries, trimmed, waiting, broken } = await verifyAudit((statement) => env.query(statement))
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
      message: `The entry at place ${broken.position} of the audit log ${WORDS[broken.problem]}.`,
    },
  }
}
