// What a reader asks for by specification, and how rows are read by one.
import type { ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import type { Typed } from '../language/wishes.ts'
import type { WireRow } from './rendered.ts'

/** Field → {}; for relations `fields`, `order`, `limit`, `context`. */
export type Specification = Readonly<Record<string, unknown>>
export type SpecifiedRow = WireRow

/** What a specification asks of the records behind a field. */
export interface Below {
  readonly fields?: Specification
  readonly order?: string
  readonly limit?: number
  readonly context: Readonly<Record<string, unknown>>
}

/** Rows of the specified fields in the order of `ids` (specification.ts). */
export type ReadSpecified = (
  env: Environment,
  model: ModelDef,
  ids: readonly number[],
  specification: Specification,
  typed?: Typed | null,
) => Promise<SpecifiedRow[]>
