// Ids that PostgreSQL gives to new rows in the flush that commits them: the INSERT draws and returns them,
// and nothing is waited for before COMMIT (docs/decisions/0119).

/** The id of a row whose INSERT has been sent. As text, its place until the id is there (`toString`). */
export class DeferredId {
  /** Its place among the deferred ids of the transaction, from 1. */
  readonly #place: number
  #id: number | null = null

  constructor(place: number) {
    this.#place = place
  }

  /** Null until the INSERT is answered. */
  get id(): number | null {
    return this.#id
  }

  resolve(id: number): void {
    this.#id = id
  }

  /** The id, or what PostgreSQL's `format` puts it in the place of (changes/deferred.ts). */
  toString(): string {
    return this.#id === null ? `%${this.#place}$s` : String(this.#id)
  }

  toJSON(): string | number {
    return this.#id ?? this.toString()
  }
}

/** New records as a method's result: their ids are known once the call is committed. */
export class DeferredRecords {
  readonly ids: readonly DeferredId[]

  constructor(ids: readonly DeferredId[]) {
    this.ids = ids
  }
}

/** The id of a new record, which may be deferred. */
export type NewId = number | DeferredId
