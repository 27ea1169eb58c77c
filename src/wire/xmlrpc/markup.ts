// Incremental XML parser for untrusted input: tags and text only. Comments and instructions are skipped
// without being kept; document types, custom entities and tags of many kilobytes are refused, so that no
// document makes this slow or large.

import { BadRequest } from '../../errors.ts'
import { present } from '../../kit/present.ts'

/** Receives the content of a document, in order. */
export interface Listener {
  open(name: string): void
  close(): void
  /** A part of a text: references and ends of lines are what they stand for. */
  text(part: string): void
  /** Called for markup without content, such as a comment, so that its cost can be counted. */
  aside(): void
}

/**
 * Most characters that are kept of an incomplete end of a part: no tag of a call is nearly as long.
 */
const MOST_HELD = 4096
/** The longest reference is `&#x10FFFF;`. */
const LONGEST_REFERENCE = 10

const NAME = '[A-Za-z_:][\\w:.-]*'
const ATTRIBUTE = `\\s+${NAME}\\s*=\\s*(?:"[^<"]*"|'[^<']*')`
const OPEN_TAG = new RegExp(`^<(${NAME})((?:${ATTRIBUTE})*)\\s*(/?)>$`)
const CLOSE_TAG = new RegExp(`^</(${NAME})\\s*>$`)
/** Instructions are let pass, whatever script their names are in (XML 1.0, NameStartChar and NameChar). */
const STARTS =
  ':A-Z_a-z\\u{C0}-\\u{D6}\\u{D8}-\\u{F6}\\u{F8}-\\u{2FF}\\u{370}-\\u{37D}\\u{37F}-\\u{1FFF}\\u{200C}\\u{200D}\\u{2070}-\\u{218F}' +
  '\\u{2C00}-\\u{2FEF}\\u{3001}-\\u{D7FF}\\u{F900}-\\u{FDCF}\\u{FDF0}-\\u{FFFD}\\u{10000}-\\u{EFFFF}'
const TARGET = new RegExp(
  `^<\\?([${STARTS}][${STARTS}\\-.0-9\\u{B7}\\u{300}-\\u{36F}\\u{203F}\\u{2040}]*)[\\s?]`,
  'u',
)
const DECLARATION =
  /^<\?xml\s+version\s*=\s*(?:"1\.\d"|'1\.\d')(?:\s+encoding\s*=\s*(?:"[\w.:-]+"|'[\w.:-]+'))?(?:\s+standalone\s*=\s*(?:"(?:yes|no)"|'(?:yes|no)'))?\s*\?>/
const REFERENCE = /&(?:#(\d{1,7});|#x([\da-fA-F]{1,6});|(lt|gt|amp|quot|apos);)?/g
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that XML cannot hold.
const FORBIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/
const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }

/** Closing marks of skipped markup. */
const ends = { comment: '--', instruction: '?>', cdata: ']]>' } as const

/** The parser: `write` takes a document in parts, however it is divided; `end` checks that it is whole. */
export class Markup {
  readonly #listener: Listener
  readonly #open: string[] = []
  #inside: keyof typeof ends | 'text' = 'text'
  #rest = ''
  #isBegun = false
  #hasRoot = false

  constructor(listener: Listener) {
    this.#listener = listener
  }

  /** Reads the next part. Throws BadRequest for what is not XML, and for XML that no call needs. */
  write(part: string): void {
    const text = `${this.#rest}${part}`
    this.#rest = ''
    let at = 0
    while (at < text.length) {
      const next = this.#step(text, at)
      if (next === at) {
        if (text.length - at > MOST_HELD) refuse('a tag is longer than any tag of a call')
        this.#rest = text.slice(at)
        return
      }
      at = next
      this.#isBegun = true
    }
  }

  /** The end of the document. Throws BadRequest where something is missing. */
  end(): void {
    if (this.#open.length > 0 || !this.#hasRoot || this.#inside !== 'text' || this.#rest.trim() !== '')
      refuse('its end is missing')
  }

  /** Reads what stands at a place; gives where it ends, or the same place where it is incomplete. */
  #step(text: string, at: number): number {
    if (this.#inside === 'cdata') return this.#cdata(text, at)
    if (this.#inside !== 'text') return this.#pass(text, at, ends[this.#inside])
    return text[at] === '<' ? this.#markup(text, at) : this.#characters(text, at)
  }

  #characters(text: string, at: number): number {
    const tag = text.indexOf('<', at)
    const to = tag < 0 ? wholeText(text, at) : tag
    if (to > at) this.#say(referred(lines(text.slice(at, to))))
    return to
  }

  #say(part: string): void {
    if (this.#open.length > 0) this.#listener.text(part)
    else if (part.trim() !== '') refuse('text stands outside of the call')
  }

  #markup(text: string, at: number): number {
    switch (text[at + 1]) {
      case undefined:
        return at
      case '!':
        return this.#declaration(text, at)
      case '?':
        return this.#instruction(text, at)
    }
    // An attribute value may contain `>`. That breaks no call, because calls have no attributes.
    const end = text.indexOf('>', at)
    if (end < 0) return at
    if (end - at > MOST_HELD) refuse('a tag is longer than any tag of a call')
    const tag = text.slice(at, end + 1)
    if (tag[1] === '/') this.#close(tag)
    else this.#begin(tag)
    return end + 1
  }

