// What a call of `create` makes, where it makes a little and does nothing else.
import type { CallBody } from '../../request.ts'
import { roomIn } from '../method.ts'

export interface Creation {
  /** Values of the records, as they are given. */
  readonly rows: readonly object[]
  /** RPC's form: one object is given, and one id is told. */
  readonly isOne: boolean
  /** How many values there are in the rows. */
  readonly values: number
}

const isVals = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The creation that a body asks for; null for one that gives anything else, or more values than `most`. */
export function creationIn({ ids, named = {}, positional = [] }: CallBody, most: number): Creation | null {
  const names = Object.keys(named)
  if (ids !== undefined || names.length + positional.length !== 1) return null
  if (names.length === 1 && names[0] !== 'vals_list') return null
  const given = names.length ? named.vals_list : positional[0]
  const rows: readonly unknown[] = Array.isArray(given) ? given : [given]
  const left = roomIn(rows, most)
  if (left < 0 || rows.length === 0 || !rows.every(isVals)) return null
  return { rows, isOne: positional.length === 1 && !Array.isArray(given), values: most - left }
}

/** One body that asks for several creations; `body`: that of one of them. */
export const asOne = ({ context, rpc = false }: CallBody, creations: readonly Creation[]): CallBody => ({
  context,
  rpc,
  named: { vals_list: creations.flatMap(({ rows }) => rows) },
})

/** What each of several creations is answered, of the answer to all of them. */
export function partsOf(json: string, creations: readonly Creation[]): string[] {
  const ids = JSON.parse(json) as readonly number[]
  let from = 0
  return creations.map(({ rows, isOne }) => {
    const part = ids.slice(from, from + rows.length)
    from += rows.length
    return isOne ? String(part[0]) : JSON.stringify(part)
  })
}
