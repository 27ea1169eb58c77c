// The tools that change something: a tool and its arguments become calls, which are tried out unless they are
// to be done.
import { UnprocessableEntity } from '../errors.ts'
import type { Ability, Deed, Performed } from '../services/agents/index.ts'
import { fitting, type Row, shortened } from './plain-values.ts'
import type { Arguments } from './read-tools.ts'
import { budgetOf, type Visit, verbs } from './visit.ts'

/** A call as a batch takes it; values that agents give are no references. */
interface Call {
  readonly id?: unknown
  readonly model: unknown
  readonly method: unknown
  readonly body: Readonly<Record<string, unknown>>
}

const call = (model: unknown, method: unknown, values: Readonly<Record<string, unknown>>): Call => ({
  model,
  method,
  body: Object.fromEntries(
    Object.entries(values)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, { $literal: value }]),
  ),
})

const object = (value: unknown): Readonly<Record<string, unknown>> => ({ ...(value as object | undefined) })

/** The calls that a tool stands for. */
const callsOf: Readonly<Record<string, (toolArguments: Arguments) => readonly Call[]>> = {
  create_records: ({ model, values }) => [call(model, 'create', { vals_list: values })],
  update_records: ({ model, ids, values }) => [call(model, 'write', { ids, vals: values })],
  upsert_records: ({ model, key, values }) => [call(model, 'upsert', { key, vals_list: values })],
  delete_records: ({ model, ids }) => [call(model, 'unlink', { ids })],
  call_method: ({ model, method, ids, parameters }) => [call(model, method, { ...object(parameters), ids })],
  run_batch: ({ calls }) =>
    (calls as readonly Arguments[]).map(({ id, model, method, ids, parameters, ...more }, n) => {
      const [unknown] = Object.keys(more)
      if (unknown !== undefined)
        throw new UnprocessableEntity(
          `Call ${n} has no member '${unknown.slice(0, 100)}'; valid members are id, model, method, ids, parameters.`,
        )
      return {
        ...(id !== undefined && { id }),
        model,
        method,
        body: { ...object(parameters), ...(ids !== undefined && { ids }) },
      }
    }),
}

/** Other abilities that tools need. */
const abilitiesOf: Readonly<Record<string, readonly Ability[]>> = { run_batch: ['batch'] }

/** Whether the arguments ask for the deed itself: they say so, and a plan alone does not. */
export const isConfirmed = ({ dry_run: dryRun }: Arguments): boolean => dryRun === false

/** The deed that a tool's arguments ask for. */
export function requestedWrite(tool: string, toolArguments: Arguments, client: string | null): Deed {
  const { plan, request_key: requestKey } = toolArguments
  return {
    tool,
    client,
    calls: callsOf[tool]?.(toolArguments) ?? [],
    listed: tool === 'call_method',
    abilities: abilitiesOf[tool] ?? [],
    dryRun: !isConfirmed(toolArguments),
    plan: plan === undefined ? undefined : String(plan),
    requestKey: requestKey === undefined ? undefined : String(requestKey),
  }
}

/** Runs a deed. Throws what its first failing call is refused for. */
export async function performWrite(visit: Visit, deed: Deed): Promise<object> {
  const { answer, isReplay, rehearsal } = await verbs.perform(visit, deed)
  if (answer.failed) throw answer.failed.error
  const results = answer.results.map(({ json = 'null' }): unknown => JSON.parse(json))
  const result = deed.tool === 'run_batch' ? results : results[0]
  const room = await budgetOf(visit)
  if (rehearsal) return { dry_run: true, ...planned(rehearsal, room) }
  const fits = fitting([result], room) === 1
  return {
    done: true,
    ...(fits ? { result } : { result: null, truncated: true }),
    ...(isReplay && { replayed: true }),
  }
}

/** Bytes that a plan takes at most. */
const HANDLE = 8192

const HIDDEN =
  'More would change than is shown: records or fields that this key may not read, or files. To see it, use a key that may read them.'

/** The changes that fit into an answer; the plan is about all of them. */
function planned(
  { changes, more, hides, unrecorded, plan, expires }: NonNullable<Performed['rehearsal']>,
  room: number,
): object {
  const short = changes.map((change) => ({
    ...change,
    ...cutIn(change.before, 'before'),
    ...cutIn(change.after, 'after'),
  }))
  const fits = fitting(short, room - HANDLE)
  const notes = [
    hides && HIDDEN,
    unrecorded.length > 0 && `Records of ${unrecorded.join(', ')} would change too, and are not listed.`,
    plan === null && 'Too many records for a plan: change fewer records at once, or send a request_key.',
  ].filter((note) => note !== false)
  return {
    plan,
    expires,
    changes: short.slice(0, fits),
    more: more + short.length - fits,
    ...((hides || unrecorded.length > 0) && { hidden: true }),
    ...(notes.length > 0 && { note: notes.join(' ') }),
  }
}

const cutIn = (values: Row | undefined, name: 'before' | 'after') =>
  values ? { [name]: shortened([values], new Set()).rows[0] } : {}
