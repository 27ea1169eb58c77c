// One answer of the feed: a page of the snapshot, or what changed since, with values of now and the caller's
// rights.
import { isInteger, present } from '../../kit/present.ts'
import type { Environment } from '../../models/language/environment.ts'
import { together } from '../../models/unit/reads.ts'
import { type Horizon, horizonOf, horizonStatement } from './horizon.ts'
import { cursorText, type Place, placeIn, type Question, startOfRow } from './question.ts'
import { describeChanges, inOrder, type ReportedChange, read, valued } from './reported-changes.ts'
import { changesIn, itemsOf, rowsFrom } from './rows.ts'

export interface Page {
  readonly changes: readonly ReportedChange[]
  readonly cursor: string
  /** Whether there is more at this moment. */
  readonly more: boolean
  /** Whether a transaction with earlier numbers is still committing, so that its changes are missing. */
  readonly held: boolean
  /** Whether this is the last page of the snapshot. */
  readonly caughtUp: boolean
  /** The cursor after one of the changes: a reader that was cut off there resumes with the next one. */
  readonly behind: (change: number) => string
}

/** The next page. Throws what `placeIn` throws. */
export async function pageOf(
  env: Environment,
  question: Question,
  { cursor, from }: { readonly cursor?: unknown; readonly from?: unknown },
): Promise<Page> {
  // The rows are queried together with the horizon, from the cursor on. The cursor is validated when both
  // have arrived.
  const start = cursor === undefined ? null : startIn(cursor)
  const [head, rows] = await together(
    env.unit.run(horizonStatement),
    start ? env.query(rowsFrom(question, start)) : Promise.resolve([]),
  )
  const horizon = horizonOf(head)
  const end = startOfRow(horizon.at + 1)
  if (cursor === undefined && from === 'now') {
    await assertDomains(env, question)
    return pageWith(question, horizon, { changes: [], next: end, more: false })
  }
  const place: Place =
    cursor === undefined
      ? { phase: 'snapshot', model: 0, id: 0, since: horizon.at }
      : placeIn(cursor, question, horizon)
  if (place.phase === 'snapshot') return snapshot(env, question, horizon, place)
  const { items, next } = itemsOf(changesIn(env, rows), { limit: question.limit, start: place })
  const changes = items.length ? await describeChanges(env, question, items) : []
  // Changes before the horizon are final: a cursor never moves back.
  const after = next ?? (end.seq > place.seq ? end : place)
  const fresh = changes.filter(({ at }) => place.id === 0 || inOrder(place, at) < 0)
  return pageWith(question, horizon, { changes: fresh, next: after, more: next !== null })
}

/** Throws what reading by the domains will throw: not only once something changed. */
async function assertDomains(env: Environment, { models }: Question): Promise<void> {
  for (const followed of models) if (followed.domain.length) await read(env, followed, [['id', '=', 0]], 1)
}

/** A page, with cursors for its end and for every change. */
function pageWith(
  question: Question,
  horizon: Horizon,
  {
    changes,
    next,
    more,
    caughtUp = false,
  }: {
    readonly changes: readonly { readonly change: ReportedChange; readonly at: Place }[]
    readonly next: Place
    readonly more: boolean
    readonly caughtUp?: boolean
  },
): Page {
  return {
    changes: changes.map(({ change }) => change),
    cursor: cursorText(question, horizon, next),
    more,
    held: horizon.at < horizon.last,
    caughtUp,
    behind: (change) => cursorText(question, horizon, changes[change]?.at ?? next),
  }
}

/** The row that a cursor points at, unjudged; null in the snapshot, and for what is not a cursor. */
function startIn(cursor: unknown): { readonly seq: number; readonly n: number } | null {
  try {
    const [, , , phase, seq, n] = JSON.parse(
      Buffer.from(String(cursor).slice(3), 'base64url').toString(),
    ) as unknown[]
    return phase === 'c' && Number.isSafeInteger(seq) && isInteger(n) && n < 2 ** 31
      ? { seq: seq as number, n: n as number }
      : null
  } catch {
    return null
  }
}

async function snapshot(
  env: Environment,
  question: Question,
  horizon: Horizon,
  place: Extract<Place, { phase: 'snapshot' }>,
): Promise<Page> {
  const changes: { readonly change: ReportedChange; readonly at: Place }[] = []
  let { model: at, id } = place
  while (at < question.models.length && changes.length < question.limit) {
    const followed = present(question.models[at])
    const wanted = question.limit - changes.length
    const rows = await read(env, followed, [['id', '>', id]], wanted)
    for (const [record, values] of rows) {
      const change = {
        model: followed.model.name,
        id: record,
        op: 'upsert',
        values: valued(followed, values),
      } as const
      changes.push({ change, at: { ...place, model: at, id: record } })
    }
    id = [...rows.keys()].at(-1) ?? id
    if (rows.size < wanted) {
      at++
      id = 0
    }
  }
  const caughtUp = at >= question.models.length
  const next: Place = caughtUp ? startOfRow(place.since + 1) : { ...place, model: at, id }
  return pageWith(question, horizon, { changes, next, more: true, caughtUp })
}
