// A printed document as plain data: modules describe its contents, and pages and web pages are made of that
// (docs/guides/printing.md).
import type { PrintLook } from './look.ts'

/** A column of a table; widths are shares of the page's width. */
export interface PrintColumn {
  readonly label: string
  readonly width: number
  readonly align?: 'left' | 'right'
}

/** A row: values of the columns, or one text over all of them. */
export type PrintRow =
  | { readonly kind: 'values'; readonly cells: readonly string[] }
  | { readonly kind: 'section' | 'note'; readonly text: string }
  | { readonly kind: 'subtotal'; readonly label: string; readonly value: string }

/** A block of a printed document's contents. */
export type PrintBlock =
  /** Addresses next to each other, each with a heading. */
  | {
      readonly kind: 'addresses'
      readonly of: readonly { readonly label: string; readonly lines: readonly string[] }[]
    }
  | { readonly kind: 'heading'; readonly text: string }
  /** Names and values: numbers, dates. */
  | { readonly kind: 'facts'; readonly facts: readonly (readonly [name: string, value: string])[] }
  | { readonly kind: 'table'; readonly columns: readonly PrintColumn[]; readonly rows: readonly PrintRow[] }
  /** Sums at the right side; strong ones are set off. */
  | {
      readonly kind: 'totals'
      readonly rows: readonly { readonly label: string; readonly value: string; readonly strong?: boolean }[]
    }
  | { readonly kind: 'text'; readonly text: string }

/** One document; several follow each other, each on a new page. */
export interface PrintDocument {
  /** The record that it is about. */
  readonly id: number
  /** Name of the file, without its ending. */
  readonly name: string
  /** Stands in the head of every page after the first. */
  readonly title: string
  /** As HTML names languages: `fr-CA`. */
  readonly lang: string
  readonly paper: 'A4' | 'LETTER'
  /** PNG or JPEG in base64; other kinds are left out. */
  readonly logo: string | null
  /** Colours, font and layout; those of the printer where absent. */
  readonly look?: PrintLook
  /** The sender, next to the logo. */
  readonly sender: readonly string[]
  readonly blocks: readonly PrintBlock[]
  /** At the foot of every page. */
  readonly footer: readonly string[]
  /** The word for "page" before its number. */
  readonly page: string
  /** The printed document does not change any more: a copy may be kept. */
  readonly final: boolean
  /**
   * Names the issued document: the first file that is made of it is sent from then on, even if the records
   * change.
   */
  readonly issue?: string
}

/** Characters that count as one more row: what takes a page to set is not one line. */
const LONG = 500

/** Number of rows of all documents; long texts count as the rows that they take, in any place. */
export const rowsIn = (documents: readonly PrintDocument[]): number =>
  documents.reduce(
    (sum, { name, title, sender, blocks, footer }) =>
      sum +
      moreOf([name, title, ...sender, ...footer]) +
      blocks.reduce((rows, block) => rows + rowsOf(block), 0),
    0,
  )

function rowsOf(block: PrintBlock): number {
  switch (block.kind) {
    case 'table':
      return block.rows.reduce((sum, row) => sum + weightOf(textsOf(row)), 0)
    case 'totals':
      return block.rows.length
    case 'addresses':
      return weightOf(block.of.flatMap(({ lines }) => lines))
    case 'facts':
      return weightOf(block.facts.flat())
    default:
      return weightOf([block.text])
  }
}

const weightOf = (texts: readonly string[]) => 1 + moreOf(texts)

/** Rows that long texts take beyond one. */
const moreOf = (texts: readonly string[]) =>
  texts.reduce(
    (sum, text) => sum + Math.floor(text.length / LONG) + (text.length > LONG ? text.split('\n').length : 0),
    0,
  )

function textsOf(row: PrintRow): readonly string[] {
  if (row.kind === 'values') return row.cells
  return row.kind === 'subtotal' ? [row.label, row.value] : [row.text]
}

/** The kind of a picture by its first bytes, as far as documents can show it. */
export function pictureKind(base64: string): 'png' | 'jpeg' | null {
  if (base64.startsWith('iVBORw0KGgo')) return 'png'
  return base64.startsWith('/9j/') ? 'jpeg' : null
}

/** Longer than what a page holds: the rest would be cut anyway, once it was measured. */
const PAGE = 8000
/** Words longer than any line, which are broken letter by letter. */
const ENDLESS = /[\x21-\x7e]{100}(?=[\x21-\x7e])/g

/** A text as it can be set in time that grows with its length. */
export const settable = (text: string): string =>
  (text.length > PAGE ? `${text.slice(0, PAGE)}…` : text).replaceAll(ENDLESS, '$& ')
