// Parsed searches: which records, what is read of them, and whether all of them are counted.
import type { FieldDef, ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import type { SearchOptions } from '../language/records.ts'
import type { Tree } from '../language/tree.ts'
import type { Listed, WireRow } from './rendered.ts'
import type { Form } from './selection.ts'

/** Which records: a domain as it came and as a tree, and a window. */
export interface Question {
  readonly model: ModelDef
  readonly domain: unknown
  readonly tree: Tree
  readonly options: SearchOptions
}

/** The fields that are read of the records, and their form. */
export interface Reading {
  readonly fields: readonly FieldDef[]
  readonly form: Form
  /** Whether the text is written as `JSON.stringify` does, which is the text of answers made of objects. */
  readonly tight?: boolean
}

/**
 * When the records of a domain are counted: if the page is full, or always; up to a limit, or all.
 */
export interface Counting {
  readonly always: boolean
  readonly limit: unknown
}

/** As `Reading`, with the way in which all records of the domain are counted. */
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
