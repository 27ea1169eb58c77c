// Conditions on texts: equality with unset and empty as one, order, and the like family for every kind of
// field.
import { present } from '../../kit/present.ts'
import { decisive, FALSE, join, literal, or, raw, readsRows, type Sql, sql, TRUE } from '../../sql/index.ts'
import type { FieldDef } from '../language/definitions.ts'
import type { Leaf } from '../language/tree.ts'
import {
  CASELESS,
  type Compared,
  invalidCondition,
  isEquality,
  isPattern,
  NO_TRIGRAM,
  operandsOf,
  operators,
  type Pattern,
} from './operators.ts'

/** The expression must be set and the condition, which is NULL where it is unset, must hold. */
export const whenSet = (expression: Sql, condition: Sql): Sql =>
  readsRows(condition)
    ? sql`(${expression} IS NOT NULL AND ${condition})`
    : sql`(${condition} AND ${expression} IS NOT NULL)`

/**
 * More values than this are looked up in a table that PostgreSQL makes of them: of a parameter it does not
 * know that it is long, and would go through all for each row.
 */
export const LONG = 200

/** Whether an index finds the records that have a value of the field. */
export const isIndexed = ({ options: { index, companyDependent }, translate }: FieldDef): boolean =>
  index !== undefined && index !== 'trigram' && !companyDependent && !translate

/**
 * `expression = …` for one value, `= ANY (…)` for several, `IN (…)` for many; unset matches nothing. Many are
 * joined where the expression is `indexed`; else each row's value is looked up, as a plan might join by going
 * through all values for each row.
 */
export function oneOf(expression: Sql, values: readonly unknown[], type: string, indexed = false): Sql {
  if (values.length === 0) return FALSE
  return whenSet(expression, anyValue(expression, values, type, indexed))
}

/** As `oneOf`, unset or false where the expression is unset. */
export function anyValue(expression: Sql, values: readonly unknown[], type: string, indexed = false): Sql {
  if (values.length > LONG) {
    const isListed = sql`${expression} IN (SELECT unnest(${values}::${raw(`${type}[]`)}))`
    return indexed ? isListed : sql`(${isListed}) IS TRUE`
  }
  return values.length === 1
    ? sql`${expression} = ${values[0]}::${raw(type)}`
    : sql`${expression} = ANY(${values}::${raw(`${type}[]`)})`
}

/** char, text, html: unset counts as the empty text. */
export function compareText(field: FieldDef, expression: Sql, operator: Compared, leaf: Leaf): Sql {
  const { value } = leaf
  if (isPattern(operator)) return comparePattern(expression, operator, leaf, emptyText(expression))
  if (isEquality(operator)) {
    const texts = operandsOf(operator, value).map((one) => asText(one, leaf))
    const wanted = texts.filter((text) => text !== '')
    const matching = wanted.length ? anyValue(expression, wanted, 'text', isIndexed(field)) : FALSE
    if (wanted.length < texts.length)
      return wanted.length ? sql`(${matching} OR ${emptyText(expression)})` : emptyText(expression)
    return wanted.length ? whenSet(expression, matching) : FALSE
  }
  const text = asText(value, leaf)
  const comparison = operators[operator]
  const compared = sql`${expression} ${raw(comparison.sql)} ${decisive(text)}::text`
  return comparison.test(0, text.length)
    ? sql`(${compared} OR ${expression} IS NULL)`
    : whenSet(expression, compared)
}

const emptyText = (expression: Sql): Sql => sql`(${expression} IS NULL OR ${expression} = '')`

/** The text that a condition on a text compares with. Throws InvalidValue. */
export function asText(value: unknown, leaf: Leaf): string {
  if (value === false) return ''
  if (typeof value === 'number') return String(value)
  if (typeof value === 'string') return value
  throw invalidCondition(leaf, 'a text is expected on the right')
}

/**
 * Options that a condition names in its text: few, and mostly of very unequal use, so that a plan for any of
 * them suits none. Null for selections that are made anew each time they are asked for, and for other fields.
 */
export function optionsOf({ kind, options }: FieldDef): Readonly<Record<string, string>> | null {
  return kind === 'selection' && typeof options.selection === 'object' ? options.selection : null
}

export function areOptions(
  values: readonly unknown[],
  options: Readonly<Record<string, string>> | null,
): values is readonly string[] {
  return (
    options !== null &&
    values.length > 0 &&
    values.every((value) => typeof value === 'string' && Object.hasOwn(options, value))
  )
}

