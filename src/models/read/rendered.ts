// Answers that PostgreSQL rendered: they are passed on as they came.
import type { FieldDef, ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import type { SearchOptions } from '../language/records.ts'
import type { Tree } from '../language/tree.ts'
import type { Form } from './selection.ts'

export type WireRow = { id: number } & Record<string, unknown>

/** JSON text made by PostgreSQL, passed on as it is. */
export class Rendered {
  readonly json: string
  constructor(json: string) {
    this.json = json
  }
}

export class Listed extends Rendered {
  readonly count: number
  constructor(json: string, count: number) {
    super(json)
    this.count = count
  }
}

/** An answer with a tag of its content; `isKnown`: the client has that content already, and gets no text. */
export class Tagged extends Rendered {
  readonly tag: string
  readonly isKnown: boolean
  constructor(json: string, tag: string, isKnown = false) {
    super(json)
    this.tag = tag
    this.isKnown = isKnown
  }
}

/** The text that PostgreSQL puts between the rows of a list; no text inside a row has a raw line break. */
export const BETWEEN = ', \n '

const QUOTE = '"'.charCodeAt(0)
const BACKSLASH = '\\'.charCodeAt(0)

/** The JSON of each text, number or `null` in a list of these as PostgreSQL aggregates it. */
export function textsIn(list: string): string[] {
  const texts: string[] = []
  for (let at = 1; at < list.length - 1; ) {
    let end = at
    if (list.charCodeAt(at) === QUOTE) {
      do end = list.indexOf('"', end + 1)
      while (list.charCodeAt(end - 1) === BACKSLASH && isEscaped(list, end))
      end++
    } else {
      end = list.indexOf(',', at)
      if (end < 0) end = list.length - 1
    }
    if (end <= at) throw new Error('A list without an end.')
    texts.push(list.slice(at, end))
    at = end + ', '.length
  }
  return texts
}

/** Whether a quote belongs to its text: it follows an odd number of backslashes. */
function isEscaped(list: string, quote: number): boolean {
  let before = quote
  while (list.charCodeAt(before - 1) === BACKSLASH) before--
  return (quote - before) % 2 === 1
}

/** The texts of an array's elements, each as it stands in the JSON. */
export function elementsOf(json: string): string[] {
  const elements: string[] = []
  let [depth, from] = [0, 0]
  for (const { 0: mark, index } of json.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{},]/g)) {
    if (mark === '[' || mark === '{') depth++
    else if (mark === ']' || mark === '}') depth--
    if (depth === 1 && index > 0 && mark === ',') elements.push(json.slice(from, index).trim())
    else if (depth === 0 && json.slice(from, index).trim()) elements.push(json.slice(from, index).trim())
    if ((depth === 1 && (mark === ',' || index === 0)) || depth === 0) from = index + 1
  }
  return elements
}

// Parsed searches: which records, what is read of them, and whether all of them are counted.

/** Which records: a domain as it came and as a tree, and a window. */
export interface Question {
  readonly model: ModelDef
  readonly domain: unknown
  readonly tree: Tree
  readonly options: SearchOptions
}

export interface Reading {
  readonly fields: readonly FieldDef[]
  readonly form: Form
  /** Whether the text is written as `JSON.stringify` does, which is the text of answers made of objects. */
  readonly tight?: boolean
}

/** When the records of a domain are counted: if the page is full, or always; up to a limit, or all. */
export interface Counting {
  readonly always: boolean
  readonly limit: unknown
}

interface CountedReading extends Reading {
  readonly counting: Counting
}

/** A search in `env` whose rows are read in `lines`, which may hide archived lines where `env` does not. */
export interface RowSearch {
  readonly env: Environment
  readonly lines: Environment
  readonly question: Question
  readonly reading: Reading & Partial<CountedReading>
}

export interface PageSearch extends RowSearch {
  readonly reading: CountedReading
}

/** A page: its rows, how many records there are in all if they were counted, and relations left as ids. */
export interface SearchedPage {
  readonly rows: WireRow[] | Listed
  readonly total: number | null
  readonly bare: readonly FieldDef[]
}
