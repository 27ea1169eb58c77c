// Creations by one caller, of one model and in one context, that come while others of theirs are under way:
// they are made as one list in one transaction, and each is answered its own part (docs/decisions/0085). What
// fails there is done again by each alone.
import type { Caller } from '../../../access/index.ts'
import type { Database } from '../../../databases/index.ts'
import { Gatherings } from '../../../kit/gatherings.ts'
import { Recent } from '../../../kit/recent.ts'
import { serial } from '../../../kit/serial.ts'
import type { Attempted, Call, CallBody } from '../../request.ts'
import type { Where } from '../transact.ts'
import { asOne, type Creation, creationIn, partsOf } from './creation.ts'
import { Ending } from './ending.ts'

/** Creations that go on before the like of them wait: PostgreSQL is at one of them, this process at another. */
const AT_ONCE = 2

/** Milliseconds that one waits at most for those under way, which is some times what they take. */
const PATIENCE_MS = 50

/** Calls that are made as one, and values of all of them: what the server does for them at once stays short. */
const [MOST_CALLS, MOST_VALUES] = [16, 1000]

/** Values of a call that is small enough to be made with others. */
const SMALL = 250

/** How many go alone once some failed together: what fails is done twice, and all that went with it. */
const APART = 20

type Work = (database: Database, caller: Caller, request: Call, standing: Where) => Promise<Attempted>

/** A call that may be made with others. */
interface Member extends Creation {
  readonly request: Call
  /** Its answer from whoever makes it with others; null: it is to be made alone. */
  readonly led: PromiseWithResolvers<Attempted | null>
  readonly alone: () => Promise<Attempted>
}

/** What several calls have in common. */
interface Common {
  /** What they are alike in. */
  readonly key: string
  /** That of one of them. */
  readonly body: CallBody
  readonly database: Database
  readonly caller: Caller
  readonly standing: Where
  readonly work: Work
}

const gatherings = new Gatherings<Member>({
  atOnce: AT_ONCE,
  patienceMs: PATIENCE_MS,
  most: MOST_CALLS,
  mostWeight: MOST_VALUES,
  weigh: ({ values }) => values,
})

/** How many are still to go alone, by what they are alike in. */
const apart = new Recent<string, number>(1000)

/** Runs a call by `work`: a small creation with others like it, where some are under way. */
export function together(
  database: Database,
  caller: Caller,
  given: Call,
  standing: Where,
  work: Work,
): Promise<Attempted> {
  if (!mayGather(caller, given, standing)) return work(database, caller, given, standing)
  const { request, body } = decoded(given)
  const alone = () => work(database, caller, request, standing)
  const creation = body && creationIn(body, SMALL)
  if (!creation) return alone()
  const key = lineOf(caller, request, body)
  const left = apart.get(key) ?? 0
  if (left > 0) {
    apart.set(key, left - 1)
    return alone()
  }
  const member = { ...creation, request, alone, led: Promise.withResolvers<Attempted | null>() }
  return inLine(member, { key, body, database, caller, standing, work })
}

/** Whether a call asks for nothing beside what it is called for, and is done for the first time. */
const mayGather = ({ rights, scope }: Caller, call: Call, { inLane, turns, elsewhere }: Where): boolean =>
  call.method === 'create' &&
  !(call.asks || call.timing || call.door || call.job || call.queued || call.takesOut) &&
  call.said === undefined &&
  !(scope?.dry || inLane || turns?.length || elsewhere) &&
  rights.registry.models.get(call.model)?.methods.get('create')?.module === 'core'

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

/** What creations are alike in: who calls, from where, what is made and in which context. */
const lineOf = ({ expected }: Caller, { model, remote }: Call, { rpc = false, context }: CallBody): string =>
  `${serial(expected)} ${model} ${rpc} ${remote} ${context === undefined ? '' : JSON.stringify(context)}`

/** Makes a call when its turn comes, alone or with those that wait behind it, or has it made by another. */
async function inLine(member: Member, common: Common): Promise<Attempted> {
  const turn = gatherings.enter(common.key, member)
  const members = turn instanceof Promise ? await turn : turn
  if (!members) return (await member.led.promise) ?? member.alone()
  try {
    return await (members.length === 1 ? member.alone() : made(member, members, common))
  } finally {
    gatherings.end(common.key)
  }
}

/** Makes what several calls ask for. Gives the answer to the first of them, and the others theirs. */
async function made(first: Member, members: readonly Member[], common: Common): Promise<Attempted> {
  const { key, body, database, caller, standing, work } = common
  const others = members.slice(1)
  const whole = asOne(body, members)
  const gone = () => members.every(({ request }) => request.gone?.() ?? false)
  const ending = new Ending(members.reduce((sum, { rows }) => sum + rows.length, 0))
  try {
    const request = { ...first.request, body: () => whole, gone }
    const answer = await work(database, caller, request, { ...standing, ending })
    for (const { request } of others) database.callers.noteUse(caller, request.remote, request.userAgent)
    const [json = '', ...parts] = partsOf(answer.json, members)
    for (const [n, part] of parts.entries()) others[n]?.led.resolve({ ...answer, json: part })
    return { ...answer, json }
  } catch (error) {
    const isUndone = ending.isUndone(error)
    for (const { led } of others) isUndone ? led.resolve(null) : led.reject(error)
    if (!isUndone) throw error
    apart.set(key, APART)
    return first.alone()
  }
}
