// Judges every value that a caller asks to write, by whatever way, before anything is written
// (docs/decisions/0090). Values that code writes by itself are not judged.

import { AccessError, UserError } from '../../errors.ts'
import { unquoted } from '../../kit/nothing.ts'
import { present } from '../../kit/present.ts'
import { ALWAYS, type Authority, LOCKED } from '../language/audited.ts'
import type {
  Change,
  FieldDef,
  Ids,
  LooseRecords,
  LooseVals,
  MethodDef,
  ModelDef,
  X2manyDef,
} from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { leadsToMany } from '../language/field-options.ts'
import { loadPaths } from '../load/load.ts'
import { assertModel } from '../rights/judge.ts'
import { guardRecords } from '../row/access.ts'
import { keptDefaults } from '../row/company-values.ts'
import { isEmptyOrDefault, isUnchanged, type Parsed, parseCommands } from './commands/parse.ts'
import {
  assertComputedAsGiven,
  assertComputedKept,
  assertNoComputed,
  setByServer,
} from './computed-values.ts'
import { assertFormsReadable, assertLinksReadable, assertNewLinksReadable } from './shown-links.ts'

/** `create` of a model, around everything that modules put around it. */
export function authorizedCreate(model: ModelDef, method: MethodDef): MethodDef {
  if (model.kind === 'abstract') return method
  const run: MethodDef['run'] = async (records, params) => {
    const { env } = records as unknown as LooseRecords
    if (!env.direct || !Array.isArray(params.vals_list)) return method.run(records, params)
    const vals_list: readonly unknown[] = params.vals_list
    await authorizeCreate(env, model, vals_list)
    const created = await method.run(records, params)
    if (env.su) return created
    const { ids } = created as LooseRecords
    if (model.kind === 'transient') await assertFormsReadable(env, model, ids)
    const comparing = assertComputedAsGiven(env, model, ids, vals_list)
    if (comparing) await comparing
    return created
  }
  return { ...method, run }
}

/** `unlink` of a model, around everything that modules put around it. */
export function authorizedUnlink(model: ModelDef, method: MethodDef): MethodDef {
  if (!model.authority) return method
  const run: MethodDef['run'] = async (records, params) => {
    const { env, ids } = records as unknown as LooseRecords
    if (env.direct) await authorizeUnlink(env, model, ids)
    return method.run(records, params)
  }
  return { ...method, run }
}

/**
 * Throws UserError for values that the records do not take from people in their state, AccessError for
 * those that others may write; null where there is nothing to judge.
 */
export function authorizeWrite(
  env: Environment,
  model: ModelDef,
  changes: readonly Change[],
): Promise<void> | null {
  const { authority } = model
  if (!env.direct || env.su) return null
  const reading = assertLinksReadable(env, model, changes)
  if (!authority && reading) return reading.then(() => assertComputedKept(env, model, changes) ?? undefined)
  if (!authority) return assertComputedKept(env, model, changes)
  const judged = judgedOf(model, authority, changes)
  if (judged.length === 0) return reading
  const judging = () => judgeChanges(env, model, authority, judged)
  return reading ? reading.then(judging) : judging()
}

const judgedOf = (model: ModelDef, authority: Authority, changes: readonly Change[]): Judged[] =>
  changes.flatMap(({ ids, vals }) => {
    const fields = fieldsIn(model, vals).filter((field) => isJudged(authority, field))
    return ids.length && fields.length ? [{ ids, vals: vals as LooseVals, fields }] : []
  })

interface Judged {
  readonly ids: Ids
  readonly vals: LooseVals
  readonly fields: readonly FieldDef[]
}

