// SQL as values: fragments that nest, with parameters and identifiers kept apart from text until the end.

/**
 * A trait on which PostgreSQL's plan for a statement depends: a value that decides how many rows there are,
 * one of few values of unequal use, a limit on rows. `clock`: a value was read from the clock.
 */
type Trait = 'decisive' | 'few' | 'limit' | 'clock'

/** A piece of SQL: literal texts with values, nested fragments or raw text between them. */
export class Sql {
  readonly texts: readonly string[]
  readonly values: readonly unknown[]
  readonly trait: Trait | null

  constructor(texts: readonly string[], values: readonly unknown[], trait: Trait | null = null) {
    this.texts = texts
    this.values = values
    this.trait = trait
  }

  /** Numbered text and its values, ready for a prepared statement. */
  compile(): Statement {
    const out = { text: '', values: [], traits: new Set<Trait>() }
    render(this, out)
    const { text, values, traits } = out
    const each = traits.has('decisive') && traits.has('limit')
    return { text, values, each, ...(traits.has('clock') && { momentary: true }) }
  }

  /** Readable form for logs and debuggers. */
  toString(): string {
    const { text, values } = this.compile()
    return values.length ? `${text}  -- ${JSON.stringify(values)}` : text
  }
}

/** Text and values for a driver. */
export interface Statement {
  text: string
  values: unknown[]
  /**
   * Whether PostgreSQL shall plan it for its values each time. A plan made once for all patterns or ranges
   * takes them to match many rows, and so walks along the order until a limit is reached: through the whole
   * table for a pattern that matches nothing.
   */
  readonly each?: boolean
  /** Whether it holds for this moment alone: a condition in it was compared with the clock. */
  readonly momentary?: boolean
  /** Whether what is sent after it counts on its being first: it waits for no turn (models/unit/large.ts). */
  readonly leads?: boolean
}

function render(
  fragment: Sql,
  out: { text: string; readonly values: unknown[]; readonly traits: Set<Trait> },
): void {
  const { texts, values, trait } = fragment
  if (trait) out.traits.add(trait)
  out.text += texts[0]
  for (let i = 0; i < values.length; i++) {
    const value = values[i]
    if (value instanceof Sql) render(value, out)
    else {
      out.values.push(value)
      out.text += `$${out.values.length}`
    }
    out.text += texts[i + 1]
  }
}

/** Template tag: `${x}` is a parameter unless x is a fragment. */
export function sql(texts: TemplateStringsArray, ...values: unknown[]): Sql {
  return new Sql(texts, values)
}

/** Text that is SQL already. It must never contain input. */
export function raw(text: string): Sql {
  return new Sql([text], [])
}

/**
 * A value that decides how many rows a condition leaves, anything between none and all: a pattern, an end of
 * a range.
 */
export function decisive(value: unknown): Sql {
  return new Sql(['', ''], [value], 'decisive')
}

/** One of few values that unequally many rows have, such as a company, or a list of such. */
export function ofFew(value: number | readonly number[]): Sql {
  return new Sql(['', ''], [value], 'few')
}

/** A condition that was compared with the clock. */
export const ofNow = (condition: Sql): Sql => new Sql(['', ''], [condition], 'clock')

/** ` LIMIT n`, a number of its text: PostgreSQL plans better when it knows it. */
export function limited(count: number): Sql {
  return new Sql([` LIMIT ${count}`], [], 'limit')
}

/**
 * The same with decisive values and those of few as part of the SQL: for conditions that are the same call
 * after call, so that one plan knows them.
 */
export function settled(fragment: Sql): Sql {
  if (fragment.trait === 'decisive' || fragment.trait === 'few') {
    const [value] = fragment.values
    // No text of PostgreSQL has the character zero: as a parameter it is refused, in the text it would be its
    // end.
    if (typeof value === 'string') return value.includes('\0') ? fragment : literal(value)
    if (Array.isArray(value) && value.every(Number.isInteger)) return raw(`'{${value.join()}}'`)
    return typeof value === 'number' && Number.isFinite(value) ? raw(`(${value})`) : fragment
  }
  if (!fragment.values.some((value) => value instanceof Sql)) return fragment
  const values = fragment.values.map((value) => (value instanceof Sql ? settled(value) : value))
  return new Sql(fragment.texts, values, fragment.trait)
}

