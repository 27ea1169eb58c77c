// Answers to statements that a unit asks for again: they stand as long as nothing that they were read from
// was touched. The snapshot of the unit stays the same: only what it changes itself can make them others.
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

/** Answers that are kept of a unit, and characters of what each is to: imports ask for something new each time. */
const MOST = { answers: 50, asked: 16 * 1024 }

/** By unit, and by text and values. */
const answers = new Slot<Recent<string, Kept>>()

/** The rows of a statement, which is sent (`ask`) unless its answer stands, or is on its way. */
export function keptRows(
  unit: Unit,
  { text, values }: Statement,
  reads: readonly ModelDef[],
  ask: () => Promise<readonly Row[]>,
): Promise<readonly Row[]> {
  const key = `${text} ${JSON.stringify(values)}`
  if (key.length > MOST.asked) return ask()
  let own = answers.get(unit)
  if (!own) {
    own = new Recent(MOST.answers)
    answers.set(unit, own)
  }
  let touches = 0
  for (const model of reads) touches += touchesOf(unit, model)
  const before = own.get(key)
  if (before?.touches === touches) return before.rows
  const rows = ask()
  own.set(key, { touches, rows })
  return rows
}

/** Forgets all of them: rows may have changed that nobody named, or are again what they were. */
export function forgetAnswers(unit: Unit): void {
  if (answers.get(unit)) answers.set(unit, new Recent(MOST.answers))
}
