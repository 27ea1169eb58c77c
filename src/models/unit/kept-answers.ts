// Answers to statements that a unit asks for again: they stand as long as nothing that they were read from
// was touched. The snapshot of the unit stays the same: only what it changes itself can make them others.
import { Slot } from '../../kit/slot.ts'
import type { Statement } from '../../sql/index.ts'
import { touchesOf } from '../changes/touches.ts'
import type { ModelDef } from '../language/definitions.ts'
import type { Row, Unit } from '../language/unit.ts'

interface Kept {
  readonly touches: number
  readonly rows: Promise<readonly Row[]>
}

/** By unit, and by text and values. */
const answers = new Slot<Map<string, Kept>>()

/** The rows of a statement, which is sent (`ask`) unless its answer stands, or is on its way. */
export function keptRows(
  unit: Unit,
  { text, values }: Statement,
  reads: readonly ModelDef[],
  ask: () => Promise<readonly Row[]>,
): Promise<readonly Row[]> {
  let own = answers.get(unit)
  if (!own) {
    own = new Map()
    answers.set(unit, own)
  }
  const key = `${text} ${JSON.stringify(values)}`
  let touches = 0
  for (const model of reads) touches += touchesOf(unit, model)
  const before = own.get(key)
  if (before?.touches === touches) return before.rows
  const rows = ask()
  own.set(key, { touches, rows })
  return rows
}

/** Forgets all of them: rows may have changed that nobody named, or are again what they were. */
export const forgetAnswers = (unit: Unit): void => answers.get(unit)?.clear()
