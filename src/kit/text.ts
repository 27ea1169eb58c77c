// Texts as PostgreSQL can keep them: what is wrong with one, cutting by characters, and values as refusals
// show them.
import { present } from './present.ts'

/**
 * The reason why a text cannot be stored, in words, or null: NUL characters and half surrogate pairs
 * (spec/wire.md section 3).
 */
export function flawOf(text: string): string | null {
  if (text.includes('\0')) return 'a NUL character'
  return text.isWellFormed() ? null : 'half a surrogate pair'
}

/** Whether a text can be stored. */
export function isStorable(text: string): boolean {
  return flawOf(text) === null
}

/** The first `size` characters (code points, never half an emoji). */
export function truncateText(text: string, size: number): string {
  if (text.length <= size) return text
  let end = 0
  for (let count = 0; count < size && end < text.length; count++)
    end += present(text.codePointAt(end)) > 0xffff ? 2 : 1
  return text.slice(0, end)
}

/** Possible values, for a refusal: `a, b or c`; of many the first `most` and the number of the others. */
export function choices(names: readonly string[], most = 25): string {
  if (names.length > most) return `${names.slice(0, most).join(', ')} or one of ${names.length - most} more`
  return [names.slice(0, -1).join(', '), ...names.slice(-1)].filter(Boolean).join(' or ')
}

/**
 * A value as JSON for a refusal, cut to a readable length; of a large one only the beginning is looked at.
 */
export function shown(value: unknown, length = 200): string {
  const text = JSON.stringify(beginning(value, { left: length }, 0)) ?? String(value)
  return text.length > length ? `${text.slice(0, length)}…` : text
}

/** Enough of a value to fill the characters that are left. */
function beginning(value: unknown, room: { left: number }, depth: number): unknown {
  room.left -= 1
  if (typeof value === 'string') {
    const text = value.slice(0, Math.max(0, room.left) + 2)
    room.left -= text.length
    return text
  }
  if (typeof value !== 'object' || value === null) return typeof value === 'bigint' ? String(value) : value
  // Circular or very deep: not useful to readers.
  if (depth > 20) return '…'
  if (Array.isArray(value)) {
    const items: unknown[] = []
    for (let i = 0; i < value.length && room.left > 0; i++) items.push(beginning(value[i], room, depth + 1))
    return items
  }
  const members: [string, unknown][] = []
  for (const key in value) {
    if (room.left <= 0) break
    room.left -= key.length
    members.push([key.slice(0, 200), beginning((value as Record<string, unknown>)[key], room, depth + 1)])
  }
  return Object.fromEntries(members)
}
