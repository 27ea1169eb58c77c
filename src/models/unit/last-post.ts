// What leaves with COMMIT behind all others: what commits with the effect, and what tells of it, with ids
// that are owed in their places.
import { traceNow } from '../../kit/watch/index.ts'
import { idList, raw, type Statement, sql } from '../../sql/index.ts'
import { owing } from '../changes/last.ts'
import { type ChangeLog, traced } from '../changes/log.ts'
import { inPlaceOf, inSettings } from '../changes/owed.ts'
import type { Claim } from '../language/alongside.ts'
import type { Registry } from '../language/definitions.ts'
import type { Unit } from '../language/unit.ts'
import type { Owes } from './owes.ts'
import type { Posting } from './posting.ts'
import { OtherWay, STAKED } from './refusing.ts'

interface Ending extends Pick<Unit, 'check' | 'post' | 'grew'>, Pick<Posting, 'leadsWith'> {
  readonly registry: Registry
  readonly changes: ChangeLog | null
  readonly claim: Claim | null
  readonly owes: Owes | null
}

/** Posts all of it; `owed` gives the id of a unit that owes one. Gives whether changes are among it. */
export function postLast(unit: Ending, owed: string | null): boolean {
  const { changes, claim } = unit
  const row = claim?.make()
  const owes = unit.owes?.isOpen ? unit.owes : null
  if (owes) assertUnnamed(unit, owes)
  const dress = owes ? inSettings(owes.list) : owed === null ? null : inPlaceOf(owed)
  const dressed = (statement: Statement) => (dress ? owing(statement, dress) : statement)
  const behind = claim && row && !unit.leadsWith(claim, dressed(row)) ? [row] : []
  const told = changes?.tells ? changes.lastWith(behind, owes) : null
  const trace = told && traceNow()
  if (trace) unit.post(traced(trace))
  for (const statement of told ?? behind) unit.post(dressed(statement))
  if (told) unit.grew('comptoir_change', 1)
  return told !== null
}

/**
 * Sees to it that records whose ids are owed were named by nobody: whoever guesses such an id would have the
 * feed told of a record that was there before.
 */
function assertUnnamed(unit: Ending, owes: Owes): void {
  for (const [model, ids] of unit.changes?.named() ?? []) {
    const table = unit.registry.models.get(model)?.table
    for (const setting of table === undefined ? [] : owes.settingsOf(table)) {
      const drawn = raw(`current_setting('${setting}')::int[]`)
      const wrong = sql`SELECT ${raw(String(STAKED))} WHERE ${idList(ids)} && ${drawn}`
      unit.check(wrong, () => new OtherWay())
    }
  }
}
