// One answer of the feed: a page of the snapshot, or what changed since, with values of now and the caller's
// rights.

import type { FieldDef, ModelDef } from '../../models/language/definitions.ts'
import type { Environment } from '../../models/language/environment.ts'
import { Rendered } from '../../models/read/rendered.ts'
import { recordsOf } from '../../models/unit/records.ts'
import { together } from '../../models/unit/together.ts'
import { type Horizon, horizonOf, horizonQuery } from './horizon.ts'
import { beginningOf, cursorText, type Followed, type Place, placeIn, type Question } from './question.ts'
import { type Item, itemsOf, rowsFrom, throughDelegates } from './rows.ts'
import { seenBefore } from './seen.ts'

/** A change as it is told. */
export interface Told {
  readonly model: string
  readonly id: number
  readonly op: 'upsert' | 'remove' | 'event'
  readonly event?: string
  readonly seq?: string
  readonly fields?: readonly string[]
  readonly values?: Readonly<Record<string, unknown>>
}

export interface Page {
  readonly changes: readonly Told[]
  readonly cursor: string
  /** Whether there is more at this moment. */
  readonly more: boolean
  /** Whether this is the last page of the snapshot. */
  readonly caughtUp: boolean
  /** The cursor behind one of the changes: who was cut off there goes on with the next one. */
  readonly behind: (change: number) => string
}

/** With its place, to be put in order by. */
type Placed = Told & { readonly at: At }
type At = Extract<Place, { phase: 'changes' }>

type Values = ReadonlyMap<number, Readonly<Record<string, unknown>>>

/** The next page. Throws what `placeIn` throws. */
export async function pageOf(
  env: Environment,
  question: Question,
  { cursor, from }: { readonly cursor?: unknown; readonly from?: unknown },
): Promise<Page> {
  // The rows leave along with the horizon, from where the cursor says; whether that holds is judged when both
  // are there.
  const start = cursor === undefined ? null : startIn(cursor)
  const [head, rows] = await together(
    env.query(horizonQuery),
    start ? env.query(rowsFrom(question, start)) : Promise.resolve([]),
  )
  const horizon = horizonOf(head)
  const end = beginningOf(horizon.at + 1)
  if (cursor === undefined && from === 'now')
    return pageWith(question, horizon, { changes: [], next: end, more: false })
  const place: Place =
    cursor === undefined
      ? { phase: 'snapshot', model: 0, id: 0, since: horizon.at }
      : placeIn(cursor, question, horizon)
  if (place.phase === 'snapshot') return snapshot(env, question, horizon, place)
  const { items, next } = itemsOf(env, rows, { limit: question.limit, start: place })
  const changes = items.length ? await told(env, question, items) : []
  // Behind the horizon nothing is taken back: a cursor never moves to before where it was.
  const after = next ?? (end.seq > place.seq ? end : place)
  const fresh = changes.filter(({ at }) => place.id === 0 || inOrder(place, at) < 0)
  return pageWith(question, horizon, { changes: fresh, next: after, more: next !== null })
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
    readonly changes: readonly (Told & { readonly at: Place })[]
    readonly next: Place
    readonly more: boolean
    readonly caughtUp?: boolean
  },
): Page {
  return {
    changes: changes.map(({ at, ...change }) => change),
    cursor: cursorText(question, horizon, next),
    more,
    caughtUp,
    behind: (change) => cursorText(question, horizon, changes[change]?.at ?? next),
  }
}

const inOrder = (a: At, b: At) => a.seq - b.seq || a.n - b.n || a.k - b.k || a.model - b.model || a.id - b.id

