// The session of a call: its transaction, identity map, limits, and pending work.
import { Crowded, type Growth, isRetryable, type Pool } from '../../postgres/index.ts'
import type { Sql, Statement } from '../../sql/index.ts'
import { ChangeLog } from '../changes/log.ts'
import type { Claim } from '../language/deferred.ts'
import type { FieldDef, ModelDef, Registry } from '../language/definitions.ts'
import type { AuditRow, FileStore, Guard, ModuleChange } from '../language/outside.ts'
import { NO_PREFERENCES, type Preferences } from '../language/preferences.ts'
import type { Rights } from '../language/rights.ts'
import type { Row, Unit } from '../language/unit.ts'
import { ValueCache } from './cache.ts'
import { isIds, Turns } from './contention-locks.ts'
import { LargePlace, ShownSoFar } from './large.ts'
import { postLast } from './last-post.ts'
import type { UnitOptions } from './options.ts'
import { forgetAnswers } from './reads.ts'
import { withinSavepoint } from './savepoint.ts'
import { Transaction } from './transaction.ts'

export class UnitOfWork extends Transaction implements Unit {
  /** All definitions; others once models were made or dropped (`renew`). */
  registry: Registry
  readonly rights: Rights
  readonly slots: unknown[] = []
  /**
   * Stored computed fields that wait for recomputation: field → ids. Emptied by `flush`
   * (models/compute).
   */
  readonly pending = new Map<FieldDef, Set<number>>()
  /**
   * Computed fields with explicit values in the write under way: field → ids. Its other values leave
   * them.
   */
  readonly explicitIds = new Map<FieldDef, ReadonlySet<number>>()
  /** Fields that are being computed right now. */
  readonly computing = new Set<FieldDef>()
  /** Installation, upgrade or removal of modules once the call is committed. */
  moduleChange: ModuleChange | null = null
  /** Run once the transaction is committed, in order. */
  readonly afterCommit: (() => void | Promise<void>)[] = []
  /** Run before COMMIT, in order: rows that must commit with the effect (design "One call" 5). */
  readonly beforeCommit: (() => Promise<void>)[] = []
  /** The row of an idempotent call; it leaves with COMMIT. */
  claim: Claim | null = null
  /** Milliseconds spent waiting for PostgreSQL, where the call is timed. */
  waited = 0
  readonly tell: ((row: AuditRow) => void) | null
  readonly files: FileStore | null
  /** Null where changes are not recorded. */
  readonly changes: ChangeLog | null
  #takesLong: boolean
  #takesText: boolean
  #preferences = NO_PREFERENCES
  readonly #turns: Turns | null
  readonly #growth: Growth
  /** Whether changes left with COMMIT. */
  #told = false
  /** Created on demand: most calls do without. */
  #cache: ValueCache | undefined
  #shown: ShownSoFar | undefined
  #judged: Map<string, Set<number>> | undefined

  constructor(pool: Pool, registry: Registry, rights: Rights, options: UnitOptions) {
    super(pool, options)
    this.registry = registry
    this.#growth = pool.growth
    this.rights = rights
    this.tell = options.tell ?? null
    this.files = options.files ?? null
    const { changed, noted, readonly } = options
    this.changes = (changed || noted) && !readonly ? new ChangeLog(changed != null) : null
    this.#takesLong = options.takesLong ?? false
    this.#takesText = options.sole ?? false
    this.#turns = options.turns && !options.readonly ? new Turns(options.turns) : null
  }

  override run<R extends Row = Row>(statement: Statement, last = false): Promise<readonly R[]> {
    if (!this.options.timed) return super.run<R>(statement, last)
    return this.#waiting(() => super.run<R>(statement, last))
  }

  override back(statements: readonly Statement[], why: unknown): Promise<void> {
    return this.#waiting(() => super.back(statements, why))
  }

