// JSON in one spelling (RFC 8785): members in order, no white space; numbers and texts as JavaScript writes
// them, which is what that RFC prescribes.
import { createHash } from 'node:crypto'
import { isLarge, writeInTurns } from './json-in-turns.ts'
import type { Pace } from './pace.ts'
import { present } from './present.ts'
import { sha256 } from './sha256.ts'

/** The text of a value; members that are undefined are left out, as `JSON.stringify` does. */
export function canonical(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`
  const object = value as Record<string, unknown>
  if (typeof object.toJSON === 'function') return canonical(object.toJSON())
  let text = '{'
  // By UTF-16 code units, as `sort` does.
  for (const name of Object.keys(object).sort()) {
    const member = object[name]
    if (member === undefined) continue
    text += `${text.length > 1 ? ',' : ''}${JSON.stringify(name)}:${canonical(member)}`
  }
  return `${text}}`
}

/** The same text of a value that may be large, in pieces, and in turns with whatever else is going on. */
export function canonicalInTurns(value: unknown, take: (text: string) => void): Promise<void> {
  return writeInTurns(value, { text: canonical, names: sortedInTurns }, take)
}

/** The SHA-256 of a value's one spelling: at once, or made in turns where the value is large. */
export const fingerprintOf = (value: unknown): Buffer | Promise<Buffer> =>
  isLarge(value) ? fingerprintInTurns(value) : sha256(canonical(value))

async function fingerprintInTurns(value: unknown): Promise<Buffer> {
  const hash = createHash('sha256')
  await canonicalInTurns(value, (text) => hash.update(text))
  return hash.digest()
}

/** Names that are sorted in one go. */
const AT_ONCE = 5000

/** The names of an object by UTF-16 code units: sorted in runs that are merged two by two. */
export async function sortedInTurns(object: object, pace: Pace): Promise<readonly string[]> {
  const names = Object.keys(object)
  let runs: string[][] = []
  for (let from = 0; from < names.length; from += AT_ONCE) {
    runs.push(names.slice(from, from + AT_ONCE).sort())
    await pace.step()
  }
  while (runs.length > 1) {
    const longer: string[][] = []
    for (let at = 0; at < runs.length; at += 2)
      longer.push(await merged(present(runs[at]), runs[at + 1] ?? [], pace))
    runs = longer
  }
  return runs[0] ?? []
}

async function merged(a: readonly string[], b: readonly string[], pace: Pace): Promise<string[]> {
  const out: string[] = []
  for (let [i, j] = [0, 0]; i < a.length || j < b.length; ) {
    const [left, right] = [a[i], b[j]]
    const isLeft = right === undefined || (left !== undefined && left < right)
    out.push(present(isLeft ? left : right))
    if (isLeft) i++
    else j++
    if (out.length % AT_ONCE === 0) await pace.step()
  }
  return out
}
