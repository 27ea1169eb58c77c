// Creations by one caller, of one model and in one context, that come while others of theirs are under way:
// they are made as one list in one transaction, and each is answered its own part (docs/decisions/0085). What
// fails there is done again by each alone.
import type { Caller } from '../../../access/index.ts'
import type { Database } from '../../../databases/index.ts'
import { type GatheringOptions, Gatherings } from '../../../kit/gatherings.ts'
import { Recent } from '../../../kit/recent.ts'
import { traceNow } from '../../../kit/watch/index.ts'
import type { ModelDef } from '../../../models/language/definitions.ts'
import type { Attempted, Call, CallBody } from '../../request.ts'
import { roomIn } from '../method.ts'
import type { Where } from '../transact.ts'
import { asOne, type Creation, creationIn, partsOf } from './creation.ts'
import { Ending } from './ending.ts'

/** Creations that go on before others wait: PostgreSQL is at one of them, this process at another. */
const AT_ONCE = 2

/** Milliseconds that one waits at most for those under way, which is some times what they take. */
const PATIENCE_MS = 50

/** Calls that are made as one, and values of all of them: what the server does for them at once stays short. */
const [MOST_CALLS, MOST_VALUES] = [16, 1000]

/** Values of a call that is small enough to be made with others. */
const SMALL = 250

/** Kinds of creations of a model that wait at a time. */
const MOST_KINDS = 4

/** How many go alone once some failed together: what fails is done twice, and all that went with it. */
const APART = 20

/** Values of a context, and characters of it, that is compared with others. */
const [FEW, SHORT] = [50, 1000]

/** Kinds of creations of one caller of which it is remembered. */
const KINDS = 100

type Work = (database: Database, caller: Caller, request: Call, standing: Where) => Promise<Attempted>

/** A call that may be made with others. */
interface Member extends Creation {
  readonly request: Call
  readonly body: CallBody
  /** What those have in common that may be made as one: where they come from, and their context. */
  readonly kind: string
  /** Its answer from whoever makes it with others; null: it is to be made alone. */
  readonly led: PromiseWithResolvers<Attempted | null>
  readonly alone: () => Promise<Attempted>
}

/** What is behind all calls of a line. */
interface Behind {
  readonly lines: Gatherings<Member>
  readonly model: string
  readonly database: Database
  readonly caller: Caller
  readonly standing: Where
  readonly work: Work
}

const rules: GatheringOptions<Member> = {
  atOnce: AT_ONCE,
  patienceMs: PATIENCE_MS,
  most: MOST_CALLS,
  mostWeight: MOST_VALUES,
  weigh: ({ values }) => values,
  kinds: MOST_KINDS,
  isAlike: (a, b) => a.kind === b.kind,
}

/** Lines by model, of each caller as it is remembered: by what is expected of the credential. */
const linesOf = new WeakMap<Caller['expected'], Gatherings<Member>>()

/** How many are still to go alone, by model and kind. */
const apartOf = new WeakMap<Gatherings<Member>, Recent<string, number>>()

/** Runs a call of `create` by `work`: a small one with others like it, where some are under way. */
export async function together(
  database: Database,
  caller: Caller,
  request: Call,
  standing: Where,
  work: Work,
): Promise<Attempted> {
  const { model, asks } = request
  if (asks || standing.inLane || standing.turns?.length || standing.elsewhere)
    return work(database, caller, request, standing)
  const { expected } = caller
  const lines = linesOf.get(expected) ?? new Gatherings(rules)
  linesOf.set(expected, lines)
  if (!lines.begins(model)) return inLine(request, { lines, model, database, caller, standing, work })
  try {
    return await work(database, caller, request, standing)
  } finally {
    lines.end(model)
  }
}

/** Whether a call of `create` does what every such call of its model does, and nothing is asked beside. */
const isPlain = ({ rights, scope }: Caller, call: Call): boolean =>
  !(call.timing || call.door || call.job || call.queued || call.takesOut || scope?.dry) &&
  call.said === undefined &&
  // What webhooks hear of a change belongs to the trace of its own call.
  traceNow() === null &&
  isJoined(rights.registry.models.get(call.model))

