// Results of statements that a session sends again. They are valid until the session changes a model
// that they were read from: its snapshot excludes all other changes.
import { Recent } from '../../kit/recent.ts'
import { Slot } from '../../kit/slot.ts'
import type { Statement } from '../../sql/index.ts'
import { touchesOf } from '../changes/touches.ts'
import type { ModelDef } from '../language/definitions.ts'
import type { Row, Unit } from '../language/unit.ts'

interface Kept {
  readonly touches: number
  readonly rows: Promise<readonly Row[]>
}

/** Results kept for a session, and characters of a key: imports ask for something new each time. */
const MOST = { answers: 50, asked: 16 * 1024 }

/** By unit, and by text and values. */
const answers = new Slot<Recent<string, Kept>>()

/** The rows of a statement, which is sent (`ask`) unless its result is valid, or under way. */
export function keptRows(
  unit: Unit,
  { text, values }: Statement,
  reads: readonly ModelDef[],
  ask: () => Promise<readonly Row[]>,
): Promise<readonly Row[]> {
  const key = `${text} ${JSON.stringify(values)}`
  if (key.length > MOST.asked) return ask()
  let answersOfUnit = answers.get(unit)
  if (!answersOfUnit) {
    answersOfUnit = new Recent(MOST.answers)
    answers.set(unit, answersOfUnit)
  }
  let touches = 0
  for (const model of reads) touches += touchesOf(unit, model)
  const before = answersOfUnit.get(key)
  if (before?.touches === touches) return before.rows
  const rows = ask()
  answersOfUnit.set(key, { touches, rows })
  return rows
}

/** Forgets all of them: rows of unknown models may have changed, or a savepoint was undone. */
export function forgetAnswers(unit: Unit): void {
  if (answers.get(unit)) answers.set(unit, new Recent(MOST.answers))
}
