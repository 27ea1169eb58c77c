// Ids that one transaction owes to several records: all of them are drawn by the check of its credential,
// and what leaves behind that in the same flush knows them by settings of the transaction. Until PostgreSQL
// has told them, a number stands for each (docs/decisions/0078).
import { OWED } from '../changes/owed.ts'
import type { Question } from '../language/alongside.ts'
import type { Drawing, Owing } from '../language/owed.ts'
import { refusal, STAKED } from './refusing.ts'

/** Ids of one table. */
interface Drawn {
  readonly drawing: Drawing
  readonly setting: string
  count: number
  readonly refused: Set<() => void>
}

/** Where an id is found. */
interface Place {
  readonly drawn: Drawn
  /** Its place among those of the table; the first is 1. */
  readonly n: number
}

export class Owes implements Owing {
  readonly #tables = new Map<string, Drawn>()
  readonly #places: Place[] = []
  #ids: ReadonlyMap<number, number> | null = null
  #hear: (idOf: (stand: number) => number) => void = () => undefined

  /** Whether there are some that nobody knows yet. */
  get isOpen(): boolean {
    return this.#places.length > 0 && this.#ids === null
  }

  /** `hear` is told of them when they are known, before anybody else is. */
  whenTold(hear: (idOf: (stand: number) => number) => void): void {
    this.#hear = hear
  }

  get count(): number {
    return this.#places.length
  }

  /** One more id of a table; `refused` hears where what was taken for granted of it does not hold. */
  owe(drawing: Drawing, refused: () => void) {
    const key = `${drawing.table} ${drawing.unless}`
    const drawn = this.#tables.get(key) ?? {
      drawing,
      setting: `comptoir.owed${this.#tables.size}`,
      count: 0,
      refused: new Set(),
    }
    this.#tables.set(key, drawn)
    drawn.refused.add(refused)
    const n = ++drawn.count
    this.#places.push({ drawn, n })
    return { stand: OWED - this.#places.length + 1, setting: drawn.setting, n }
  }

  /** Draws all of them, and fails where something that was taken for granted does not hold. */
  get question(): Question | undefined {
    if (!this.isOpen) return undefined
    const tables = [...this.#tables.values()]
    const columns = tables.map(({ drawing: { next, unless }, setting }, n) => {
      const ids = `ARRAY(SELECT ${next} FROM generate_series(1, $${n + 1}::int))::text`
      const checked = unless
        ? `(CASE WHEN ${unless} THEN ${refusal(STAKED).compile().text} ELSE ${ids} END)::int[]::text`
        : ids
      return `set_config('${setting}', ${checked}, true)`
    })
    return { column: `(${columns.join(' || ')})`, values: tables.map(({ count }) => count) }
  }

  /** Something that was taken for granted does not hold. */
  refused(): void {
    for (const { refused } of this.#tables.values()) for (const hear of refused) hear()
  }

  /** The answer to `question`: all ids, table by table. */
  told(answer: unknown): void {
    const ids = String(answer).match(/\d+/g)?.map(Number) ?? []
    const known = new Map<number, number>()
    for (const [stand, at] of this.#positions()) known.set(stand, ids[at - 1] ?? 0)
    this.#ids = known
    this.#hear((stand) => this.idOf(stand))
  }

  /** The id that a number stands for, once it is told; other numbers are what they are. */
  idOf(stand: number): number {
    return this.#ids?.get(stand) ?? stand
  }

  /** All ids as a list of texts, in SQL. */
  get list(): string {
    return [...this.#tables.values()]
      .map(({ setting }) => `current_setting('${setting}')::text[]`)
      .join(' || ')
  }

  /** What PostgreSQL's `format` makes of `list`: the place of the id, by the number that stands for it. */
  spelling(): (stand: number) => string | number {
    const spelt = new Map(this.#positions())
    return (stand) => (spelt.has(stand) ? `%${spelt.get(stand)}$s` : stand)
  }

  /** Settings with the ids of a model's table. */
  settingsOf(table: string): readonly string[] {
    return [...this.#tables.values()]
      .filter(({ drawing }) => drawing.table === table)
      .map(({ setting }) => setting)
  }

  /** Numbers that stand for ids, and where these are in `list`. */
  *#positions(): Iterable<readonly [stand: number, at: number]> {
    const before = new Map<Drawn, number>()
    let sum = 0
    for (const drawn of this.#tables.values()) {
      before.set(drawn, sum)
      sum += drawn.count
    }
    for (const [i, { drawn, n }] of this.#places.entries()) yield [OWED - i, (before.get(drawn) ?? 0) + n]
  }
}