/** The row that a cursor points at, unjudged; null in the snapshot, and for what is no cursor. */
function startIn(cursor: unknown): { readonly seq: number; readonly n: number } | null {
  try {
    const [, , , phase, seq, n] = JSON.parse(
      Buffer.from(String(cursor).slice(3), 'base64url').toString(),
    ) as unknown[]
    return phase === 'c' && Number.isSafeInteger(seq) && Number.isInteger(n) && (n as number) < 2 ** 31
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
  const changes: (Told & { readonly at: Place })[] = []
  let { model: at, id } = place
  while (at < question.models.length && changes.length < question.limit) {
    const one = question.models[at] as Followed
    const wanted = question.limit - changes.length
    const rows = await read(env, one, [['id', '>', id]], wanted)
    for (const [record, values] of rows) {
      const behind = { ...place, model: at, id: record }
      changes.push({ model: one.model.name, id: record, op: 'upsert', ...valued(one, values), at: behind })
    }
    id = [...rows.keys()].at(-1) ?? id
    if (rows.size < wanted) {
      at++
      id = 0
    }
  }
  const caughtUp = at >= question.models.length
  const next: Place = caughtUp ? beginningOf(place.since + 1) : { ...place, model: at, id }
  return pageWith(question, horizon, { changes, next, more: true, caughtUp })
}

const valued = ({ fields }: Followed, values: Readonly<Record<string, unknown>>) =>
  fields?.length === 0 ? {} : { values }

/** Rows of the caller's, by id, in its order. */
async function read(
  env: Environment,
  { model, fields, domain }: Followed,
  more: readonly unknown[],
  limit: number | null = null,
): Promise<Values> {
  const names = fields === null ? ['display_name'] : fields.map(({ name }) => name)
  const params = { domain: [...more, ...domain], fields: names.length ? names : ['id'], order: 'id', limit }
  const found = await recordsOf(env, model, []).invoke('search_read', params)
  const rows = (found instanceof Rendered ? JSON.parse(found.json) : found) as (Record<string, unknown> & {
    id: number
  })[]
  return new Map(rows.map((row) => [row.id, row]))
}

async function told(env: Environment, question: Question, items: readonly Item[]): Promise<Placed[]> {
  const parts: Placed[] = []
  for (const [place, followed] of question.models.entries()) {
    const { model } = followed
    const own = [
      ...items.filter((item) => item.model === model && item.op !== 'e'),
      ...(await throughDelegates(env, model, items)),
    ]
    const relevant = own.filter(concerns(env, followed))
    if (relevant.length === 0) continue
    const tell = question.compact ? compactly : each
    parts.push(...(await tell(env, { ...followed, place }, relevant)))
  }
  parts.push(...(await happened(env, question, items)))
  return parts.sort((a, b) => inOrder(a.at, b.at))
}

/** A model of a question with its place in it. */
type Placeable = Followed & { readonly place: number }

/** The place behind what is told of a record. */
const behind = ({ seq, n, k, id }: Item, model: number): At => ({ phase: 'changes', seq, n, k, model, id })

/**
 * Tells whether a change may matter: it is of a field asked for that the caller may see, of one that the
 * domain or a rule reads, or of any that they may see where values follow from others.
 */
function concerns(env: Environment, { model, fields, domain }: Followed): (item: Item) => boolean {
  const decide = new Set((env.unit.rights.ruled(model) ?? []).map(({ name }) => name))
  if (model.active) decide.add(model.active.name)
  const words = JSON.stringify(domain)
  const all = !fields?.length || fields.some((field) => !field.inherited && (!field.column || field.related))
  return ({ op, fields: changed }) =>
    op !== 'u' ||
    changed.length === 0 ||
    changed.some((name) => {
      if (decide.has(name) || words.includes(name)) return true
      const field = model.fields.get(name)
      return field !== undefined && sees(env, field) && (all || fields.includes(field))
    })
}

const sees = (env: Environment, field: FieldDef) => env.unit.rights.mayField(env.user, field)

const visible = (env: Environment, { model, fields }: Followed, names: Iterable<string>): string[] =>
  [...new Set(names)].filter((name) => {
    const field = model.fields.get(name)
    return field && sees(env, field) && (!fields?.length || fields.includes(field))
  })

/** Each record once, as it is now. */
async function compactly(env: Environment, followed: Placeable, items: readonly Item[]): Promise<Placed[]> {
  const byId = Map.groupBy(items, ({ id }) => id)
  const lives = [...byId].flatMap(([id, of]) => (of.some(({ op }) => op === 'd') ? [] : [id]))
  const rows = lives.length
    ? await read(env, followed, [['id', 'in', lives]])
    : new Map<number, Readonly<Record<string, unknown>>>()
  const lost = [...byId.keys()].filter((id) => !rows.has(id))
  const seen = await seenBefore(env, followed.model, lost, txsOf(items))
  return [...byId].flatMap(([id, of]): Placed[] => {
    const places = of.map((item) => behind(item, followed.place))
    const at = places.reduce((last, one) => (inOrder(one, last) > 0 ? one : last))
    const values = rows.get(id)
    const base = { model: followed.model.name, id, seq: String(at.seq), at }
    if (!values) return seen.has(id) ? [{ ...base, op: 'remove' as const }] : []
    const fields = of.some(({ op }) => op === 'c')
      ? []
      : visible(
          env,
          followed,
          of.flatMap((item) => item.fields),
        )
    return [
      { ...base, op: 'upsert' as const, ...(fields.length ? { fields } : {}), ...valued(followed, values) },
    ]
  })
}

/** Every change, without values. */
async function each(env: Environment, followed: Placeable, items: readonly Item[]): Promise<Placed[]> {
  const seen = await seenBefore(env, followed.model, [...new Set(items.map(({ id }) => id))], txsOf(items))
  return items
    .filter(({ id }) => seen.has(id))
    .map((item) => ({
      model: followed.model.name,
      id: item.id,
      op: item.op === 'd' ? ('remove' as const) : ('upsert' as const),
      seq: String(item.seq),
      fields: visible(env, followed, item.fields),
      at: behind(item, followed.place),
    }))
}

const txsOf = (items: readonly Item[]) => [...new Set(items.map(({ tx }) => tx))]

/** Events of records that the caller may see now, with the fields that the contract names. */
async function happened(env: Environment, { events, models }: Question, items: readonly Item[]) {
  const wanted = items.filter(({ op, event }) => op === 'e' && event !== null && events.has(event))
  const found: Placed[] = []
  const names = [...events.keys()]
  for (const [event, of] of Map.groupBy(wanted, (item) => item.event as string)) {
    const place = models.length + names.indexOf(event)
    const model = events.get(event) as ModelDef
    const told = model.options.events?.[event.slice(model.name.length + 1)]?.fields ?? []
    const fields = told.flatMap((name) => model.fields.get(name) ?? []).filter((field) => sees(env, field))
    const domain = models.find((one) => one.model === model)?.domain ?? []
    const rows = await read(env.withContext({ active_test: false }), { model, fields, domain }, [
      ['id', 'in', [...new Set(of.map(({ id }) => id))]],
    ])
    for (const item of of) {
      const { id, seq } = item
      const values = rows.get(id)
      if (!values) continue
      const at = behind(item, place)
      found.push({ model: model.name, id, op: 'event', event, seq: String(seq), values, at })
    }
  }
  return found
}
