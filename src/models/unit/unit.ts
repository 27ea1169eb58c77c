// The session of a call: its transaction, identity map, limits, and pending work.
import { Crowded, type Growth, isRetryable, isTwin, type Pool } from '../../postgres/index.ts'
import type { Sql } from '../../sql/index.ts'
import { ChangeLog } from '../changes/log.ts'
import type { FieldDef, Registry } from '../language/definitions.ts'
import { NO_PREFERENCES, type Preferences } from '../language/environment.ts'
import type { Rights } from '../language/rights.ts'
import type { AnswerForms, Ending, Recomputation, Services, Unit } from '../language/unit.ts'
import { ValueCache } from './cache.ts'
import { CallTurns } from './contention-locks.ts'
import { postLast } from './flushes.ts'
import { LargePlace, ShownSoFar } from './large.ts'
import type { UnitOptions } from './options.ts'
import { forgetAnswers } from './reads.ts'
import { withinSavepoint } from './savepoint.ts'
import { CallQuota, CallServices, InsertedRows, RecordsAllowed } from './session-parts.ts'
import { Transaction } from './transaction.ts'

export class UnitOfWork extends Transaction implements Unit {
  /** Replaced once models were created or dropped. */
  registry: Registry
  readonly rights: Rights
  readonly slots: unknown[] = []
  readonly recomputation: Recomputation = {
    pending: new Map<FieldDef, Set<number>>(),
    explicitIds: new Map<FieldDef, ReadonlySet<number>>(),
    computing: new Set<FieldDef>(),
  }
  /** Rows before COMMIT must commit with the effect (design "One call" 5). */
  readonly ending: Ending = { beforeCommit: [], afterCommit: [], claim: null, moduleChange: null }
  readonly answer: CallAnswerForms
  /** Null where changes are not recorded. */
  readonly changes: ChangeLog | null
  readonly #growth: Growth
  /** Whether changes left with COMMIT. */
  #told = false
  // Created on demand: most calls do without.
  #cache: ValueCache | undefined
  #shown: ShownSoFar | undefined
  #authorized: RecordsAllowed | undefined
  #insertions: InsertedRows | undefined
  #quota: CallQuota | undefined
  #turns: CallTurns | undefined
  #services: CallServices | undefined

  constructor(pool: Pool, registry: Registry, rights: Rights, options: UnitOptions) {
    super(pool, options)
    this.registry = registry
    this.#growth = pool.growth
    this.rights = rights
    this.answer = new CallAnswerForms(options, this)
    const { changed, noted, readonly } = options
    this.changes = (changed || noted) && !readonly ? new ChangeLog(changed != null) : null
  }

  get cache(): ValueCache {
    this.#cache ??= new ValueCache()
    return this.#cache
  }

  get authorized(): RecordsAllowed {
    this.#authorized ??= new RecordsAllowed()
    return this.#authorized
  }

  get insertions(): InsertedRows {
    this.#insertions ??= new InsertedRows()
    return this.#insertions
  }

  get quota(): CallQuota {
    this.#quota ??= new CallQuota(this.options.bounded)
    return this.#quota
  }

  get services(): Services {
    this.#services ??= new CallServices(this.options)
    return this.#services
  }

  get turns(): CallTurns {
    const { readonly, turns } = this.options
    this.#turns ??= new CallTurns(this, readonly ? null : (turns ?? null))
    return this.#turns
  }

