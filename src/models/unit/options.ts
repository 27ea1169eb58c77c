// What a unit of work is begun with: who it is for, what it may, and what goes along with its first flush.
import type { Connection } from '../../postgres/index.ts'
import type { Statement } from '../../sql/index.ts'
import type { AuditRow, FileStore, Guard } from '../language/outside.ts'
import type { Row } from '../language/unit.ts'

/**
 * A statement that leaves with the first query of a call; `verify` throws when its answer does not let the
 * call go on.
 */
export interface Preamble {
  readonly statement: Statement
  /**
   * The same as a statement that fails as `refusing.ts` says where `verify` would throw: what leaves behind
   * it in one flush is carried out only where the credential holds. Absent where there is none.
   */
  readonly strict?: Statement
  verify(rows: readonly Row[]): void
}

export interface UnitOptions {
  readonly readonly: boolean
  readonly preamble?: Preamble
  /** The user whose share of the connections it counts for; none where the server works for itself. */
  readonly holder?: number
  /** Whether who asked is no longer there: then nothing more is begun for them. */
  readonly gone?: (() => boolean) | undefined
  /**
   * Each statement sees what is committed by then, not all of them the same moment: for whoever follows what
   * is committed.
   */
  readonly follows?: boolean
  /**
   * One plain read is all the call does: it needs no transaction block, so credential check and query are one
   * flush.
   */
  readonly sole?: boolean
  /**
   * Whether it is repeated in another way (`OtherWay`) where what it staked does not hold: then all of it may
   * leave in one flush, from BEGIN to COMMIT.
   */
  readonly stakes?: boolean
  /** Whether its method may answer with ids that are there once it is committed (`DeferredRecords`). */
  readonly defers?: boolean
  /**
   * A call that is repeated: it waits for those of other nodes that are, so that they do not lose against
   * each other again.
   */
  readonly inLane?: boolean
  /**
   * What it waits for before it begins, by those who repeat a call with the turns that it lacked; without,
   * nobody takes turns.
   */
  readonly turns?: readonly string[] | undefined
  /** The server's own work: its statements take the time that they need. */
  readonly patient?: boolean
  /** Told of its connection before anything leaves over it: for what is asked ahead of any snapshot. */
  readonly opened?: ((connection: Connection) => void) | undefined
  /** Told of it when COMMIT has left, for what is asked behind that in the same flush. */
  readonly committed?: ((connection: Connection) => void) | undefined
  /** Gives what slows down those who guess keys and passwords; asked where something is judged. */
  readonly guard?: () => Guard
  /** Hears of what was written to the audit log, once it is committed. */
  readonly tell?: ((row: AuditRow) => void) | null
  /** Told once changes are committed; where there is nobody to tell, none are noted. */
  readonly changed?: (() => void) | null
  /** Whether changes are noted though they are not told: for whoever looks at what a rehearsal did. */
  readonly noted?: boolean
  /** Whether `waited` is kept. */
  readonly timed?: boolean
  /** Where contents of attachments are kept besides the database. */
  readonly files?: FileStore
  /** Whether the call's result may be a `LongAnswer`: nobody but the wire sees it. */
  readonly takesLong?: boolean
  /**
   * Whether it is a client's call, which the limits of limits.ts hold for; the server's own work has none.
   */
  readonly bounded?: boolean
}