  #begin(tag: string): void {
    const [, name, attributes = '', isEmpty] = OPEN_TAG.exec(tag) ?? []
    if (name === undefined) refuse('a tag is broken')
    if (attributes !== '') assertAttributes(attributes)
    if (this.#hasRoot && this.#open.length === 0) refuse('it has two ends')
    this.#hasRoot = true
    this.#listener.open(name)
    if (isEmpty) this.#listener.close()
    else this.#open.push(name)
  }

  #close(tag: string): void {
    const name = CLOSE_TAG.exec(tag)?.[1]
    if (name === undefined || this.#open.pop() !== name) refuse('a tag is closed that was not open')
    this.#listener.close()
  }

  #declaration(text: string, at: number): number {
    const begin = text.slice(at, at + 9)
    if (begin.startsWith('<!--')) return this.#enter('comment', at + 4)
    if (begin === '<![CDATA[' && this.#open.length > 0) return this.#enter('cdata', at + 9)
    if ('<!--'.startsWith(begin) || '<![CDATA['.startsWith(begin))
      return begin.length < 9 ? at : refuse('text stands outside of the call')
    return refuse('a document type declaration has no place in a call')
  }

  #instruction(text: string, at: number): number {
    const begin = text.slice(at, at + 200)
    const target = TARGET.exec(begin)?.[1]
    if (target === undefined) return begin.length < 200 ? at : refuse('an instruction is broken')
    if (target.toLowerCase() !== 'xml') return this.#enter('instruction', at + 2 + target.length)
    const declared = this.#isBegun ? undefined : DECLARATION.exec(begin)?.[0].length
    if (declared !== undefined) return at + declared
    return !this.#isBegun && begin.length < 200 && !begin.includes('>')
      ? at
      : refuse('the XML declaration is broken')
  }

  #enter(inside: keyof typeof ends, at: number): number {
    this.#inside = inside
    this.#listener.aside()
    return at
  }

  /** Skips content that no listener receives. */
  #pass(text: string, at: number, end: string): number {
    const endAt = text.indexOf(end, at)
    // Its first sign may be the last one here.
    const to = endAt >= 0 ? endAt : text.endsWith(end.slice(0, 1)) ? text.length - 1 : text.length
    if (FORBIDDEN.test(text.slice(at, to))) refuse('it holds a character that XML cannot hold')
    if (endAt < 0) return to
    if (end === '--' && text[endAt + 2] === undefined) return endAt
    if (end === '--' && text[endAt + 2] !== '>') refuse('a comment holds two dashes')
    this.#inside = 'text'
    return endAt + (end === '--' ? 3 : 2)
  }

  #cdata(text: string, at: number): number {
    const endAt = text.indexOf(ends.cdata, at)
    const to = endAt >= 0 ? endAt : beforeSigns(text, at)
    if (to > at) this.#say(lines(text.slice(at, to)))
    if (endAt < 0) return to
    this.#inside = 'text'
    return endAt + 3
  }
}

/**
 * Where a text that goes on in the next part can be cut: not in a reference, not in an end of line, not in
 * `]]>`.
 */
function wholeText(text: string, at: number): number {
  const reference = text.lastIndexOf('&')
  if (reference >= at && text.length - reference < LONGEST_REFERENCE && !text.includes(';', reference))
    return reference
  return beforeSigns(text, at)
}

/** Where a text ends without the signs, two at most, that the next part may give another meaning. */
function beforeSigns(text: string, at: number): number {
  let to = text.length
  while (to > at && text.length - to < 2 && (text[to - 1] === ']' || text[to - 1] === '\r')) to--
  return to
}

/**
 * A text with one kind of line end (XML 1.0, section 2.11). Throws BadRequest for characters that XML cannot
 * hold.
 */
function lines(text: string): string {
  if (FORBIDDEN.test(text)) refuse('it holds a character that XML cannot hold')
  return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text
}

/** A text with what its references stand for. Throws BadRequest for those that stand for nothing here. */
function referred(text: string): string {
  if (text.includes(']]>')) refuse('text holds ]]>')
  if (!text.includes('&')) return text
  return text.replace(REFERENCE, (_whole, decimal?: string, hex?: string, name?: string) => {
    if (name !== undefined) return present(entities[name])
    if (decimal === undefined && hex === undefined) return refuse('it refers to an entity that is not known')
    return character(decimal === undefined ? Number.parseInt(present(hex), 16) : Number(decimal))
  })
}

function character(code: number): string {
  const isPossible = code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff)
  const text = isPossible ? String.fromCodePoint(code) : '\0'
  return FORBIDDEN.test(text) ? refuse('it refers to a character that XML cannot hold') : text
}

/** Attributes mean nothing in a call, but must be some. */
function assertAttributes(attributes: string): void {
  referred(attributes.replaceAll(']]>', ''))
  const names = [...attributes.matchAll(new RegExp(`(${NAME})\\s*=\\s*(?:"[^"]*"|'[^']*')`, 'g'))].map(
    ([, name]) => name,
  )
  if (new Set(names).size < names.length) refuse('a tag has an attribute twice')
}

/** Says why bytes are no call. */
export function refuse(reason: string): never {
  throw new BadRequest(`The request body is not an XML-RPC call: ${reason}`)
}
