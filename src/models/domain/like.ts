// `like` and its forms in memory: patterns as PostgreSQL reads them, letters folded one by one as its C.UTF-8
// locale does.

import { present } from '../../kit/present.ts'
import { CASELESS, operators, type Pattern } from './operators.ts'

/**
 * A test for texts. `%` is any text and `_` any character; a backslash takes the next character as it is, one
 * at the very end stands for itself.
 */
export function likeTest(operator: Pattern, pattern: string): (text: string) => boolean {
  const fold = operators[operator].sql === 'ILIKE' ? lower : (text: string) => text
  const parts = partsOf(fold(patternOf(operator, pattern)))
  return (text) => holds(parts, fold(text))
}

/** The whole pattern that texts are compared with. */
export const patternOf = (operator: Pattern, pattern: string): string =>
  operators[operator].around.join(closed(pattern))

/** The comparison of a pattern in SQL: LIKE, which folds no text, where no letter is to be folded. */
export const keywordOf = (operator: Pattern, pattern: string): 'LIKE' | 'ILIKE' =>
  CASELESS.test(pattern) ? 'LIKE' : operators[operator].sql

/** A backslash at the very end escapes nothing; PostgreSQL refuses such patterns, so it stands for itself. */
function closed(pattern: string): string {
  let start = pattern.length
  while (start > 0 && pattern[start - 1] === '\\') start--
  return (pattern.length - start) % 2 ? `${pattern}\\` : pattern
}

/** The text between the `%` of a pattern: characters, and null for any single one. */
type Part = readonly (string | null)[]

function partsOf(pattern: string): readonly Part[] {
  const parts: (string | null)[][] = [[]]
  let escaped = false
  for (const character of pattern) {
    if (!escaped && character === '%') parts.push([])
    else if (escaped || character !== '\\')
      parts.at(-1)?.push(!escaped && character === '_' ? null : character)
    escaped = !escaped && character === '\\'
  }
  return parts
}

/**
 * The first part at the beginning, the last at the end, and each between them where it is found first: if it
 * fits anywhere, it fits so. No way is tried twice, where an expression would go back through all of them.
 */
function holds(parts: readonly Part[], text: string): boolean {
  const characters = text.length === 0 ? [] : [...text]
  const first = present(parts[0])
  if (parts.length === 1) return characters.length === first.length && fits(first, characters, 0)
  const last = present(parts.at(-1))
  const end = characters.length - last.length
  if (end < first.length || !fits(first, characters, 0) || !fits(last, characters, end)) return false
  let at = first.length
  for (const part of parts.slice(1, -1)) {
    while (at + part.length <= end && !fits(part, characters, at)) at++
    if (at + part.length > end) return false
    at += part.length
  }
  return true
}

const fits = (part: Part, characters: readonly string[], at: number): boolean =>
  part.every((one, i) => (one === null ? at + i < characters.length : one === characters[at + i]))

/** Each character by its own simple mapping: no word ends, no letters that become two. */
function lower(text: string): string {
  if (/^[\0-\x7f]*$/.test(text)) return text.toLowerCase()
  let out = ''
  for (const character of text) out += character === 'İ' ? 'i' : character.toLowerCase()
  return out
}

/** Order of texts by code point, as the database's collation has it: negative, 0 or positive. */
export function compareTexts(left: string, right: string): number {
  const length = Math.min(left.length, right.length)
  for (let i = 0; i < length; i++) {
    const [a, b] = [left.charCodeAt(i), right.charCodeAt(i)]
    // Halves of pairs stand for characters above all others.
    if (a !== b) return isSurrogate(a) === isSurrogate(b) ? a - b : isSurrogate(a) ? 1 : -1
  }
  return left.length - right.length
}

const isSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdfff
