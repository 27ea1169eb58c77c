// Parses a batch: its calls are checked before any of them runs.
import { BadRequest, UnprocessableEntity } from '../../errors.ts'
import { type Match, matchIn } from '../calls/versions.ts'
import type { CallBody } from '../request.ts'
import { referencesIn } from './references.ts'

export interface PlannedCall {
  readonly id: string | null
  readonly model: string
  readonly method: string
  /** Parameters as they came: with references in it. */
  readonly body: Readonly<Record<string, unknown>>
  /** The version that its records must have. */
  readonly ifMatch: string | null
  /** Ids of earlier calls that it takes values from. */
  readonly needs: ReadonlySet<string>
}

export interface Plan {
  readonly atomic: boolean
  readonly context: unknown
  readonly calls: readonly PlannedCall[]
}

/** Calls of one batch. */
const MOST_CALLS = 100

const wrong = (message: string, code?: string) => new UnprocessableEntity(message, code ? { code } : {})

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function assertMembers(value: Record<string, unknown>, members: readonly string[], where: string): void {
  const unknown = Object.keys(value).find((name) => !members.includes(name))
  if (unknown !== undefined)
    throw wrong(`${where} has no member '${unknown.slice(0, 100)}'; valid members are ${members.join(', ')}.`)
}

/**
 * Throws UnprocessableEntity for what is not a batch, for too many calls, and for a reference to a call that
 * does not come before.
 */
export function planOf(decoded: unknown): Plan {
  if (!isObject(decoded)) throw wrong('The request body must be a JSON object')
  assertMembers(decoded, ['atomic', 'calls', 'context'], 'A batch')
  const { atomic = true, calls, context } = decoded
  if (typeof atomic !== 'boolean') throw wrong('atomic must be true or false.')
  if (!Array.isArray(calls) || calls.length === 0) throw wrong('calls must be a list of calls.')
  if (calls.length > MOST_CALLS)
    throw wrong(`A batch has ${MOST_CALLS} calls at most, not ${calls.length}.`, 'too_many')
  const ids = new Set<string>()
  const planned = calls.map((call: unknown, n) => {
    const planned = plannedCall(call, n)
    for (const need of planned.needs)
      if (!ids.has(need))
        throw wrong(
          `Call ${n} refers to '${need.slice(0, 64)}', which is not the id of an earlier call.`,
          'bad_reference',
        )
    if (planned.id !== null && ids.has(planned.id)) throw wrong(`Two calls have the id '${planned.id}'.`)
    if (planned.id !== null) ids.add(planned.id)
    return planned
  })
  return { atomic, context, calls: planned }
}

function plannedCall(call: unknown, n: number): PlannedCall {
  if (!isObject(call)) throw wrong(`Call ${n} is not an object.`)
  assertMembers(call, ['id', 'model', 'method', 'body', 'ifMatch'], `Call ${n}`)
  const { id = null, model, method, body = {}, ifMatch = null } = call
  if (id !== null && !(typeof id === 'string' && /^[A-Za-z0-9_-]{1,64}$/.test(id)))
    throw wrong(`The id of call ${n} must be 1 to 64 letters, digits, - or _.`)
  if (typeof model !== 'string' || typeof method !== 'string')
    throw wrong(`Call ${n} must name a model and a method.`)
  if (!isObject(body)) throw wrong(`The body of call ${n} must be an object.`)
  return {
    id,
    model,
    method,
    body,
    ifMatch: ifMatch === null ? null : matchOf(ifMatch, n),
    needs: referencesIn(body),
  }
}

/** The version that a call is meant for: as the header has it, or the tag without its quotation marks. */
function matchOf(value: unknown, n: number): Match {
  if (typeof value !== 'string') throw wrong(`ifMatch of call ${n} must be a text.`)
  const match = matchIn(value) ?? matchIn(`"${value}"`)
  if (match === null)
    throw new BadRequest(`ifMatch of call ${n} must be one strong tag such as "v1-…", or *`, {
      code: 'malformed_header',
    })
  return match
}

/** A body as JSON-2 takes it, with the batch's context as its default. */
export function bodyOf(filled: Readonly<Record<string, unknown>>, context: unknown): CallBody {
  const { ids, context: callContext = context, ...named } = filled
  return { ids, context: callContext, named: Object.assign(Object.create(null), named) }
}