  get isUntouched(): boolean {
    const { pending, explicitIds, computing } = this.recomputation
    const waits = pending.size + explicitIds.size + computing.size
    return waits === 0 && (this.#authorized?.isEmpty ?? true) && (this.#cache?.isOfMadeAlone ?? true)
  }

  get shown(): ShownSoFar {
    this.#shown ??= new ShownSoFar(new LargePlace(this, this.options.holder))
    return this.#shown
  }

  send(statement: Sql): void {
    this.buffer.post(statement.compile())
  }

  renew(registry: Registry): void {
    this.registry = registry
    this.#cache?.clear()
    this.#authorized?.forget()
  }

  /** The error of a transaction that lost a conflict: it is repeated with locks, where it named resources. */
  inTurn(error: unknown): unknown {
    const about = this.#turns?.concerned ?? []
    return about.length && isRetryable(error) && !(error instanceof Crowded)
      ? new Crowded(about, { cause: error })
      : error
  }

  async commit(): Promise<void> {
    try {
      for (const hook of this.ending.beforeCommit) await hook()
      if (this.options.follows && this.options.readonly && !this.isIdle) return this.#endUnheard()
      if (!this.isIdle || this.ending.claim)
        await this.end(() => {
          this.#told = postLast(this)
        })
    } catch (error) {
      throw await this.abandon(error)
    }
    this.release()
    for (const [table, rows] of this.#insertions?.list ?? []) this.#growth.note(table, rows)
    for (const hook of this.ending.afterCommit) await hook()
    if (this.#told) this.options.changed?.()
  }

  /** Ends a session without work to commit and without hooks; false for any other. */
  endAtOnce(): boolean {
    const { beforeCommit, afterCommit, claim } = this.ending
    if (beforeCommit.length + afterCommit.length > 0 || claim || !this.isIdle) return false
    this.release()
    return true
  }

  /** As `rollback`, after `error`; gives what went wrong first. */
  async abandon(error: unknown): Promise<unknown> {
    const first = await this.first(error)
    // An unchecked credential, or an earlier answer, is read in the flush that ends the transaction.
    if (!this.credential.isUnheard && !isTwin(first)) await this.rollback()
    return first
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
      for (const hook of this.ending.beforeCommit) await hook()
      if (!this.isIdle) await this.endInVain()
    } catch (error) {
      throw await this.abandon(error)
    }
    this.release()
  }

  /** Pending work, quotas and notes of the call are restored with it. */
  async savepoint<T>(work: () => Promise<T>, keep: (result: T) => boolean = () => true): Promise<T> {
    const restore = this.#mark()
    this.buffer.savepoints++
    try {
      return await withinSavepoint(this, restore, work, keep)
    } finally {
      this.buffer.savepoints--
    }
  }

  #mark(): () => void {
    // Pending fields of now have their old values again when the work is undone, and wait again.
    const { pending } = this.recomputation
    const waiting = [...pending].map(([field, ids]) => [field, new Set(ids)] as const)
    const { beforeCommit, afterCommit } = this.ending
    const lists = [beforeCommit, afterCommit, this.insertions.list].map(
      (list) => [list, list.length] as const,
    )
    // Work that is undone and repeated in smaller parts counts once.
    const restoreQuota = this.quota.mark()
    const noted = this.changes?.length ?? 0
    return () => {
      restoreQuota()
      this.changes?.back(noted)
      this.cache.clear()
      this.#turns?.forgetAsked()
      forgetAnswers(this)
      this.#authorized?.forget()
      pending.clear()
      for (const [field, ids] of waiting) pending.set(field, ids)
      for (const [list, length] of lists) list.length = length
    }
  }
}

class CallAnswerForms implements AnswerForms {
  #mayBeLong: boolean
  #mayBeText: boolean
  #mayDefer: boolean
  readonly #isOptimistic: boolean
  readonly #session: Pick<Transaction, 'credential'>
  #preferences = NO_PREFERENCES

  constructor(
    { takesLong, sole, defers, isOptimistic }: UnitOptions,
    session: Pick<Transaction, 'credential'>,
  ) {
    this.#mayBeLong = takesLong ?? false
    this.#mayBeText = sole ?? false
    this.#mayDefer = defers ?? false
    this.#isOptimistic = isOptimistic ?? false
    this.#session = session
  }

  mayStream(): boolean {
    const taken = this.#mayBeLong
    this.#mayBeLong = false
    return taken
  }

  mayReturnText(): boolean {
    const taken = this.#mayBeText
    this.#mayBeText = false
    return taken
  }

  mayReturnDeferred(): boolean {
    const taken = this.#mayDefer && this.#session.credential.mayDefer
    this.#mayDefer = false
    return taken
  }

  allowDeferred(): void {
    this.#mayDefer = this.#isOptimistic
  }

  keepPreferences(preferences: Preferences): void {
    this.#preferences = preferences
  }

  takePreferences(): Preferences {
    const preferences = this.#preferences
    this.#preferences = NO_PREFERENCES
    return preferences
  }
}
