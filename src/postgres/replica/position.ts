// Positions in PostgreSQL's log: of commits that a primary server acknowledged, and of a replica's replay.

/** A position as a number, to be compared with others of the same server. */
export type Position = number

/**
 * On a primary server: where all ends that was acknowledged by now. Without synchronous commits that is more
 * than what was written out.
 */
export const POSITION = `CASE current_setting('synchronous_commit') WHEN 'off' THEN pg_current_wal_insert_lsn() ELSE pg_current_wal_flush_lsn() END::text`

/** The number that a server has in common with its replicas, and with no other. */
export const SYSTEM = `(SELECT system_identifier::text FROM pg_control_system())`

const TEXT = /^([\dA-F]{1,8})\/([\dA-F]{1,8})$/

/** Parses PostgreSQL's `16/B374D848`. Throws TypeError for anything else. */
export function positionOf(text: unknown): Position {
  const [, high, low] = TEXT.exec(String(text)) ?? []
  if (high === undefined || low === undefined)
    throw new TypeError('Invalid Comptoir-Position: send the value of an earlier response.')
  return Number.parseInt(high, 16) * 2 ** 32 + Number.parseInt(low, 16)
}

/** A position as callers carry it, with the server that it is one of: elsewhere it means nothing. */
export function tokenOf(system: string, position: Position): string {
  const [high, low] = [Math.floor(position / 2 ** 32), position % 2 ** 32]
  return `${system}-${high.toString(16).toUpperCase()}/${low.toString(16).toUpperCase()}`
}

/** The position of a token; null for one of another server, and for an invalid one. */
export function positionIn(token: string, system: string): Position | null {
  const [of, text = ''] = token.split('-')
  return of === system && TEXT.test(text) ? positionOf(text) : null
}