/** The comparison of values of a kind. */
interface Comparing {
  readonly type: string
  /** The right side of a condition. Throws InvalidValue. */
  readonly read: (value: unknown) => string
  /** The text that patterns are compared with, where that is not the value itself. */
  readonly text?: Sql
  readonly indexed?: boolean
  /** The sign that limits are compared by, where that is not the sign of the operator. */
  readonly sign?: string
  /** That the value is one of some, where that takes more than `oneOf`. */
  readonly among?: (values: readonly unknown[]) => Sql
}

/** For kinds whose unset values equal nothing but `false`, and have no place in the order. */
export function compareSet(
  expression: Sql,
  operator: Compared,
  leaf: Leaf,
  { type, read, text = expression, indexed, sign, among }: Comparing,
): Sql {
  const isUnset = sql`${expression} IS NULL`
  if (isPattern(operator)) return comparePattern(text, operator, leaf, isUnset)
  if (isEquality(operator)) {
    const values = operandsOf(operator, leaf.value)
    const wanted = values.filter((value) => value !== false)
    const isWanted = among ? among(wanted) : oneOf(expression, wanted.map(read), type, indexed)
    return or([isWanted, values.includes(false) ? isUnset : FALSE])
  }
  if (leaf.value === false) return FALSE
  const limit = decisive(read(leaf.value))
  return whenSet(
    expression,
    sql`${expression} ${raw(sign ?? operators[operator].sql)} ${limit}::${raw(type)}`,
  )
}

export const compareKey = (field: FieldDef, expression: Sql, operator: Compared, leaf: Leaf): Sql =>
  compareSet(expression, operator, leaf, {
    type: 'text',
    read: String,
    among: (values) => {
      const keys = values.map(String)
      return areOptions(keys, optionsOf(field))
        ? oneOption(expression, keys)
        : oneOf(expression, keys, 'text', isIndexed(field))
    },
  })

function oneOption(expression: Sql, keys: readonly string[]): Sql {
  const [first = '', ...more] = keys
  return whenSet(
    expression,
    more.length
      ? sql`${expression} IN (${join([...new Set(keys)].map(literal))})`
      : sql`${expression} = ${literal(first)}`,
  )
}

/**
 * `like` and its forms over the text of a field. The empty pattern matches every record, the whole-text forms
 * take it as "unset" (spec/models-api.md section 2, "Unset values"). Of a list, made by merging (merge.ts),
 * any pattern matches.
 */
export function comparePattern(text: Sql, operator: Pattern, leaf: Leaf, unset: Sql): Sql {
  const { value } = leaf
  const { sql: keyword, isWhole } = operators[operator]
  if (value === false || value === '') return isWhole ? unset : TRUE
  if (Array.isArray(value))
    return whenSet(
      text,
      anyPattern(
        text,
        keyword,
        value.map((one) => patternOf(operator, String(one))),
      ),
    )
  const pattern = String(value)
  return whenSet(
    text,
    join([text, raw(keywordOf(operator, pattern)), decisive(patternOf(operator, pattern))], ' '),
  )
}

/** Folds the text once, where ILIKE would do it for each pattern. */
function anyPattern(text: Sql, keyword: string, patterns: readonly string[]): Sql {
  if (keyword === 'LIKE') return sql`${text} LIKE ANY(${patterns}::text[])`
  return sql`lower(${text}) LIKE ANY(ARRAY(SELECT lower(p) FROM unnest(${patterns}::text[]) AS p))`
}

// `like` and its forms in memory: patterns as PostgreSQL reads them, letters folded one by one as its C.UTF-8
// locale does.

/** A test for texts: `%` is any text, `_` any character, `\` takes the next one as it is. */
export function likeTest(operator: Pattern, pattern: string): (text: string) => boolean {
  const fold = operators[operator].sql === 'ILIKE' ? lower : (text: string) => text
  const parts = partsOf(fold(patternOf(operator, pattern)))
  return (text) => holds(parts, fold(text))
}

export const patternOf = (operator: Pattern, pattern: string): string =>
  operators[operator].around.join(closed(pattern))

/**
 * The comparison of a pattern in SQL: LIKE, which folds no text, where no letter is to be folded. In another
 * collation it finds the same, and no trigram index: PostgreSQL would read all of it for a pattern without
 * trigrams, and then all texts, in the plan that it keeps for any pattern.
 */
export function keywordOf(operator: Pattern, pattern: string): 'COLLATE "C" LIKE' | 'LIKE' | 'ILIKE' {
  const keyword = CASELESS.test(pattern) ? 'LIKE' : operators[operator].sql
  return keyword === 'LIKE' && NO_TRIGRAM.test(patternOf(operator, pattern)) ? 'COLLATE "C" LIKE' : keyword
}

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
