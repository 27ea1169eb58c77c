// The verbs of agents (docs/decisions/0048): who they are, a look at what they may see, and calls that are
// tried out first and then run as they were shown.
import { createHash } from 'node:crypto'
import { askPool, type Caller } from '../../access/index.ts'
import type { Databases } from '../../databases/index.ts'
import { PreconditionFailed, UnprocessableEntity } from '../../errors.ts'
import { canonical } from '../../kit/canonical.ts'
import { watch } from '../../kit/watch/index.ts'
import type { Environment } from '../../models/language/environment.ts'
import { leaf } from '../../models/language/tree.ts'
import { searchIds } from '../../models/read/search.ts'
import { recordAudit } from '../../models/rights/audit.ts'
import { type Ability, type KeyScope, missingFor, opensAbility } from '../../models/rights/key-scope.ts'
import { sql } from '../../sql/index.ts'
import { type BatchAnswer, batch } from '../batch/index.ts'
import type { Outcome } from '../batch/outcome.ts'
import type { Plan } from '../batch/plan.ts'
import type { Entry } from '../batch/request.ts'
import { watchedCall } from '../calls/call-metrics.ts'
import { inDatabase, type Owner } from '../calls/caller.ts'
import { envOf } from '../calls/method.ts'
import { assertAbility } from '../calls/scope.ts'
import { transact } from '../calls/transact.ts'
import { versionOfSet } from '../calls/versions.ts'
import type { RequestPreferences } from '../request.ts'
import { briefFields, isShownToAgents } from './brief-fields.ts'
import { assertKeptOff, assertOpen } from './guarded-models.ts'
import { type Seal, sealed, type Touched, unsealed } from './plan-handle.ts'
import { type PlannedChange, type Rehearsal, runDry } from './rehearsal.ts'

export type { Ability } from '../../models/rights/key-scope.ts'
export type { PlannedChange } from './rehearsal.ts'

/** The caller that an agent acts for. */
export interface Agent {
  readonly uid: number
  /**
   * Whether the key opens an endpoint. Only the list of tools depends on it; calls are authorized on their
   * own.
   */
  readonly opens: (ability: Ability) => boolean
}

/**
 * Identifies the caller. Throws AccessError for a key without access to the agents' endpoint, and the error
 * of invalid credentials: `proves` has them checked now, where no call follows that would do it.
 */
export function agent(server: Databases, owner: Owner, proves: boolean): Promise<Agent> {
  return inDatabase(server, owner, async (database, caller) => {
    const { scope, credentialQuery, profile } = caller
    const opens = (ability: Ability) => !scope || opensAbility(scope, ability)
    // A cached key may be outdated: check it in the database before refusing the caller.
    if (proves || !opens('mcp'))
      credentialQuery.verify(await askPool(database.pool)(credentialQuery.statement))
    assertAbility(caller, 'mcp')
    return { uid: profile.id, opens }
  })
}

/**
 * Kilobytes that an answer may have, by the policy of the key; null: as usual. Asked once a call has proven
 * the key: what is remembered is of now then.
 */
export const budget = (server: Databases, owner: Owner): Promise<number | null> =>
  inDatabase(server, owner, async (_database, { policy }) => policy?.budget ?? null)

/** Whether a caller may call a method at all, by the scope of their key; rights aside. */
export type Opens = (model: string, method: { readonly name: string; readonly readonly: boolean }) => boolean

const opensOf =
  (scope: KeyScope | null | undefined): Opens =>
  (model, method) =>
    !scope || missingFor(scope, model, method) === null

/** Runs `work`, which only reads, as the caller. */
export function runReadOnly<T>(
  server: Databases,
  owner: Owner,
  work: (env: Environment, opens: Opens) => Promise<T>,
): Promise<T> {
  return inDatabase(server, owner, (database, caller, standing) =>
    transact(database, caller, owner, { readonly: true, ...standing }, (unit) => {
      assertAbility(caller, 'mcp')
      const { lang, tz } = caller.profile
      return work(
        envOf(unit, caller, { ...(lang && { lang }), ...(tz && { tz }) }, null),
        opensOf(caller.scope),
      )
    }),
  )
}

