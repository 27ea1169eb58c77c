// What a client's call may make use of at most, and what it did so far.
import { beyond, type LimitName, limits } from '../../limits.ts'
import type { UnitOptions } from './options.ts'

/** The words of a unit for that; what it is bounded by is the transaction's. */
export abstract class Bounded {
  protected abstract readonly options: UnitOptions
  /** By limit; made when something is first spent: most calls spend nothing. */
  protected abstract spent: Map<LimitName, number> | undefined

  /** What a client's call may make use of; the server's own work has no bounds. */
  bound(name: LimitName): number {
    return this.options.bounded ? limits[name] : Number.MAX_SAFE_INTEGER
  }

  /**
   * Adds to what the call makes use of. Throws PayloadTooLarge where that is beyond the limit for a client's
   * call.
   */
  spend(name: LimitName, amount: number): void {
    this.foresee(name, amount)
    this.spent ??= new Map()
    this.spent.set(name, (this.spent.get(name) ?? 0) + amount)
  }

  /** As `spend`, of what will be spent later: for those who would have to take it all apart before. */
  foresee(name: LimitName, amount: number): void {
    if ((this.spent?.get(name) ?? 0) + amount > this.bound(name)) throw beyond(name)
  }
}