async function judgeChanges(
  env: Environment,
  model: ModelDef,
  authority: Authority,
  changes: readonly Judged[],
): Promise<void> {
  const ids = [...new Set(changes.flatMap((change) => change.ids))]
  const states = await statesOf(env, model, ids, 'write')
  for (const { ids: changedIds, vals, fields } of changes) {
    assertRoles(env, authority, fields)
    const refused = changedIds.flatMap((id) => {
      const state = states.get(id)
      if (state === undefined) return []
      return fields
        .filter(
          (field) => !authority.allows(field, state) || !isMember(env, authority.groupLater(field, state)),
        )
        .map((field) => ({ id, field, state }))
    })
    if (refused.length) await assertUnchanged(env, model, vals, refused)
    await assertInto(env, model, authority, [vals])
  }
}

/** Throws UserError for records that people do not make: in another state than the first, or by hand. */
async function authorizeCreate(env: Environment, model: ModelDef, list: readonly unknown[]): Promise<void> {
  const { authority } = model
  if (env.su) return
  if (!authority && model.kind === 'transient') return
  if (authority) assertModel(env, model, 'create')
  const ofContext = defaultsOfContext(env, model)
  const withDefaults = list.map((vals) => ({ ...ofContext, ...asVals(vals) }))
  const reading = assertNewLinksReadable(env, model, withDefaults)
  if (reading) await reading
  if (!authority) return
  for (const values of withDefaults) {
    const fields = fieldsIn(model, values)
    assertRoles(env, authority, fields)
    for (const field of fields) {
      if (authority.gives(field) || isEmptyOrDefault(env, field, values[field.name])) continue
      const isFirst = field === authority.stateField && values[field.name] === authority.first
      if (!isFirst) throw setByServer(field)
    }
  }
  const kept = keptDefaults(env, model, env.user)
  const complete = withDefaults.map((values) => ({ ...kept, ...values }))
  await assertInto(env, model, authority, complete)
}

/** As `create` judges them: values that replace those of a copy, with those of their lines. */
export async function authorizeValues(env: Environment, model: ModelDef, vals: unknown): Promise<void> {
  if (!env.direct || env.su) return
  await authorizeCreate(env, model, [asVals(vals)])
  assertNoComputed(env, model, asVals(vals))
  for (const field of fieldsIn(model, vals)) {
    if (!leadsToMany(field)) continue
    for (const command of parseCommands(field, asVals(vals)[field.name]))
      await authorizeCommand(env, field, command)
  }
}

/** Throws UserError for copies that would be added to closed documents, as what they copy was before. */
export async function authorizeCopies(
  env: Environment,
  model: ModelDef,
  copies: readonly LooseVals[],
): Promise<void> {
  if (model.authority && env.direct && !env.su) await assertInto(env, model, model.authority, copies)
}

async function authorizeCommand(env: Environment, field: X2manyDef, command: Parsed): Promise<void> {
  const { comodel, inverse } = field
  if (command.code === 0) return authorizeValues(env, comodel, command.vals)
  if (command.code === 2) return authorizeUnlink(env, comodel, [command.id])
  const ids = 'ids' in command ? command.ids : 'id' in command ? [command.id] : []
  const vals = command.code === 1 ? command.vals : inverse === null ? {} : { [inverse]: null }
  await authorizeWrite(env, comodel, [{ ids, vals }])
}

/** Throws UserError for records that stay. */
async function authorizeUnlink(env: Environment, model: ModelDef, ids: Ids): Promise<void> {
  const { authority } = model
  if (!authority || env.su || ids.length === 0) return
  const states = await statesOf(env, model, ids, 'unlink')
  if (!isMember(env, authority.remover))
    throw new AccessError(`You may not delete records of ${model.label}.`, about(model))
  for (const state of states.values())
    if (!authority.removed.has(state))
      throw new UserError(
        state === ALWAYS
          ? `Only the server can delete records of ${model.label}.`
          : `Records of ${model.label} cannot be deleted once they are ${worded(state)}.`,
        about(model),
      )
}

async function statesOf(
  env: Environment,
  model: ModelDef,
  ids: Ids,
  operation: 'write' | 'unlink',
): Promise<Map<number, string>> {
  const { readPaths, stateOf } = present(model.authority)
  assertModel(env, model, operation)
  await guardRecords(env, model, ids, operation, 'refuse')
  const rows = await loadPaths(env.sudo(), model, ids, readPaths)
  return new Map(rows.map((row) => [row.id as number, stateOf(row)]))
}

