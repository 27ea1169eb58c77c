// Text inside of HTML: the tag `html`, which escapes what it is given.

/** Text safe inside of HTML, between tags and in quoted attributes. */
function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)
}

/** A piece of HTML, made by `html`, `raw` and `joined` alone: no text and no object of a caller's is one. */
export class Html {
  readonly #text: string
  private constructor(text: string) {
    this.#text = text
  }

  /** A trusted text that is HTML already. It must not contain anything from a caller, a record or a file. */
  static raw(text: string): Html {
    return new Html(text)
  }

  toString(): string {
    return this.#text
  }

  /** Whether it was created by this module: checks the private field. */
  static is(value: unknown): value is Html {
    return typeof value === 'object' && value !== null && #text in value
  }
}

/**
 * Values that `html` accepts: texts and numbers, which it escapes; pieces; lists of all these; and nothing.
 */
export type HtmlValue = string | number | Html | false | null | undefined | readonly HtmlValue[]

/**
 * HTML with values in it: texts are escaped, between tags and in quoted attributes alike; pieces of `html`
 * are left unchanged; lists are joined; false, null and undefined are nothing. Throws TypeError for anything
 * else.
 */
export function html(strings: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  return Html.raw(strings.map((text, i) => (i === 0 ? text : pieceOf(values[i - 1]) + text)).join(''))
}

/** Our own text that is HTML already. */
export const raw = Html.raw

/** Values in a row, with a trusted text between them. */
export const joined = (values: readonly HtmlValue[], between: ', ' | '\n'): Html =>
  Html.raw(values.map(pieceOf).join(between))

function pieceOf(value: unknown): string {
  if (Html.is(value)) return value.toString()
  if (Array.isArray(value)) return value.map(pieceOf).join('')
  if (typeof value === 'string') return escapeHtml(value)
  if (typeof value === 'number') return String(value)
  if (value === false || value === null || value === undefined) return ''
  throw new TypeError(`HTML cannot hold ${typeof value === 'object' ? 'an object' : String(value)}`)
}

/** A value as JSON on one line that no element and no comment of HTML can be ended by. */
export function embeddedJson(value: unknown): Html {
  return Html.raw(
    JSON.stringify(value).replace(
      /[<>\u2028\u2029]/g,
      (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
    ),
  )
}
