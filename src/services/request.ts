// A call as the wires hand it over, and the answer that they pass on.
import type { Answering } from '../access/index.ts'
import type { Timing } from '../kit/timing.ts'
import type { ModelDef } from '../models/language/definitions.ts'
import type { CountKind } from '../models/language/environment.ts'
import type { ModuleChange } from '../models/language/outside.ts'
import type { Unit } from '../models/language/unit.ts'
import type { Ability } from '../models/rights/key-scope.ts'

export type Credential =
  | { readonly kind: 'key'; readonly key: string }
  | { readonly kind: 'password'; readonly uid: number; readonly password: string }
  | { readonly kind: 'session'; readonly token: string }
  /** A key by its hash: of who queued a job with it, and from where. */
  | { readonly kind: 'hash'; readonly hash: Buffer; readonly from?: string | undefined }

/** A decoded body. JSON-2 binds `named`; RPC gives `positional`, ids among them. */
export interface CallBody {
  readonly ids?: unknown
  readonly context?: unknown
  readonly named?: Record<string, unknown>
  readonly positional?: readonly unknown[]
  /** RPC's shape of results: `create` of one object gives one id (spec/wire.md section 12). */
  readonly rpc?: boolean
}

/** Forms of rows as lines; `tame-csv` is CSV in which a spreadsheet finds no formula. */
export type LineForm = 'ndjson' | 'csv' | 'tame-csv'

/** Preferences of a request's headers, beyond the documented API. */
export interface RequestPreferences {
  /** Do it once: the key that the caller made for the call. */
  readonly key?: string | undefined
  /** Do all of it and take it back. */
  readonly dryRun?: boolean
  /** Only if the records have this version; `*`: if they are there. */
  readonly ifMatch?: string | undefined
  /** Return the version of the records. */
  readonly etag?: boolean
  /** Do it later; `wait`: answer at once if it takes no longer, in seconds. */
  readonly later?: { readonly wait: number | null } | undefined
  /** Values in the typed form, moments in a zone as it was named. */
  readonly typed?: { readonly zone: string | null; readonly decimal: boolean } | null
  /** A page that begins where a cursor says, or the first of them. */
  readonly page?: { readonly cursor: string | null } | null
  /** Return the total number of records. */
  readonly count?: CountKind | null
  /** Report failures as problem details, with the places of the faults in the body. */
  readonly problem?: boolean
  /** Rows one a line, in this form. */
  readonly lines?: LineForm | null
  /** May be read from a replica: where the caller wants that, and what they must see there. */
  readonly replica?: { readonly isWanted: boolean; readonly positions: readonly string[] } | null
  /** Refuse preferences that cannot be applied. */
  readonly strict?: boolean
  /** Accept the valid items, and list the invalid ones. */
  readonly lenient?: boolean
  /** Nothing but that it be done once: its answer is that of a call that asks for nothing. */
  readonly onlyKey?: boolean
  /** Adds a header to the answer, whatever the wire. */
  readonly tell: (name: string, value: string) => void
}

/** State that is finished in the same transaction as a call's effect. */
export interface Sealing {
  /** Sends what ends it, with the answer's headers; checks that it may. */
  seal(
    unit: Unit,
    json: string,
    headers: readonly (readonly [name: string, value: string])[],
  ): void | Promise<void>
}

export interface Call {
  readonly database: string
  readonly credential: Credential
  readonly model: string
  readonly method: string
  /** Decodes the body; called after the credential was verified. Throws BadRequest, UnprocessableEntity. */
  readonly body: () => CallBody | Promise<CallBody>
  readonly remote: string
  readonly requestId: string
  /** The header `User-Agent`. */
  readonly userAgent?: string | undefined
  /** Whether a long answer may come in pieces. */
  readonly pieces?: boolean
  /** A bulk export, which needs a right of its own. */
  readonly takesOut?: boolean
  /** Whether the client is no longer there: what waits only to be read is not begun for it. */
  readonly gone?: () => boolean
  readonly asks?: RequestPreferences | null | undefined
  /** Adds a header to the answer, where it has headers: for information that the client did not ask for. */
  readonly tell?: RequestPreferences['tell'] | undefined
  /** The answer to the request that it came by; where calls are limited, a request is counted once. */
  readonly answering?: Answering | null | undefined
  /** Identifies the call instead of its values, where these come from other calls. */
  readonly fingerprint?: string | undefined
  /** The job that it is done for: its end commits with the effect. */
  readonly job?: Sealing | undefined
  /** Whether it was queued: the key must still be one that queues. */
  readonly queued?: boolean
  /** Entity tags of answers that the caller has; absent where answers have no tags. */
  readonly knownTags?: readonly string[] | undefined
  /** Number of calls that it counts as; 1 by default. */
  readonly weight?: number
  /** The endpoint other than calls that it came by: a key may not open it. */
  readonly ability?: Ability
  /** Given by those who want to know where the time goes. */
  readonly timing?: Timing | undefined
}

/** The method's result as JSON text, or the beginning of it. */
export interface Answer {
  readonly json: string
  /**
   * The rest of the answer, piece by piece, for calls that accept that. The reader reads it to the end or
   * closes it (`return`).
   */
  readonly more?: AsyncGenerator<string, void>
  /** In the place of all that: rows as JSON texts, some at a time, for calls that want one a line. */
  readonly rows?: AsyncGenerator<readonly string[], void>
  /** Entity tag of the answer, and whether the caller has that already: then there is no text. */
  readonly tag?: string
  readonly isKnown?: boolean
  /** The called model: its fields give the types of the members of rows. */
  readonly model?: ModelDef | undefined
}

/** An answer, and what is to be done to the modules before it is given. */
export interface Attempted extends Answer {
  readonly modules?: ModuleChange | null
}
