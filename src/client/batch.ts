// Several calls in one request, and what comes back of them.

/** A call of a batch. */
export interface BatchCall {
  /** By which later calls refer to its result: `{ $ref: '/order/0' }`. */
  readonly id?: string
  readonly model: string
  readonly method: string
  /**
   * Parameters, `ids` and `context`; values may be references, `{ $literal: … }` stands for what only looks
   * like one.
   */
  readonly body?: Readonly<Record<string, unknown>>
  /** The version that its records must have. */
  readonly ifMatch?: string
}

/**
 * Outcome of a call of a batch. In a batch that is not atomic some calls may have failed, with the error in
 * `body`, or were not run.
 */
export interface BatchResult {
  readonly id?: string
  readonly status: number
  readonly code?: string
  readonly body?: unknown
}

/** The refusal of the call that made a batch fail, as JSON; any other text as it is. */
export function failedIn(text: string): string {
  if (!text.startsWith('{"failed":')) return text
  try {
    const { failed, results } = JSON.parse(text) as { failed: number; results: readonly BatchResult[] }
    return JSON.stringify(results[failed]?.body ?? null)
  } catch {
    return text
  }
}
