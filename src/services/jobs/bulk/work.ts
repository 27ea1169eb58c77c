// Parameters of a job of many rows.
export interface BulkWork {
  readonly kind: 'bulk'
  readonly model: string
  /** As `upsert` takes it. */
  readonly key: unknown
  readonly onError: string
  /** All rows in one transaction. */
  readonly atomic: boolean
  /** Rows hold texts, as imports do, and not values. */
  readonly cells: boolean
}

/** Media type of results of such jobs. */
export const RESULT_TYPE = 'application/x-ndjson; charset=utf-8'