/**
 * Which records of a model the caller sees, archived ones too: what is hidden from them is as if it were not.
 */
export const visibleAmong = (
  server: Databases,
  owner: Owner,
  name: string,
  ids: readonly number[],
): Promise<readonly number[]> =>
  runReadOnly(server, owner, async (env) => {
    const model = env.unit.registry.get(name)
    const all = env.withContext({ active_test: false })
    return model ? await searchIds(all, model, leaf(['id'], 'in', ids), {}) : []
  })

/** Fields of a model, known before its records are read. */
export interface Telling {
  /** Fields shown by default. */
  readonly brief: readonly string[]
  /** Fields whose values are markup. */
  readonly markup: ReadonlySet<string>
  /** Fields that are never shown. */
  readonly silent: ReadonlySet<string>
  /** Fields that may be shown. */
  readonly all: readonly string[]
}

const noTelling: Telling = { brief: [], markup: new Set(), silent: new Set(), all: [] }

/** Fields of a model by use; empty for an unknown model. Checks no credential: the call that follows does. */
export function fieldsByUse(server: Databases, owner: Owner, name: string): Promise<Telling> {
  return inDatabase(server, owner, async (_database, { rights, profile }) => {
    const model = rights.registry.get(name)
    if (!model) return noTelling
    const seen = [...model.fields.values()].filter((field) => rights.mayField(profile, field))
    const shownFields = seen.filter(isShownToAgents)
    return {
      brief: briefFields(model, (field) => seen.includes(field)),
      markup: new Set(shownFields.filter(({ kind }) => kind === 'html').map((field) => field.name)),
      silent: new Set(seen.filter((field) => !isShownToAgents(field)).map((field) => field.name)),
      all: shownFields.map((field) => field.name),
    }
  })
}

/** An action that an agent requests. */
export interface Deed {
  /** The tool that it came by, and what the client calls itself. */
  readonly tool: string
  readonly client: string | null
  /** As `/x/1/batch` takes it; always all or nothing. */
  readonly calls: unknown
  /** Whether every call has to be listed in the scope of the key. */
  readonly listed: boolean
  /** Other abilities that the key needs. */
  readonly abilities: readonly Ability[]
  readonly dryRun: boolean
  /** The handle of the rehearsal that was agreed to. */
  readonly plan: string | undefined
  /** The caller's own name for the deed, where there is no plan. */
  readonly requestKey: string | undefined
}

/** Outcome of an action. */
export interface Performed {
  readonly answer: BatchAnswer
  readonly isReplay: boolean
  /** Null where it was done. */
  readonly rehearsal: {
    readonly plan: string | null
    readonly expires: string | null
    readonly changes: readonly PlannedChange[]
    readonly more: number
    readonly hides: boolean
    readonly unrecorded: readonly string[]
  } | null
}

/** Tries a deed out, or does it. Throws what a batch throws, and UnprocessableEntity for a bad plan. */
export async function perform(
  server: Databases,
  owner: Owner & { readonly requestId: string },
  deed: Deed,
): Promise<Performed> {
  if (!deed.dryRun && deed.plan === undefined && deed.requestKey === undefined)
    throw new UnprocessableEntity(
      'dry_run: false requires the plan of a dry run, or a request_key that you choose and keep for retries.',
      { code: 'plan_required' },
    )
  const outcome: { rehearsal: (Rehearsal & { readonly seal: Seal }) | null; isReplay: boolean } = {
    rehearsal: null,
    isReplay: false,
  }
  const asks: RequestPreferences = {
    key: deed.dryRun ? undefined : keyOf(deed),
    dryRun: deed.dryRun,
    typed: { zone: null, decimal: false },
    problem: true,
    tell: (name) => {
      if (name === 'idempotent-replayed') outcome.isReplay = true
    },
  }
  const entry: Entry = {
    abilities: ['mcp', 'mcp:write', ...deed.abilities],
    judge: (caller, calls) => assertOpen(caller, calls, deed.listed),
    run: async ({ unit, caller, plan, calls }, work) => {
      const env = envOf(unit, caller, {}, null)
      const seal = { secret: await secretOf(env), subject: subjectOf(caller, plan) }
      // A key that only permits dry runs gets a rehearsal, and the answer says so.
      if (deed.dryRun || caller.scope?.dry) {
        outcome.rehearsal = { ...(await runDry(env, caller, () => watchedOver(caller, env, work))), seal }
        return outcome.rehearsal.outcomes
      }
      if (deed.plan !== undefined) expect(env, unsealed(seal, deed.plan, Date.now()))
      if (calls.some(({ method }) => !method.readonly)) noteDeed(env, deed, calls)
      return watchedOver(caller, env, work)
    },
  }
  const run = () => batch(server, { ...owner, body: () => ({ calls: deed.calls }), asks, entry })
  const answer = await (watch.isOn ? watchedCall(server, { ...nameOf(deed), ...owner, asks }, run) : run())
  const { rehearsal, isReplay } = outcome
  if (!rehearsal) return { answer, isReplay, rehearsal: null }
  const { touched, seal, changes, more, hides, unrecorded } = rehearsal
  const handle = touched ? sealed(seal, touched, Date.now()) : { plan: null, expires: null }
  return { answer, isReplay, rehearsal: { ...handle, changes, more, hides, unrecorded } }
}

const keyOf = ({ plan, requestKey }: Deed): string =>
  plan === undefined ? `mcp:${requestKey}` : `mcp:${createHash('sha256').update(plan).digest('hex')}`

/** Work, and a look at what it did through the fields of other models. */
async function watchedOver(
  caller: Caller,
  { unit }: Environment,
  work: () => Promise<Outcome[]>,
): Promise<Outcome[]> {
  const outcomes = await work()
  assertKeptOff(caller, unit)
  return outcomes
}

/** Name of the action in metrics and traces: its method, where it has just one. */
function nameOf({ calls }: Deed): { readonly model: string; readonly method: string } {
  const [only, more] = calls as readonly { readonly model?: unknown; readonly method?: unknown }[]
  return more ? { model: '', method: 'batch' } : { model: String(only?.model), method: String(only?.method) }
}

/** Canonical text of the caller and the calls. */
const subjectOf = ({ profile }: Caller, { calls, context }: Plan): string =>
  canonical([
    profile.id,
    context ?? null,
    calls.map(({ id, model, method, body, ifMatch }) => ({ id, model, method, body, ifMatch })),
  ])

/** The database's secret, which copies do not share. */
export async function secretOf(env: Environment): Promise<string> {
  const [row] = await env.query(sql`SELECT value FROM ir_config_parameter WHERE key = 'database.secret'`)
  if (typeof row?.[0] !== 'string' || row[0].length < 16)
    throw new UnprocessableEntity(
      'This database has no parameter database.secret, which plans are encrypted with.',
    )
  return row[0]
}

/** Checks that what a plan is about is as it was. */
function expect(env: Environment, touched: readonly Touched[]): void {
  const refusal = () =>
    new PreconditionFailed('Records of this plan have changed since the dry run. Do a new dry run.', {
      code: 'version_mismatch',
    })
  for (const [name, version, ids] of touched) {
    const model = env.unit.registry.get(name)
    if (!model) throw refusal()
    env.unit.buffer.check(sql`SELECT 1 WHERE (${versionOfSet(model, ids)}) <> ${version}`, refusal)
  }
}

function noteDeed(env: Environment, { tool, client }: Deed, calls: Parameters<Entry['judge']>[1]): void {
  const methods = [...new Set(calls.map(({ model, method }) => `${model.name}/${method.name}`))]
  recordAudit(env, {
    event: 'agent.call',
    name: client,
    ...(calls.length === 1 && calls[0] ? { model: calls[0].model.name } : {}),
    detail: { door: 'mcp', tool, methods: methods.slice(0, 20) },
  })
}
