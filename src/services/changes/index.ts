// The verb `changes`: changes since a cursor, at once or as soon as there are some (docs/decisions/0043).
import type { Databases } from '../../databases/index.ts'
import { NotFound, UnprocessableEntity } from '../../errors.ts'
import type { Context } from '../../models/language/environment.ts'
import type { Ability } from '../../models/rights/key-scope.ts'
import { assertMeant, formOf, reportTyped } from '../calls/answer-preferences.ts'
import { inDatabase, type Owner } from '../calls/caller.ts'
import { contextOf, envOf } from '../calls/method.ts'
import { assertAbility, assertAnyMethod, isDryRun, reportDryRun } from '../calls/scope.ts'
import { transact } from '../calls/transact.ts'
import { type Page, pageOf } from './page.ts'
import { HELD, type Pulse, pulseOf } from './pulse.ts'
import { questionOf } from './question.ts'

export type { Page } from './page.ts'
export { HELD, type Pulse } from './pulse.ts'
export { type ReportedChange, textOf } from './reported-changes.ts'

export interface ChangesRequest extends Owner {
  /** The question with cursor and wait, decoded; may throw. */
  readonly body: () => unknown
  /** Other abilities that the request needs: a caller that cached them has them checked again here. */
  readonly abilities?: readonly Ability[]
}

interface RequestMembers {
  readonly cursor?: unknown
  readonly from?: unknown
  readonly wait?: unknown
  readonly context?: unknown
}

/** Seconds that an empty answer may be held. */
const MOST_WAIT = 60

/**
 * One page of the feed; an empty one is held for `wait` seconds. Throws Gone (410) where the client has to
 * start again, and the errors of the credential check.
 */
export async function changes(
  server: Databases,
  request: ChangesRequest,
  signal: AbortSignal = new AbortController().signal,
): Promise<Page> {
  const body = await request.body()
  const { asks } = request
  const { wait = 0, from } = membersOf(body)
  if (typeof wait !== 'number' || !(wait >= 0 && wait <= MOST_WAIT))
    throw new UnprocessableEntity(`wait must be a number of seconds, ${MOST_WAIT} at most.`)
  if (from !== undefined && from !== 'now') throw new UnprocessableEntity("from can only be 'now'.")
  const wakeups = wait > 0 ? await pulse(server, request.database) : null
  let beat = wakeups?.beat ?? 0
  let page = await onePage(server, request, body)
  const until = performance.now() + wait * 1000
  while (wakeups && page.changes.length === 0 && !page.more && performance.now() < until && !signal.aborted) {
    const left = until - performance.now()
    await wakeups.next({ milliseconds: page.held ? Math.min(HELD, left) : left, signal, beat })
    beat = wakeups.beat
    page = await onePage(server, request, { ...membersOf(body), cursor: page.cursor, from: undefined })
  }
  if (asks?.typed) reportTyped(asks, asks.typed)
  return page
}

const membersOf = (body: unknown): RequestMembers => (typeof body === 'object' && body !== null ? body : {})

function onePage(server: Databases, request: ChangesRequest, body: unknown): Promise<Page> {
  return inDatabase(server, request, (database, caller, standing) => {
    if (!database.offers('changes'))
      throw new NotFound('This database does not record changes: run comptoir module upgrade first.')
    pulseOf(server, database)
    return transact(
      database,
      caller,
      request,
      { readonly: true, follows: true, ...standing },
      async (unit) => {
        for (const ability of [...(request.abilities ?? []), 'changes'] as const)
          assertAbility(caller, ability)
        assertAnyMethod(caller)
        assertMeant(request.asks, 'the feed')
        if (isDryRun(caller, request)) reportDryRun(request)
        const { cursor, from, context } = membersOf(body)
        const env = envOf(unit, caller, contextOf(caller, { context }) as Context, null)
        return pageOf(env, questionOf(env, body, formOf(request.asks)), { cursor, from })
      },
    )
  })
}

/** The pulse of a database, which wakes readers that wait for changes. */
export async function pulse(server: Databases, name: string): Promise<Pulse> {
  return pulseOf(server, await server.database(name))
}
