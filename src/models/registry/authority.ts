// Composes the modules' declarations of writable fields for a model into the sets that
// write/authorize.ts uses.
import { DeclarationError } from '../../errors.ts'
import {
  ALWAYS,
  type Audited,
  type AuditedLater,
  type Auditing,
  type Authority,
  LOCKED,
  type Writable,
} from '../language/audited.ts'
import type { FieldDef, LooseVals, ModelDef } from '../language/definitions.ts'
import { leadsToMany } from '../language/field-options.ts'
import { MANUAL } from '../manual/custom.ts'
import type { Mutable } from './compose-field.ts'
import type { Draft } from './drafts.ts'

export function authorize(
  drafts: ReadonlyMap<string, Draft>,
  models: ReadonlyMap<string, Mutable<ModelDef>>,
): void {
  const declared = new Map(
    [...drafts.values()].flatMap((draft) => {
      const each = draft.parts.flatMap(({ behaviour }) => behaviour.writable ?? [])
      return each.length ? [[draft.name, merged(each)] as const] : []
    }),
  )
  const settle = (name: string, above: readonly string[]): Authority | null => {
    const [model, rules] = [models.get(name), declared.get(name)]
    if (!model || !rules || model.authority) return model?.authority ?? null
    if (above.includes(name)) throw new DeclarationError(`${name} is a part of itself.`)
    const document = rules.partOf && model.fields.get(rules.partOf)?.comodel
    const parent = document ? settle(document.name, [...above, name]) : null
    if (rules.partOf && !parent)
      throw new DeclarationError(`${name} is part of ${rules.partOf}, which declares no writable fields.`)
    model.authority = authorityOf(model, rules, parent)
    return model.authority
  }
  for (const name of declared.keys()) settle(name, [])
}

/** Lists of all modules are concatenated. Of single values, the last module's is used. */
function merged(each: readonly Writable[]): Writable {
  const lists = (key: 'given' | 'always' | 'once' | 'server' | 'along') =>
    each.flatMap((rules) => rules[key] ?? [])
  return {
    ...Object.assign({}, ...each),
    given: lists('given'),
    always: lists('always'),
    once: lists('once'),
    server: lists('server'),
    along: lists('along'),
    later: joined(each.map(({ later }) => later ?? {})),
    only: Object.assign({}, ...each.map(({ only }) => only)),
    laterOnly: Object.assign({}, ...each.map(({ laterOnly }) => laterOnly)),
    into: Object.assign({}, ...each.map(({ into }) => into)),
  }
}

type Lists = Readonly<Record<string, readonly string[]>>

function joined(each: readonly Lists[]): Lists {
  const names = new Set(each.flatMap((lists) => Object.keys(lists)))
  return Object.fromEntries([...names].map((name) => [name, each.flatMap((lists) => lists[name] ?? [])]))
}

function authorityOf(model: ModelDef, rules: Writable, parent: Authority | null): Authority {
  const partOf = (rules.partOf && model.fields.get(rules.partOf)) || null
  const open = new Set(rules.open ?? parent?.open ?? [ALWAYS])
  const [settable, always, once] = [new Set(rules.given), new Set(rules.always), new Set(rules.once)]
  const server = new Set(rules.server)
  const later = new Map(Object.entries(rules.later ?? {}).map(([state, names]) => [state, new Set(names)]))
  const isOpenTo = ({ name, readonly }: FieldDef) => !server.has(name) && (!readonly || settable.has(name))
  const allows: Authority['allows'] = (field, state) =>
    isCheckedElsewhere(field) ||
    always.has(field.name) ||
    (later.get(state)?.has(field.name) ?? false) ||
    (open.has(state) && isOpenTo(field) && !once.has(field.name))
  const states = statesOf(rules, partOf, parent)
  const groups = Object.entries(rules.only ?? {})
  const isStateless = !rules.state && !rules.lock && !partOf
  let free: ReadonlySet<FieldDef> | undefined
  const isFree = (field: FieldDef) =>
    isCheckedElsewhere(field) ||
    always.has(field.name) ||
    (isStateless && isOpenTo(field) && !once.has(field.name))
  return {
    partOf,
    ...states,
    readPaths: [...new Set([...states.paths, ...(rules.along ?? [])])],
    open,
    first: [...open][0] ?? ALWAYS,
    stateField: (rules.state && model.fields.get(rules.state)) || null,
    added: new Set(rules.added ?? open),
    removed: new Set(rules.removed ?? open),
    into: new Map(Object.entries(rules.into ?? {}).map(([name, states]) => [name, new Set(states)])),
    gives: (field) =>
      isCheckedElsewhere(field) || always.has(field.name) || isOpenTo(field) || once.has(field.name),
    allows,
    // Computed on first use: comodels of one2manys may be composed later than this model.
    isFree: (field) => {
      free ??= new Set([...model.fields.values()].filter(isFree))
      return free.has(field)
    },
    groupOf: (field) =>
      isCheckedElsewhere(field) || always.has(field.name)
        ? undefined
        : groups.find(([, names]) => names === 'all' || names.includes(field.name))?.[0],
    groupLater: (field, state) =>
      open.has(state) || isCheckedElsewhere(field) || always.has(field.name)
        ? undefined
        : rules.laterOnly?.[state],
    remover: groups.find(([, names]) => names === 'all')?.[0],
  }
}

