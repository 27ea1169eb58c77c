// JSON in one spelling (RFC 8785): members in order, no white space; numbers and texts as JavaScript writes
// them, which is what that RFC prescribes.
import { createHash } from 'node:crypto'
import { LARGE, writeInTurns } from './json-in-turns.ts'
import type { Pace } from './pace.ts'
import { present } from './present.ts'
import { sha256Hex } from './sha256.ts'

/** Number of values that may still be written; a thousand characters count as one value. */
interface Room {
  left: number
}

const BOUNDLESS: Room = { left: Number.POSITIVE_INFINITY }

/** The text of a value; members that are undefined are left out, as `JSON.stringify` does. */
export const canonical = (value: unknown): string => spelt(value, BOUNDLESS)

/** The same in one go with counting its values; null for a large one, to be written in turns. */
function canonicalOfSmall(value: unknown): string | null {
  const room = { left: LARGE }
  const text = spelt(value, room)
  return room.left > 0 ? text : null
}

/** Characters of a text that are looked at one by one: of a longer one `JSON.stringify` is quicker. */
const SHORT = 48

/** A text in quotation marks: unchanged if it is short and needs no escapes. */
function quoted(text: string): string {
  const { length } = text
  if (length > SHORT) return JSON.stringify(text)
  for (let at = 0; at < length; at++) {
    const unit = text.charCodeAt(at)
    // Printable ASCII but the quotation mark and the backslash.
    if (unit < 0x20 || unit > 0x7e || unit === 0x22 || unit === 0x5c) return JSON.stringify(text)
  }
  return `"${text}"`
}

/** Names by UTF-16 code units, as `sort` has them; most come in that order. */
function sorted(names: string[]): readonly string[] {
  let before = ''
  for (const name of names) {
    if (before > name) return names.sort()
    before = name
  }
  return names
}

/** A value that is neither a text nor an object; what JSON does not have is null. */
function speltPlain(value: unknown): string {
  if (typeof value === 'number') return Number.isFinite(value) ? `${value}` : 'null'
  if (typeof value === 'boolean') return value ? 'true' : 'false'
  return JSON.stringify(value) ?? 'null'
}

function spelt(value: unknown, room: Room): string {
  if (typeof value === 'string') {
    room.left -= 1 + (value.length >> 10)
    return quoted(value)
  }
  room.left--
  if (typeof value !== 'object' || value === null) return speltPlain(value)
  if (room.left <= 0) return ''
  if (Array.isArray(value)) return speltList(value, room)
  const object = value as Record<string, unknown>
  if (typeof object.toJSON === 'function') return spelt(object.toJSON(), room)
  let text = '{'
  for (const name of sorted(Object.keys(object))) {
    const member = object[name]
    if (member === undefined) continue
    text += `${text.length > 1 ? ',' : ''}${quoted(name)}:${spelt(member, room)}`
  }
  return `${text}}`
}

function speltList(items: readonly unknown[], room: Room): string {
  if (items.length >= room.left) {
    room.left = 0
    return ''
  }
  let text = '['
  for (let at = 0; at < items.length; at++) text += `${at ? ',' : ''}${spelt(items[at], room)}`
  return `${text}]`
}

/** The same text of a value that may be large, in pieces, and in turns with whatever else is going on. */
export function canonicalInTurns(value: unknown, take: (text: string) => void): Promise<void> {
  return writeInTurns(value, { text: canonical, names: sortedInTurns }, take)
}

/** The SHA-256 of a value's canonical text, in hexadecimal digits: at once, or in turns for a large value. */
export function fingerprintOf(value: unknown): string | Promise<string> {
  const text = canonicalOfSmall(value)
  return text === null ? fingerprintInTurns(value) : sha256Hex(text)
}

async function fingerprintInTurns(value: unknown): Promise<string> {
  const hash = createHash('sha256')
  await canonicalInTurns(value, (text) => hash.update(text))
  return hash.digest('hex')
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
