// Rows of new records whose INSERT has not left: what is computed of them meanwhile is written with them, for
// PostgreSQL looks at all keys of a new row again when it is updated (docs/decisions/0077).
import { Slot } from '../../kit/slot.ts'
import type { FieldDef, ModelDef } from '../language/definitions.ts'
import type { Unit } from '../language/unit.ts'

/** By field and record, as columns hold them. */
type ColumnValues = ReadonlyMap<FieldDef, ReadonlyMap<number, unknown>>

/** Rows of one INSERT. */
interface BufferedInserts {
  readonly model: ModelDef
  /** Their owner: their makers are those who wrote them last. */
  readonly uid: number
  has(id: number): boolean
  /** Sets columns of some of them; false where they left. */
  add(values: ColumnValues): boolean
}

/** Statements that are remembered of a unit: the last ones. */
const MOST = 8

const late = new Slot<readonly BufferedInserts[]>()

/** Remembers rows that wait; of the last statements only. */
export function noteBuffered(unit: Unit, rows: BufferedInserts): void {
  late.set(unit, [...(late.get(unit) ?? []).slice(1 - MOST), rows])
}

/** Sets columns of rows that wait, and that the same user made; false where one of them does not. */
export function addToBuffered(
  { unit, uid }: { readonly unit: Unit; readonly uid: number },
  model: ModelDef,
  ids: readonly number[],
  values: () => ColumnValues | null,
): boolean {
  const waiting = late.get(unit)
  if (!waiting?.length) return false
  const rows = waiting.find((one) => one.model === model && ids.every((id) => one.has(id)))
  if (!rows || (model.logAccess && rows.uid !== uid)) return false
  const columns = values()
  if (!columns) return false
  if (rows.add(columns)) return true
  late.set(
    unit,
    waiting.filter((one) => one !== rows),
  )
  return false
}