const isJoined = (model: ModelDef | undefined): boolean =>
  model?.joinsCreates === true && model.methods.get('create')?.module === 'core'

/** Makes a call when its turn comes, alone or with those that wait behind it, or has it made by another. */
async function inLine(request: Call, behind: Behind): Promise<Attempted> {
  const member = memberOf(request, behind)
  if (typeof member === 'function') return member()
  // Where those that wait are of many kinds it would stand in line for nothing.
  if (!behind.lines.mayJoin(behind.model, member)) return member.alone()
  const members = await behind.lines.wait(behind.model, member)
  if (!members) return (await member.led.promise) ?? member.alone()
  try {
    return await (members.length === 1 ? member.alone() : made(member, members, behind))
  } finally {
    behind.lines.end(behind.model)
  }
}

/** A call as it may be made with others; where it may not, what makes it alone. */
function memberOf(
  given: Call,
  { lines, model, database, caller, standing, work }: Behind,
): Member | Member['alone'] {
  if (!isPlain(caller, given)) return () => work(database, caller, given, standing)
  const { request, body } = decoded(given)
  const alone = () => work(database, caller, request, standing)
  const creation = body && creationIn(body, SMALL)
  if (!creation) return alone
  const context = contextText(body)
  if (context === null) return alone
  const kind = `${body.rpc ?? false} ${request.remote} ${context}`
  const apart = apartOf.get(lines)
  const left = apart?.get(`${model} ${kind}`) ?? 0
  if (left > 0) {
    apart?.set(`${model} ${kind}`, left - 1)
    return alone
  }
  return { ...creation, request, body, kind, alone, led: Promise.withResolvers() }
}

/** What tells contexts apart; null for one that is large, which is alone in its kind anyway. */
function contextText({ context }: CallBody): string | null {
  if (context === undefined) return ''
  if (roomIn(context, FEW) < 0) return null
  const text = JSON.stringify(context)
  return text.length > SHORT ? null : text
}

/** The call with its body decoded once; null for one that cannot be read, or not at once. */
function decoded(given: Call): { readonly request: Call; readonly body: CallBody | null } {
  try {
    const body = given.body()
    const request = { ...given, body: () => body }
    if (!(body instanceof Promise)) return { request, body }
    // What is wrong with it is heard once the call gets to it, which may never be.
    body.catch(() => undefined)
    return { request, body: null }
  } catch (error) {
    const refuse = () => {
      throw error
    }
    return { request: { ...given, body: refuse }, body: null }
  }
}

/** Makes what several calls ask for. Gives the answer to the first of them, and the others theirs. */
async function made(first: Member, members: readonly Member[], behind: Behind): Promise<Attempted> {
  const { lines, model, database, caller, standing, work } = behind
  const others = members.slice(1)
  const body = asOne(first.body, members)
  const gone = () => members.every(({ request }) => request.gone?.() ?? false)
  const ending = new Ending(members.reduce((sum, { rows }) => sum + rows.length, 0))
  try {
    const request = { ...first.request, body: () => body, gone }
    const answer = await work(database, caller, request, { ...standing, ending })
    for (const { request } of others) database.callers.noteUse(caller, request.remote, request.userAgent)
    const [json = '', ...parts] = partsOf(answer.json, members)
    for (const [n, part] of parts.entries()) others[n]?.led.resolve({ ...answer, json: part })
    return { ...answer, json }
  } catch (error) {
    const isUndone = ending.isUndone(error)
    for (const { led } of others) isUndone ? led.resolve(null) : led.reject(error)
    if (!isUndone) throw error
    const apart = apartOf.get(lines) ?? new Recent(KINDS)
    apart.set(`${model} ${first.kind}`, APART)
    apartOf.set(lines, apart)
    return first.alone()
  }
}
