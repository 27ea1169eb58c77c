// A reader of the change feed that resumes after crashes: its changes must be ascending, without
// duplicates, and include every record.

type Post = (path: string, body: object) => Promise<unknown>

interface Page {
  readonly changes: readonly { readonly id: number; readonly seq: string }[]
  readonly cursor: string
  readonly more: boolean
}

export class Follower {
  #cursor: string | undefined
  readonly #seen: (readonly [seq: number, id: number])[] = []

  /** One page of what happened since the last one; whether there is more. */
  async read(post: Post): Promise<boolean> {
    const question = { models: { 'res.partner': { fields: [] } }, compact: false, limit: 37 }
    const place = this.#cursor ? { cursor: this.#cursor } : { from: 'now' }
    const { changes, cursor, more } = (await post('/x/1/changes', { ...question, ...place })) as Page
    this.#cursor = cursor
    this.#seen.push(...changes.map(({ id, seq }) => [Number(seq), id] as const))
    return more
  }

  /** Reads on as long as somebody answers. */
  async follow(post: Post): Promise<void> {
    try {
      for (;;) await this.read(post)
    } catch {
      // It was killed.
    }
  }

  /** Changes so far. */
  get count(): number {
    return this.#seen.length
  }

  /** Faults in the changes read so far, compared with the existing records; empty if there are none. */
  flaws(ids: readonly number[]): string[] {
    const receivedIds = new Set(this.#seen.map(([, id]) => id))
    const times = Map.groupBy(this.#seen, (change) => change.join())
    return [
      ...ids.flatMap((id) => (receivedIds.has(id) ? [] : [`${id} is missing`])),
      ...[...times].flatMap(([change, { length }]) =>
        length === 1 ? [] : [`${change} came ${length} times`],
      ),
      ...this.#seen.flatMap(([seq], n) =>
        seq < (this.#seen[n - 1]?.[0] ?? 0) ? [`${seq} came behind a later one`] : [],
      ),
    ]
  }
}