/** Links lead to documents that are open for it: parts are not added to closed ones, nor moved there. */
async function assertInto(
  env: Environment,
  model: ModelDef,
  authority: Authority,
  list: readonly LooseVals[],
): Promise<void> {
  const links = new Map(authority.into)
  if (authority.partOf) links.set(authority.partOf.name, authority.added)
  for (const [name, states] of links) {
    const field = model.fields.get(name)
    const comodel = field?.comodel
    if (!field || !comodel?.authority) continue
    const targets = new Set(list.map((vals) => unquoted(vals[name])).filter((id) => Number.isInteger(id)))
    if (targets.size === 0) continue
    const { paths, stateOf } = comodel.authority
    const rows = await loadPaths(env.sudo(), comodel, [...targets] as number[], paths)
    const wrong = rows.map(stateOf).find((state) => !states.has(state))
    if (wrong !== undefined)
      throw new UserError(
        `Nothing can be added to a record of ${comodel.label} that is ${worded(wrong)} (${field.label}).`,
        about(model, field),
      )
  }
}

function assertRoles(env: Environment, authority: Authority, fields: readonly FieldDef[]): void {
  for (const field of fields) if (!isMember(env, authority.groupOf(field))) throw ofOthers(field)
}

const isMember = (env: Environment, group: string | undefined) => group === undefined || env.hasGroup(group)

const ofOthers = (field: FieldDef) =>
  new AccessError(`You may not change "${field.label}" of ${field.model.label}.`, {
    about: { kind: 'field', model: field.model.name, field: field.name },
  })

/** A value that the record has already is no change: forms and imports send it along. */
async function assertUnchanged(
  env: Environment,
  model: ModelDef,
  vals: LooseVals,
  refused: readonly { readonly id: number; readonly field: FieldDef; readonly state: string }[],
): Promise<void> {
  const names = [...new Set(refused.map(({ field }) => field.name))]
  const whole = env.sudo().withContext({ active_test: false })
  const rows = await loadPaths(whole, model, [...new Set(refused.map(({ id }) => id))], names)
  const now = new Map(rows.map((row) => [row.id, row]))
  for (const { id, field, state } of refused)
    if (!isUnchanged(field, now.get(id)?.[field.name], vals[field.name])) throw closed(field, state)
}

function defaultsOfContext(env: Environment, model: ModelDef): LooseVals {
  const defaults: Record<string, unknown> = {}
  for (const key in env.context) {
    const name = key.startsWith('default_') ? key.slice('default_'.length) : ''
    if (name && model.fields.has(name)) defaults[name] = env.context[key]
  }
  return defaults
}

const isJudged = (authority: Authority, field: FieldDef) =>
  !authority.isFree(field) || authority.groupOf(field) !== undefined || authority.into.has(field.name)

/** Fields by the names of values; other names are refused where values are sorted. */
function fieldsIn(model: ModelDef, vals: unknown): FieldDef[] {
  return Object.keys(asVals(vals)).flatMap((name) => model.fields.get(name) ?? [])
}

const asVals = (vals: unknown): LooseVals =>
  typeof vals === 'object' && vals !== null ? (vals as LooseVals) : {}

const about = (model: ModelDef, field?: FieldDef) => ({
  about: { model: model.name, ...(field && { field: field.name }) },
})

const worded = (state: string) => (state === LOCKED ? 'locked' : `"${state}"`)

function closed(field: FieldDef, state: string): UserError | AccessError {
  const { authority } = field.model
  if (authority?.allows(field, state)) return ofOthers(field)
  return authority?.open.has(state)
    ? setByServer(field)
    : new UserError(
        `"${field.label}" (${field.name}) of ${field.model.label} cannot change any more: the record is ${worded(state)}.`,
        about(field.model, field),
      )
}
