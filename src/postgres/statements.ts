// Names of prepared statements: one process-wide table, so that a text has the same name on every connection,
// and the name is the text's own, so that it is the same in every process: behind a pooler a connection may
// have been another process's before.
// A text gets a name when it is met again: texts built for one call only (long lists of values) are never
// kept.
import { createHash } from 'node:crypto'
import { Recent } from '../kit/recent.ts'

const CAPACITY = 2000
/** Longer texts are not kept: what PostgreSQL keeps of a statement is a hundred times its text, and more. */
const LONGEST = 16 * 1024

/** Null for a text that was met once. */
const seen = new Recent<string, string | null>(CAPACITY)

/**
 * The name under which this text is to be prepared; undefined on its first appearance, and for a long one:
 * they are sent unnamed.
 */
export function statementName(text: string): string | undefined {
  if (text.length > LONGEST) return undefined
  const known = seen.get(text)
  if (known) return known
  const name = known === null ? nameOf(text) : null
  seen.set(text, name)
  return name ?? undefined
}

/** 128 bits of the text's SHA-256: no two texts have the same name. */
const nameOf = (text: string): string =>
  `s${createHash('sha256').update(text).digest('base64url').slice(0, 22)}`
