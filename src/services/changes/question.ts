// Parses a request to the feed: models with fields and domains, events, and the cursor.

import { createHash } from 'node:crypto'
import { Gone, UnprocessableEntity } from '../../errors.ts'
import { fromBase64url } from '../../kit/base64url.ts'
import { canonical } from '../../kit/canonical.ts'
import { isInteger } from '../../kit/present.ts'
import { isTracked } from '../../models/changes/log.ts'
import { parseDomain } from '../../models/domain/parse.ts'
import type { FieldDef, ModelDef } from '../../models/language/definitions.ts'
import type { Environment, Typed } from '../../models/language/environment.ts'
import type { Rights, UserProfile } from '../../models/language/rights.ts'
import { assertModel, fieldNamed } from '../../models/rights/judge.ts'
import type { Horizon } from './horizon.ts'

/** One model of a question. */
export interface Followed {
  readonly model: ModelDef
  /** Null: the name; empty: no values. */
  readonly fields: readonly FieldDef[] | null
  readonly domain: readonly unknown[]
  /** The form of values; null: as documented. */
  readonly form: Typed | null
}

export interface Question {
  readonly models: readonly Followed[]
  /** `sale.order.confirmed` and the like, with their models. */
  readonly events: ReadonlyMap<string, ModelDef>
  readonly form: Typed | null
  readonly limit: number
  readonly compact: boolean
  /** Names this question and the caller's rights to its models. */
  readonly mark: string
  readonly rights: string
}

/** Records in one answer: by default and at most. */
const [USUAL, MOST] = [500, 5000]
/** Models that one question follows. */
const MOST_MODELS = 50

const wrong = (message: string, code?: string) => new UnprocessableEntity(message, code ? { code } : {})
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * Throws UnprocessableEntity for what is not a question, AccessError for a model or a field that the caller
 * may not read.
 */
export function questionOf(env: Environment, body: unknown, form: Typed | null = null): Question {
  if (!isObject(body)) throw wrong('The request body must be a JSON object')
  const members = ['models', 'events', 'limit', 'compact', 'cursor', 'from', 'wait', 'context']
  const unknown = Object.keys(body).find((name) => !members.includes(name))
  if (unknown !== undefined)
    throw wrong(`Unknown member '${unknown.slice(0, 100)}'; valid members are ${members.join(', ')}.`)
  const { models = {}, events = [], limit = USUAL, compact = true } = body
  if (!isObject(models) || !Array.isArray(events)) throw wrong('models must be an object and events a list.')
  if (typeof compact !== 'boolean') throw wrong('compact must be true or false.')
  if (!isInteger(limit) || limit < 1) throw wrong('limit must be a whole number from 1.')
  if ((limit as number) > MOST) throw wrong(`limit must be at most ${MOST}.`, 'too_many')
  // However the question is written down, it is the same one.
  const names = Object.keys(models).sort()
  if (names.length > MOST_MODELS || events.length > MOST_MODELS)
    throw wrong(`Too many models and events: at most ${MOST_MODELS}.`, 'too_many')
  if (names.length + events.length === 0)
    throw wrong('models or events is required: name at least one model or event to follow.')
  const followed = names.map((name) => ({ ...followedIn(env, name, models[name]), form }))
  const named = events.map(String).sort()
  const eventModels = new Map(named.map((event) => [event, modelOfEvent(env, event)]))
  const all = [...followed.map(({ model }) => model), ...eventModels.values()]
  return {
    models: followed,
    events: eventModels,
    form,
    limit: limit as number,
    compact,
    mark: digest({ models, events: named, compact }),
    rights: rightsOf(env, all),
  }
}

function trackedModel(env: Environment, name: string): ModelDef {
  const model = env.unit.registry.get(name)
  if (!model || !isTracked(model))
    throw wrong(`Unknown model '${name.slice(0, 100)}', or its changes are not recorded.`)
  assertModel(env, model, 'read')
  return model
}

function followedIn(env: Environment, name: string, value: unknown): Omit<Followed, 'form'> {
  const model = trackedModel(env, name)
  const { fields = null, domain = [], ...more } = isObject(value) ? value : { more: value }
  if (Object.keys(more).length > 0)
    throw wrong(`models.${name} must be an object with fields and domain only.`)
  if (fields !== null && !(Array.isArray(fields) && fields.every((field) => typeof field === 'string')))
    throw wrong(`fields of ${name} must be a list of names.`)
  if (!Array.isArray(domain)) throw wrong(`domain of ${name} must be a list.`)
  parseDomain(domain)
  return { model, fields: fields?.map((field: string) => fieldNamed(env, model, field)) ?? null, domain }
}

function modelOfEvent(env: Environment, event: string): ModelDef {
  const [, name = '', eventName = ''] = /^(.{1,200})\.([a-z_]{1,100})$/.exec(event) ?? []
  const model = env.unit.registry.get(name)
  if (!model?.options.events?.[eventName]) throw wrong(`Unknown event '${event.slice(0, 200)}'.`)
  return trackedModel(env, name)
}

