// Types of the change feed: the models and events to follow, and the changes that come back.

/** The models and events to follow, and the cursor to start from. */
export interface ChangesQuestion {
  readonly models?: Readonly<
    Record<string, { readonly fields?: readonly string[]; readonly domain?: readonly unknown[] }>
  >
  /** Declared events, such as `sale.order.confirmed`. */
  readonly events?: readonly string[]
  /** Records a page, 500 by default, 5,000 at most. */
  readonly limit?: number
  /** True: one entry per changed record, with its current values. False: every change, without values. */
  readonly compact?: boolean
  /** The `cursor` of the previous page. */
  readonly cursor?: string
  /** Without what is there already. */
  readonly from?: 'now'
  readonly context?: Readonly<Record<string, unknown>>
}

/** A change of one record. */
export interface Change {
  readonly model: string
  readonly id: number
  readonly op: 'upsert' | 'remove' | 'event'
  readonly event?: string
  readonly seq?: string
  readonly fields?: readonly string[]
  readonly values?: Readonly<Record<string, unknown>>
}

/** Changes, and where to go on. */
export interface ChangesPage {
  readonly changes: readonly Change[]
  readonly cursor: string
  readonly more: boolean
}