/**
 * Ids, for `= ANY(…)` and `unnest(…)`. PostgreSQL does not see their number while it plans, so it keeps one
 * generic plan. A plan for a single id would look so much cheaper than one for any number that PostgreSQL
 * would plan each time, which costs more than finding the row. A list may also be part of a statement
 * (`Sql`).
 */
export function idList(ids: readonly number[] | Sql): Sql {
  return sql`(SELECT ${ids}::int[])::int[]`
}

/** Identifiers come from contracts and are few; queries ask for the same ones all the time. */
const quoted = new Map<string, string>()

/** A quoted identifier. */
export function quote(name: string): string {
  const cached = quoted.get(name)
  if (cached) return cached
  const text = `"${name.replaceAll('"', '""')}"`
  if (quoted.size < 20_000) quoted.set(name, text)
  return text
}

/** A quoted, optionally qualified identifier as a fragment. */
export function id(...names: readonly string[]): Sql {
  return raw(names.map(quote).join('.'))
}

/** A quoted string literal, for the few places (DDL, constant labels) that take no parameters. */
export function literal(text: string): Sql {
  const escaped = text.replaceAll("'", "''")
  return raw(escaped.includes('\\') ? `E'${escaped.replaceAll('\\', '\\\\')}'` : `'${escaped}'`)
}

/** Fragments with a separator between them. */
export function join(parts: readonly Sql[], separator = ', '): Sql {
  if (parts.length === 0) return raw('')
  return new Sql(['', ...Array<string>(parts.length - 1).fill(separator), ''], parts)
}

/** Members of an object that PostgreSQL makes of arguments: it takes a hundred of these. */
export const MOST_MEMBERS = 50

/** A jsonb object of any number of members. */
export function jsonbObject(members: readonly (readonly [name: string, value: Sql])[]): Sql {
  const parts: Sql[] = []
  for (let from = 0; from === 0 || from < members.length; from += MOST_MEMBERS) {
    const some = members.slice(from, from + MOST_MEMBERS)
    parts.push(sql`jsonb_build_object(${join(some.map(([name, value]) => sql`${literal(name)}, ${value}`))})`)
  }
  return parts.length === 1 ? join(parts) : sql`(${join(parts, ' || ')})`
}

export const TRUE: Sql = raw('TRUE')
export const FALSE: Sql = raw('FALSE')

/** True if all are true; an empty list is true. */
export function and(parts: readonly Sql[]): Sql {
  const kept = parts.filter((p) => p !== TRUE)
  if (kept.includes(FALSE)) return FALSE
  if (kept.length === 0) return TRUE
  return kept.length === 1 ? present(kept[0]) : sql`(${join(kept, ' AND ')})`
}

/** True if any is true; an empty list is false. */
export function or(parts: readonly Sql[]): Sql {
  const kept = parts.filter((p) => p !== FALSE)
  if (kept.includes(TRUE)) return TRUE
  if (kept.length === 0) return FALSE
  return kept.length === 1 ? present(kept[0]) : sql`(${join(kept, ' OR ')})`
}

/** Whether a condition reads other rows than its own. */
export function readsRows({ texts, values }: Sql): boolean {
  const has = (word: string) => texts.some((text) => text.includes(word))
  return (has('SELECT ') && has(' FROM ')) || values.some((value) => value instanceof Sql && readsRows(value))
}

/**
 * Conditions on the row itself before those that read other rows: PostgreSQL evaluates OR and AND from left
 * to right, and most rows are decided by the former.
 */
export function cheapFirst(parts: readonly Sql[]): readonly Sql[] {
  if (parts.length < 2) return parts
  const costly = parts.filter(readsRows)
  return costly.length === 0 || costly.length === parts.length
    ? parts
    : [...parts.filter((part) => !costly.includes(part)), ...costly]
}

/** The complement, for conditions that are never NULL. */
export function not(part: Sql): Sql {
  if (part === TRUE) return FALSE
  if (part === FALSE) return TRUE
  return sql`NOT (${part})`
}

import { present } from '../kit/present.ts'
