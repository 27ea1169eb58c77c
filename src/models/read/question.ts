// What is asked for: which records, what of them, and whether all that there are are counted.
import type { FieldDef, ModelDef } from '../language/definitions.ts'
import type { SearchOptions } from '../language/records.ts'
import type { Tree } from '../language/tree.ts'
import type { Asked } from '../row/plans.ts'
import type { Listed, WireRow } from './rendered.ts'
import type { Form } from './selection.ts'

/** Which records: a domain as it was given and as a tree, and a window. */
export interface Question {
  readonly model: ModelDef
  readonly domain: unknown
  readonly tree: Tree
  readonly options: SearchOptions
  /** As it will be known when it is asked again; null where it will not. */
  readonly asked?: Asked | null
}

/** What is read of them. */
export interface Reading {
  readonly fields: readonly FieldDef[]
  readonly form: Form
  /** Whether its text is to be as `JSON.stringify` writes it, which answers have whose rows were objects. */
  readonly tight?: boolean
}

/**
 * When the records that a domain finds are counted: behind a full page, or whatever the page holds; up to a
 * limit, or all.
 */
export interface Counting {
  readonly always: boolean
  readonly limit: unknown
}

/** What is read of a page's records, and how all that there are are counted. */
export interface CountedReading extends Reading {
  readonly counting: Counting
}

/** A page: its rows, how many records there are in all if they were counted, and relations left as ids. */
export interface SearchedPage {
  readonly rows: WireRow[] | Listed
  readonly total: number | null
  readonly bare: readonly FieldDef[]
}
