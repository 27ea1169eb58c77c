// Parts of a session that most reads do without: the limits of its call, tables with new rows, records
// that rules allowed, and services of layers above.

import { beyond, type LimitName, limits } from '../../limits.ts'
import type { Ids, ModelDef } from '../language/definitions.ts'
import type { AuditRow, FileStore, Guard } from '../language/outside.ts'
import type { AuthorizedRecords, Insertions, Quota, Services } from '../language/unit.ts'
import type { UnitOptions } from './options.ts'

export class CallQuota implements Quota {
  readonly #isBounded: boolean
  /** By limit; created with the first use: most calls count nothing. */
  #spent: Map<LimitName, number> | undefined

  constructor(isBounded = false) {
    this.#isBounded = isBounded
  }

  bound(name: LimitName): number {
    return this.#isBounded ? limits[name] : Number.MAX_SAFE_INTEGER
  }

  charge(name: LimitName, amount: number): void {
    this.reserve(name, amount)
    this.#spent ??= new Map()
    this.#spent.set(name, (this.#spent.get(name) ?? 0) + amount)
  }

  reserve(name: LimitName, amount: number): void {
    if (this.#isBounded && (this.#spent?.get(name) ?? 0) + amount > limits[name]) throw beyond(name)
  }

  /** Returns a function that takes back what is spent from now on. */
  mark(): () => void {
    const spent = new Map(this.#spent)
    return () => {
      this.#spent = spent
    }
  }
}

export class InsertedRows implements Insertions {
  /** Tables and numbers of rows. PostgreSQL has to know how large a table is (postgres/growth.ts). */
  readonly list: (readonly [table: string, rows: number])[] = []

  note(table: string, rows: number): void {
    this.list.push([table, rows])
  }

  has(table: string): boolean {
    return this.list.some(([name]) => name === table)
  }
}

export class RecordsAllowed implements AuthorizedRecords {
  readonly #ids = new Map<string, Set<number>>()

  get isEmpty(): boolean {
    return this.#ids.size === 0
  }

  of(
    { uid, companyIds }: { readonly uid: number; readonly companyIds: Ids },
    model: ModelDef,
    operation: string,
  ): Set<number> {
    const key = `${model.name}/${operation}/${uid}/${companyIds.join()}`
    const ids = this.#ids.get(key) ?? new Set()
    this.#ids.set(key, ids)
    return ids
  }

  forget(): void {
    this.#ids.clear()
  }
}

export class CallServices implements Services {
  readonly onAudit: ((row: AuditRow) => void) | null
  readonly files: FileStore | null
  readonly #guard: (() => Guard) | undefined

  constructor({ tell, files, guard }: UnitOptions) {
    this.onAudit = tell ?? null
    this.files = files ?? null
    this.#guard = guard
  }

  get guard(): Guard | null {
    return this.#guard?.() ?? null
  }
}
