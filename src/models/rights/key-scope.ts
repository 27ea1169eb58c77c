// Scopes of API keys: a text of tokens, each of which restricts what the key's owner may do. Independent
// of databases and registries.

import { present } from '../../kit/present.ts'
import type { Ids } from '../language/definitions.ts'
import type { Operation } from '../language/rights.ts'

/** Tokens without a value that may follow `rpc`. If a scope names any of them, the others are closed. */
const abilities = ['changes', 'webhooks', 'mcp', 'mcp:write', 'jobs', 'batch'] as const
export type Ability = (typeof abilities)[number]

interface ModelGrant {
  readonly pattern: string
  readonly operations: ReadonlySet<Operation>
}

/** A parsed scope. Empty lists restrict nothing. */
export interface KeyScope {
  /** The text as stored with the key. */
  readonly text: string
  /** Only methods that read. */
  readonly read: boolean
  /** Every call is rolled back. */
  readonly dry: boolean
  readonly models: readonly ModelGrant[]
  /** `model/method`. */
  readonly methods: readonly string[]
  readonly companies: Ids
  readonly abilities: readonly Ability[]
}

const LONGEST_SCOPE = 2000

const letters: Readonly<Record<string, Operation>> = { r: 'read', w: 'write', c: 'create', d: 'unlink' }

const MODEL = /^model:([a-z0-9_.]*\*?):([rwcd]{1,4})$/i
const METHOD = /^method:([a-z0-9_.]*\*?\/[a-z0-9_]*\*?)$/i
const COMPANY = /^company:([1-9]\d{0,9})$/

/**
 * Parses a scope: `rpc`, and tokens separated by one space each. Null for a text that grants nothing, such as
 * one with an unknown token: its meaning in a later release may be narrower than any known token.
 */
export function parseScope(text: string): KeyScope | null {
  if (text.length > LONGEST_SCOPE) return null
  const [first, ...tokens] = text.split(' ')
  if (first !== 'rpc' || tokens.some((token) => !isToken(token))) return null
  const values = (pattern: RegExp) => tokens.flatMap((token) => pattern.exec(token)?.[1] ?? [])
  return Object.freeze({
    text,
    read: tokens.includes('read'),
    dry: tokens.includes('dry'),
    models: tokens.flatMap((token) => grantOf(MODEL.exec(token))),
    methods: values(METHOD),
    companies: values(COMPANY).map(Number),
    abilities: abilities.filter((ability) => tokens.includes(ability)),
  })
}

const isToken = (token: string): boolean =>
  token === 'read' ||
  token === 'dry' ||
  abilities.some((ability) => ability === token) ||
  [MODEL, METHOD, COMPANY].some((pattern) => pattern.test(token))

function grantOf(match: RegExpExecArray | null): ModelGrant[] {
  const [, pattern, wanted] = match ?? []
  if (pattern === undefined || wanted === undefined) return []
  return [
    { pattern, operations: new Set([...wanted].flatMap((letter) => letters[letter.toLowerCase()] ?? [])) },
  ]
}

/** Whether a name matches a pattern, which may end with `*`. */
const isMeant = (pattern: string, name: string): boolean =>
  pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : pattern === name

/**
 * Models of users, their rights and their keys, and models that make other calls act with more rights than
 * the key has: scheduled actions run without a scope, defaults are values of what others create, mail servers
 * get what others send, and external ids, parameters, settings, modules and custom fields decide what rights
 * mean. Users who can change them can create a key, or a user, without limits. So a scope grants them only
 * by their full name, not by a pattern.
 */
const IDENTITY: ReadonlySet<string> = new Set([
  'res.users',
  'res.users.apikeys',
  'res.users.apikeys.description',
  'res.users.identitycheck',
  'res.groups',
  'res.groups.privilege',
  'ir.model.access',
  'ir.rule',
  'comptoir.key.policy',
  'ir.cron',
  'ir.actions.server',
  'ir.default',
  'ir.config_parameter',
  'ir.model',
  'ir.model.data',
  'ir.model.fields',
  'ir.model.fields.selection',
  'ir.module.module',
  'ir.mail_server',
  'res.config.settings',
])

/** Whether only scopes that name a model open changes of it. */
export const isIdentity = (model: string): boolean => IDENTITY.has(model)

/**
 * Models that repeat values of records of any model and any company. Scopes that are limited to some of these
 * grant them only by their full name.
 */
const REPEATING: ReadonlySet<string> = new Set([
  'comptoir.audit',
  'comptoir.audit.line',
  'comptoir.webhook.delivery',
  'mail.tracking.value',
])