const digest = (value: unknown) =>
  createHash('sha256').update(canonical(value)).digest('base64url').slice(0, 16)

/** Marks by rights, by who has them, and by companies and models: pages are asked for again and again. */
const marks = new WeakMap<Rights, WeakMap<UserProfile, Map<string, string>>>()
/** Questions of one caller whose marks are kept. */
const MOST_MARKS = 100

/** Fingerprint of the caller's view of the models: rules, groups, companies and fields. */
function rightsOf(env: Environment, models: readonly ModelDef[]): string {
  const { user, unit } = env
  const { rights } = unit
  const byUser = marks.get(rights) ?? new WeakMap<UserProfile, Map<string, string>>()
  marks.set(rights, byUser)
  const byModels = byUser.get(user) ?? new Map<string, string>()
  byUser.set(user, byModels)
  const about = `${env.companyIds.join()} ${models.map(({ name }) => name).join()}`
  const mark = byModels.get(about) ?? markOf(env, models)
  if (byModels.size < MOST_MARKS) byModels.set(about, mark)
  return mark
}

function markOf(env: Environment, models: readonly ModelDef[]): string {
  const { user, unit } = env
  const { rights } = unit
  const seen = models.map((model) => [
    model.name,
    rights.timed ? rights.version : JSON.stringify(rights.rules(env, model, 'read'), plain),
    [...model.fields.values()].filter((field) => rights.mayField(user, field)).map(({ name }) => name),
  ])
  return digest([user.id, env.companyIds, [...user.groupIds].sort((a, b) => a - b), seen])
}

/** Sets and big numbers as JSON knows them. */
const plain = (_: string, value: unknown) =>
  value instanceof Set ? [...value] : typeof value === 'bigint' ? String(value) : value

/**
 * Position of a reader: in the snapshot at a model after an id, or in the changes at a place in a row. A row
 * may stand for several records (`model` as the question numbers them, `id`): the position includes the last
 * of them that was sent; 0 for none.
 */
export type Place =
  | { readonly phase: 'snapshot'; readonly model: number; readonly id: number; readonly since: number }
  | {
      readonly phase: 'changes'
      readonly seq: number
      readonly n: number
      readonly k: number
      readonly model: number
      readonly id: number
    }

/** The position before any record of a row. */
export const startOfRow = (seq: number, n = 0, k = 0): Extract<Place, { phase: 'changes' }> => ({
  phase: 'changes',
  seq,
  n,
  k,
  model: 0,
  id: 0,
})

/** The cursor of a position: it also names the feed, the question and the caller's view of it. */
export function cursorText({ mark, rights }: Question, { feed }: Horizon, place: Place): string {
  const at =
    place.phase === 'snapshot'
      ? ['s', place.model, place.id, place.since]
      : ['c', place.seq, place.n, place.k, ...(place.id ? [place.model, place.id] : [])]
  return `c1.${Buffer.from(JSON.stringify([feed, mark, rights, ...at])).toString('base64url')}`
}

/**
 * Throws UnprocessableEntity for a cursor of another query, Gone where what it points at is not there any
 * more.
 */
export function placeIn(
  cursor: unknown,
  { mark, rights }: Question,
  { feed, floor, last, kept }: Horizon,
): Place {
  const parts = partsOf(cursor)
  if (!parts || parts.mark !== mark)
    throw wrong('The cursor belongs to another query: start again without a cursor.', 'cursor_mismatch')
  const { place } = parts
  const next = place.phase === 'snapshot' ? place.since + 1 : place.seq
  if (parts.feed !== feed || !kept)
    throw resync(
      'feed',
      'The cursor belongs to another feed: the database was restored, copied or moved, or changes were not recorded for a while.',
    )
  if (parts.rights !== rights)
    throw resync('rights', 'The access rights to the followed records have changed.')
  if (next <= floor) throw resync('expired', 'The changes since then are no longer kept.')
  if (next > last + 1)
    throw resync(
      'ahead',
      'The feed has not reached this cursor: an earlier state of the database was restored.',
    )
  return place
}

const resync = (reason: string, message: string) =>
  new Gone(message, { code: 'resync_required', context: { reason } })

function partsOf(cursor: unknown) {
  if (typeof cursor !== 'string' || !/^c1\.[\w-]{1,1000}$/.test(cursor)) return null
  const bytes = fromBase64url(cursor.slice(3))
  if (!bytes) return null
  try {
    const [feed, mark, rights, phase, ...numbers] = JSON.parse(bytes.toString()) as [
      string,
      string,
      string,
      string,
      ...number[],
    ]
    const [a = -1, b = -1, c = -1, model = 0, id = 0] = numbers
    if (![a, b, c, model, id].every((number) => Number.isSafeInteger(number) && number >= 0)) return null
    if (phase === 's')
      return { feed, mark, rights, place: { phase: 'snapshot', model: a, id: b, since: c } as const }
    return phase === 'c' ? { feed, mark, rights, place: { ...startOfRow(a, b, c), model, id } } : null
  } catch {
    return null
  }
}
