// Statements that leave last, with COMMIT: the row of a kept answer, and those that report the changes.
import { traceNow } from '../../kit/watch/index.ts'
import { idList, raw, sql } from '../../sql/index.ts'
import { DEFERRED_IDS, withDeferred } from '../changes/last.ts'
import { type ChangeLog, traced } from '../changes/log.ts'
import type { Unit } from '../language/unit.ts'
import type { FirstFlush } from './credential-flush.ts'
import { ASSERTION_FAILED, OtherWay } from './refusing.ts'

interface Session extends Pick<Unit, 'buffer' | 'ending' | 'insertions'> {
  readonly changes: ChangeLog | null
  readonly credential: Pick<FirstFlush, 'leadsWith'>
}

/** Posts all of it. Gives whether changes are among it. */
export function postLast(unit: Session): boolean {
  const { changes, buffer, credential } = unit
  const { claim } = unit.ending
  const { isDeferring } = buffer
  if (isDeferring) assertUnnamed(unit)
  const row = claim?.make()
  // An answer with deferred ids comes after the rows that have them.
  const behind = claim && row && (isDeferring || !credential.leadsWith(claim, row)) ? [row] : []
  const statements = changes?.tells ? changes.lastWith(behind) : null
  const trace = statements && traceNow()
  if (trace) buffer.post(traced(trace))
  for (const statement of statements ?? behind) buffer.post(isDeferring ? withDeferred(statement) : statement)
  if (statements) unit.insertions.note('comptoir_change', 1)
  return statements !== null
}

/**
 * Refuses changes of records whose ids are deferred: a client that guesses such an id would have the feed
 * report a record that was there before.
 */
function assertUnnamed(unit: Session): void {
  for (const [model, ids] of unit.changes?.named() ?? []) {
    const deferred = unit.changes?.deferred(model) ?? []
    if (!deferred.length) continue
    const drawn = sql`format(${`{${deferred.join()}}`}::text, VARIADIC ${raw(DEFERRED_IDS)})::int[]`
    const wrong = sql`SELECT ${raw(String(ASSERTION_FAILED))} WHERE ${idList(ids)} && ${drawn}`
    unit.buffer.check(wrong, () => new OtherWay())
  }
}
