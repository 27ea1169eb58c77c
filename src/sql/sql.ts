// SQL as values: fragments that nest, with parameters and identifiers kept apart from text until the end.

/** A piece of SQL: literal texts with values, nested fragments or raw text between them. */
export class Sql {
  readonly texts: readonly string[]
  readonly values: readonly unknown[]

  constructor(texts: readonly string[], values: readonly unknown[]) {
    this.texts = texts
    this.values = values
  }

  /** Numbered text and its values, ready for a prepared statement. */
  compile(): Statement {
    const out: Statement = { text: '', values: [] }
    render(this, out)
    return out
  }

  /** Readable form for logs and debuggers. */
  toString(): string {
    const { text, values } = this.compile()
    return values.length ? `${text}  -- ${JSON.stringify(values)}` : text
  }
}

/** What a driver is given. */
export interface Statement {
  text: string
  values: unknown[]
}

function render(fragment: Sql, out: Statement): void {
  const { texts, values } = fragment
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

/** Text that is SQL already. Never give it anything that came from outside. */
export function raw(text: string): Sql {
  return new Sql([text], [])
}

/** Identifiers come from contracts and are few; queries ask for the same ones all the time. */
const quoted = new Map<string, string>()

/** A quoted identifier. */
export function quote(name: string): string {
  const known = quoted.get(name)
  if (known) return known
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

export const TRUE: Sql = raw('TRUE')
export const FALSE: Sql = raw('FALSE')

/** All of them; nothing counts as true. */
export function and(parts: readonly Sql[]): Sql {
  const kept = parts.filter((p) => p !== TRUE)
  if (kept.includes(FALSE)) return FALSE
  if (kept.length === 0) return TRUE
  return kept.length === 1 ? (kept[0] as Sql) : sql`(${join(kept, ' AND ')})`
}

/** Any of them; nothing counts as false. */
export function or(parts: readonly Sql[]): Sql {
  const kept = parts.filter((p) => p !== FALSE)
  if (kept.includes(TRUE)) return TRUE
  if (kept.length === 0) return FALSE
  return kept.length === 1 ? (kept[0] as Sql) : sql`(${join(kept, ' OR ')})`
}

/** The complement, for conditions that are never NULL. */
export function not(part: Sql): Sql {
  if (part === TRUE) return FALSE
  if (part === FALSE) return TRUE
  return sql`NOT (${part})`
}