const isLimited = ({ models, methods, companies }: KeyScope): boolean =>
  models.length > 0 || methods.length > 0 || companies.length > 0

/** Whether a scope names the model itself, for models or methods, or is unrestricted. */
const isNamed = ({ text, models, methods }: KeyScope, model: string): boolean =>
  text === 'rpc' ||
  models.some(({ pattern }) => pattern === model) ||
  methods.some((pattern) => pattern.startsWith(`${model}/`))

/** Whether the scope allows an operation on a model, as far as the key's owner has the right. */
export function opensModel(scope: KeyScope, model: string, operation: Operation): boolean {
  const { models, read } = scope
  if (read && operation !== 'read') return false
  const needsName = REPEATING.has(model) ? isLimited(scope) : operation !== 'read' && IDENTITY.has(model)
  if (needsName && !isNamed(scope, model)) return false
  return (
    models.length === 0 ||
    models.some(({ pattern, operations }) => operations.has(operation) && isMeant(pattern, model))
  )
}

/** Generic methods that need only one operation. */
const deeds: Readonly<Record<string, Operation>> = {
  create: 'create',
  copy: 'create',
  write: 'write',
  unlink: 'unlink',
}
const changing: readonly Operation[] = ['write', 'create', 'unlink']

/** The token that a call lacks; null if the scope allows it, as far as the owner has the right. */
export function missingFor(
  scope: KeyScope,
  model: string,
  method: { readonly name: string; readonly readonly: boolean },
): string | null {
  const { name, readonly } = method
  if (scope.read && !readonly) return 'rpc'
  if (scope.methods.length > 0 && !scope.methods.some((pattern) => meansMethod(pattern, model, name)))
    return `method:${model}/${name}`
  const wanted = readonly ? (['read'] as const) : deeds[name] ? [deeds[name]] : changing
  if (wanted.some((operation) => opensModel(scope, model, operation))) return null
  return `model:${model}:${readonly ? 'r' : name in deeds ? letterOf(present(wanted[0])) : 'w'}`
}

const letterOf = (operation: Operation): string =>
  Object.keys(letters).find((letter) => letters[letter] === operation) ?? ''

function meansMethod(pattern: string, model: string, method: string): boolean {
  const [ofModel = '', ofMethod = ''] = pattern.split('/')
  return isMeant(ofModel, model) && isMeant(ofMethod, method)
}

/** Whether the scope allows an ability: an entry point in addition to single calls. */
export const opensAbility = ({ abilities: named }: KeyScope, ability: Ability): boolean =>
  named.length === 0 || named.includes(ability)

/** Whether a scope (null: unrestricted) is within another, as far as their texts show it. */
export function isWithin(after: string | null, before: string | null): boolean {
  if (before === null || after === before) return true
  const [narrow, wide] = [after === null ? null : parseScope(after), parseScope(before)]
  if (!narrow || !wide) return false
  const isListed = <T>(inner: readonly T[], outer: readonly T[], has: (one: T) => boolean) =>
    outer.length === 0 || (inner.length > 0 && inner.every(has))
  return (
    (narrow.read || !wide.read) &&
    (narrow.dry || !wide.dry) &&
    isListed(narrow.models, wide.models, (one) => coversModel(wide.models, one)) &&
    isListed(narrow.methods, wide.methods, (one) => wide.methods.some((outer) => coversMethod(outer, one))) &&
    isListed(narrow.companies, wide.companies, (one) => wide.companies.includes(one)) &&
    isListed(narrow.abilities, wide.abilities, (one) => wide.abilities.includes(one)) &&
    [...IDENTITY, ...(isLimited(wide) ? REPEATING : [])].every(
      (model) => isNamed(wide, model) || !isNamed(narrow, model),
    )
  )
}

const covers = (outer: string, inner: string): boolean =>
  outer === inner || (outer.endsWith('*') && inner.replace(/\*$/, '').startsWith(outer.slice(0, -1)))

const coversModel = (outer: readonly ModelGrant[], { pattern, operations }: ModelGrant): boolean =>
  [...operations].every((operation) =>
    outer.some((one) => one.operations.has(operation) && covers(one.pattern, pattern)),
  )

function coversMethod(outer: string, inner: string): boolean {
  const [[model = '', method = ''], [ofModel = '', ofMethod = '']] = [outer.split('/'), inner.split('/')]
  return covers(model, ofModel) && covers(method, ofMethod)
}