function statesOf(
  { state, lock, open }: Writable,
  partOf: FieldDef | null,
  parent: Authority | null,
): Pick<Authority, 'paths' | 'stateOf'> {
  const first = open?.[0] ?? ALWAYS
  const ownState = (row: LooseVals) => (state ? String(row[state] || first) : ALWAYS)
  const above = (row: LooseVals) => {
    const document = partOf && (row[partOf.name] as LooseVals | null)
    return document && parent ? parent.stateOf(document) : null
  }
  const paths = partOf && parent ? [partOf.name, ...parent.paths.map((path) => `${partOf.name}.${path}`)] : []
  return {
    paths: [...paths, ...(state ? [state] : []), ...(lock ? [lock] : [])],
    stateOf: (row) => above(row) ?? (lock && row[lock] ? LOCKED : ownState(row)),
  }
}

/**
 * Fields to which the declarations do not apply: values of delegates and related records, which are
 * checked where they are written, records of one2manys, which are checked themselves, and values that
 * are not stored. Custom fields are always writable.
 */
function isCheckedElsewhere(field: FieldDef): boolean {
  if (field.automatic || field.inherited || field.module === MANUAL) return true
  if (field.related && !field.stored) return true
  if (field.compute && !field.stored) return field.readonly
  return leadsToMany(field) && field.inverse !== null && field.comodel.authority !== null
}

// Composes the modules' declarations of audited fields for a model (language/audited.ts) into the sets
// that changes/audited.ts uses.

export function auditAll(
  drafts: ReadonlyMap<string, Draft>,
  models: ReadonlyMap<string, Mutable<ModelDef>>,
): void {
  for (const { name, parts } of drafts.values()) {
    const model = models.get(name)
    const declared = parts.flatMap(({ behaviour }) => behaviour.audited ?? [])
    if (model && declared.length) model.auditing = auditingOf(model, declared)
  }
}

function auditingOf(model: ModelDef, declared: readonly Audited[]): Auditing {
  if (!model.hasTable) throw new DeclarationError(`${model.name} keeps no records to be audited.`)
  const fieldsOf = (names: readonly string[]) => names.map((name) => keptField(model, name))
  const always = new Set(fieldsOf(declared.flatMap(({ fields }) => fields ?? [])))
  const later = declared.flatMap(({ later }) => (later ? laterOf(model, later) : []))
  const all = [...new Set([...always, ...later.flatMap(({ fields }) => [...fields])])]
  const ofRemoved = declared.flatMap(({ unlink }) => (Array.isArray(unlink) ? (unlink as string[]) : []))
  return {
    always,
    later,
    secret: new Set(fieldsOf(declared.flatMap(({ secret }) => secret ?? []))),
    unless: fieldsOf(declared.flatMap(({ unless }) => unless ?? [])),
    create: declared.some(({ create }) => create) ? all : null,
    unlink: declared.some(({ unlink }) => unlink) ? [...new Set([...all, ...fieldsOf(ofRemoved)])] : null,
  }
}

function keptField(model: ModelDef, name: string): FieldDef {
  const field = model.fields.get(name)
  if (field && (field.column || field.link)) return field
  throw new DeclarationError(
    `audited: ${model.name} keeps no values of ${name}: name a stored field, or the one that it follows from.`,
  )
}

function laterOf(
  model: ModelDef,
  { state, in: states, fields }: NonNullable<Audited['later']>,
): AuditedLater {
  const [first = '', second, ...more] = state.split('.')
  const through = second === undefined ? null : keptField(model, first)
  const owner = through ? through.comodel : model
  const field = owner?.fields.get(second ?? first)
  if (!field?.column || more.length)
    throw new DeclarationError(`audited: ${state} is not a path from ${model.name} to a stored state.`)
  return {
    state: field,
    through,
    in: new Set(states),
    fields: new Set(fields.map((name) => keptField(model, name))),
  }
}
