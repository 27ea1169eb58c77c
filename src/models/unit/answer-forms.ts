// The forms in which a call may answer, and the services that it uses, by the options of its session.
import type { AuditRow, FileStore, Guard } from '../language/outside.ts'
import { NO_PREFERENCES, type Preferences } from '../language/preferences.ts'
import type { AnswerForms, Services } from '../language/unit.ts'
import type { UnitOptions } from './options.ts'
import type { Transaction } from './transaction.ts'

export class CallAnswerForms implements AnswerForms {
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

  takesLong(): boolean {
    const taken = this.#mayBeLong
    this.#mayBeLong = false
    return taken
  }

  takesText(): boolean {
    const taken = this.#mayBeText
    this.#mayBeText = false
    return taken
  }

  takesDeferred(): boolean {
    const taken = this.#mayDefer && this.#session.credential.mayDefer
    this.#mayDefer = false
    return taken
  }

  letDefer(): void {
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

export class CallServices implements Services {
  readonly tell: ((row: AuditRow) => void) | null
  readonly files: FileStore | null
  readonly #guard: (() => Guard) | undefined

  constructor({ tell, files, guard }: UnitOptions) {
    this.tell = tell ?? null
    this.files = files ?? null
    this.#guard = guard
  }

  get guard(): Guard | null {
    return this.#guard?.() ?? null
  }
}