  #waiting<T>(work: () => Promise<T>): Promise<T> {
    const since = performance.now()
    return work().finally(() => {
      this.waited += performance.now() - since
    })
  }

  get guard(): Guard | null {
    return this.options.guard?.() ?? null
  }

  get cache(): ValueCache {
    this.#cache ??= new ValueCache()
    return this.#cache
  }

  get isUntouched(): boolean {
    const waits = this.pending.size + this.explicitIds.size + this.computing.size
    return waits === 0 && !this.#judged?.size && (this.#cache?.isOfMadeAlone ?? true)
  }

  written(model: ModelDef, fields: readonly FieldDef[], ids: readonly number[]): void {
    this.#cache?.written(model, fields, ids)
  }

  get shown(): ShownSoFar {
    this.#shown ??= new ShownSoFar(new LargePlace(this, this.options.holder))
    return this.#shown
  }

  /** Whether the call's own method may give a `LongAnswer`: true at most once. */
  takesLong(): boolean {
    const taken = this.#takesLong
    this.#takesLong = false
    return taken
  }

  /** Whether the call's own method may give text for objects, as `takesLong` says it. */
  takesText(): boolean {
    const taken = this.#takesText
    this.#takesText = false
    return taken
  }

  keepPreferences(preferences: Preferences): void {
    this.#preferences = preferences
  }

  takePreferences(): Preferences {
    const preferences = this.#preferences
    this.#preferences = NO_PREFERENCES
    return preferences
  }

  /** Goes on with other models: some were made or dropped, and nothing of before is waiting. */
  renew(registry: Registry): void {
    this.registry = registry
    this.#cache?.clear()
    this.#judged?.clear()
  }

  /**
   * Records whose rules were found to let a user do an operation in this unit; emptied by every write to the
   * model.
   */
  judged(
    env: { readonly uid: number; readonly companyIds: readonly number[] },
    model: ModelDef,
    operation: string,
  ): Set<number> {
    const key = `${model.name}/${operation}/${env.uid}/${env.companyIds.join()}`
    this.#judged ??= new Map()
    const seen = this.#judged.get(key) ?? new Set()
    this.#judged.set(key, seen)
    return seen
  }

  /** Forgets what was judged: something was written. */
  rejudge(): void {
    this.#judged?.clear()
  }

  /**
   * Locks contended resources before the call reads them; ids, or a query of them. Throws Crowded where
   * other calls have them: the call is repeated after those.
   */
  async takeTurns(kind: string, about: readonly number[] | Sql): Promise<void> {
    const turns = this.#turns
    if (!turns) return
    if (isIds(about)) {
      const missing = turns.missing(kind, about)
      turns.note(kind, missing)
      // The next flush fails where other calls have them.
      if (missing.length && turns.isWorthwhile)
        this.check(turns.taken(kind, missing), () => new Crowded(turns.concerned))
      return
    }
    try {
      await turns.take(kind, about, (statement) => this.run(statement))
    } catch (error) {
      // Parallel branches of the call must not go on.
      throw this.noted(error)
    }
  }

  /** Names resources without locking them: after a conflict the call is repeated with their locks. */
  noteTurns(kind: string, ids: readonly number[]): void {
    this.#turns?.note(kind, ids)
  }

  /**
   * The error of a transaction that lost a conflict: it is repeated with locks, where it named
   * resources.
   */
  inTurn(error: unknown): unknown {
    const about = this.#turns?.concerned ?? []
    return about.length && isRetryable(error) && !(error instanceof Crowded)
      ? new Crowded(about, { cause: error })
      : error
  }

  /**
   * Commits and releases the connection. Throws the first failure of posted statements.
   */
  async commit(): Promise<void> {
    try {
      for (const hook of this.beforeCommit) await hook()
      if (this.options.follows && this.options.readonly && !this.isIdle) return this.#endUnheard()
      if (!this.isIdle || this.claim)
        await this.end(() => {
          this.#told = postLast(this)
        })
    } catch (error) {
      throw await this.abandon(error)
    }
    this.release()
    for (const [table, rows] of this.grown) this.#growth.note(table, rows)
    for (const hook of this.afterCommit) await hook()
    if (this.#told) this.options.changed?.()
  }

  /** Ends a session without work to commit and without hooks; false for any other. */
  endAtOnce(): boolean {
    const waits = this.beforeCommit.length + this.afterCommit.length
    if (waits || this.claim || !this.isIdle) return false
    this.release()
    return true
  }

  protected override release(): void {
    super.release()
    this.#shown?.leave()
  }

  /** Ends the transaction of a reader of the feed, which has its rows: its end is not awaited. */
  #endUnheard(): void {
    void this.end(() => undefined).then(
      () => this.release(),
      () => this.rollback(),
    )
  }

  /**
   * As `commit`, with ROLLBACK in the place of COMMIT: hooks before COMMIT run, and deferred constraints
   * are checked. Throws what `commit` would throw.
   */
  async rehearse(): Promise<void> {
    try {
      for (const hook of this.beforeCommit) await hook()
      if (!this.isIdle) await this.endInVain()
    } catch (error) {
      throw await this.abandon(error)
    }
    this.release()
  }

  /** Runs `work` so that a failure inside leaves no trace of it but lets the call go on. */
  async savepoint<T>(work: () => Promise<T>, keep: (result: T) => boolean = () => true): Promise<T> {
    const restore = this.#mark()
    this.within++
    try {
      return await withinSavepoint(this, restore, work, keep)
    } finally {
      this.within--
    }
  }

  /** Saves the state of the session; returns a function that restores it. */
  #mark(): () => void {
    // Pending fields of now have their old values again when the work is undone, and wait again.
    const waiting = [...this.pending].map(([field, ids]) => [field, new Set(ids)] as const)
    const hooks = [this.beforeCommit, this.afterCommit, this.grown].map(
      (list) => [list, list.length] as const,
    )
    // Work that is undone and repeated in smaller parts counts once.
    const spent = new Map(this.spent)
    const noted = this.changes?.length ?? 0
    return () => {
      this.spent = spent
      this.changes?.back(noted)
      this.cache.clear()
      this.#turns?.forgetAsked()
      forgetAnswers(this)
      this.rejudge()
      this.pending.clear()
      for (const [field, ids] of waiting) this.pending.set(field, ids)
      for (const [list, length] of hooks) list.length = length
    }
  }
}
