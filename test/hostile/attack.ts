// Types: an attack, and the interface it uses.

import type { Random } from '../fuzz/random.ts'
import type { Body } from './bodies.ts'

/** The sender: a stranger has no credential, all others a key and a password. */
export type Who = 'stranger' | 'portal' | 'plain' | 'maker' | 'clerk' | 'admin'
export type Member = Exclude<Who, 'stranger'>

/** The server under attack and what an attacker may know of it. */
export interface World {
  readonly url: string
  readonly database: string
  readonly dataDir: string
  readonly keys: Readonly<Record<Member | 'probe', string>>
  /** Of every member and of those whose passwords are guessed, by login. */
  readonly uids: Readonly<Record<string, number>>
  readonly password: string
  readonly master: string
  /** Ids of contacts. */
  readonly partners: readonly number[]
  /** A file of the host that no caller may ever see, and its content. */
  readonly secret: { readonly path: string; readonly content: string }
  /** A sound backup. */
  readonly backup: string
  /** Master data for sales and accounting; null if those modules are not installed. */
  readonly shop: Shop | null
}

export interface Shop {
  /** A session of a till that is open, and what it is paid by. */
  readonly session: number
  readonly config: number
  readonly method: number
  readonly products: readonly number[]
  /** Deliveries, and where they come from and lead to. */
  readonly deliveries: number
  readonly shelf: number
  readonly customers: number
  readonly sales: number
  readonly income: number
}

export interface Request {
  readonly path: string
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Body
  /** Without a length announced. */
  readonly chunked?: boolean
  /** Where it seems to come from; an address of the attack's own by default. */
  readonly from?: string
}

export interface Reply {
  /** 0 when there was none. */
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** The first kilobytes of the answer. */
  readonly text: string
  readonly bytes: number
  /** The longest time without a byte taken or given, in milliseconds. */
  readonly quiet: number
  /** Why there was no answer. */
  readonly failure: string | null
}

/** The interface by which an attack acts; every reply is checked. */
export interface Hands {
  readonly world: World
  readonly random: Random
  /** Aborted when time is up. */
  readonly signal: AbortSignal
  send(request: Request): Promise<Reply>
  /** A call over JSON-2; `body` is the text of the object. */
  json2(who: Who, path: string, body: Body): Promise<Reply>
  /** So many at a time, so many in all. */
  crowd(count: number, atOnce: number, work: (at: number) => Promise<unknown>): Promise<void>
  /** A cookie of a browser session. */
  session(who: Member): Promise<string>
  /** A socket on which an attack says what it likes; gone after the attack. */
  socket(): Promise<import('node:net').Socket>
  /** Says what a reply that looks well did wrong. */
  complain(words: string): void
}

/** The engineer's area that answers for it: restore and roles, bodies, reads, writes, guessing and places. */
export type Area = 'A' | 'B' | 'C' | 'D' | 'E'

export interface Attack {
  /** Family and words: `jsonrpc/empty-lists`. */
  readonly name: string
  readonly area: Area
  /** Whether the sender has proven nothing: then what is written to disk counts. */
  readonly open?: boolean
  /** Whether it is many large calls at a time: what one call may take says nothing of them together. */
  readonly many?: boolean
  /** On a server whose database manager is switched off. */
  readonly closed?: boolean
  /** Whether it needs a shop. */
  readonly inShop?: boolean
  /** The size, in the unit of the attack. */
  readonly size: number
  /** As much in the small form; absent where the small form does without. */
  readonly small?: number
  run(hands: Hands, size: number): Promise<unknown>
}

/**
 * Number of users whose passwords are guessed: each only once, because a login is delayed after some
 * failures.
 */
export const GUESSED = 40
