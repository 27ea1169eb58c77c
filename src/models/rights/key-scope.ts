// Scopes of API keys: a text of tokens, each of which takes something away from what the key's owner may do.
// No database, no registry.
import { present } from '../../kit/present.ts'
import type { Operation } from '../language/rights.ts'

/** What may follow `rpc` besides the tokens with a value; with one of them named, the others are closed. */
const abilities = ['changes', 'webhooks', 'mcp', 'mcp:write', 'jobs', 'batch'] as const
export type Ability = (typeof abilities)[number]

/** Models of a pattern, and what may be done to them. */
interface ModelGrant {
  readonly pattern: string
  readonly operations: ReadonlySet<Operation>
}

/** A scope as it is kept to. Lists that are empty take nothing away. */
export interface KeyScope {
  /** As it stands with the key. */
  readonly text: string
  /** Nothing but methods that only read. */
  readonly read: boolean
  /** Every call is taken back. */
  readonly dry: boolean
  readonly models: readonly ModelGrant[]
  /** `model/method`. */
  readonly methods: readonly string[]
  readonly companies: readonly number[]
  readonly abilities: readonly Ability[]
}

/** Characters of a scope. */
const LONGEST_SCOPE = 2000

const letters: Readonly<Record<string, Operation>> = { r: 'read', w: 'write', c: 'create', d: 'unlink' }

const MODEL = /^model:([a-z0-9_.]*\*?):([rwcd]{1,4})$/i
const METHOD = /^method:([a-z0-9_.]*\*?\/[a-z0-9_]*\*?)$/i
const COMPANY = /^company:([1-9]\d{0,9})$/

/**
 * The scope that a text stands for: `rpc`, and tokens separated by one blank each. Null for what opens
 * nothing, such as a text with an unknown token: what a later release means by it may be narrower than
 * anything known here.
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
  [MODEL, METHOD, COMPANY].some((one) => one.test(token))

function grantOf(match: RegExpExecArray | null): ModelGrant[] {
  const [, pattern, wanted] = match ?? []
  if (pattern === undefined || wanted === undefined) return []
  return [
    { pattern, operations: new Set([...wanted].flatMap((letter) => letters[letter.toLowerCase()] ?? [])) },
  ]
}

/** Whether a name is meant by a pattern, whose last character may stand for any further ones. */
const isMeant = (pattern: string, name: string): boolean =>
  pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : pattern === name

/**
 * Models of users, of what they may do and of their keys: who changes those can make a key, or a user, that
 * is not limited. So a scope opens them where it names them, not where a pattern happens to mean them.
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
])

/** Whether a scope names the model itself, in one of its patterns of models or methods, or is not narrow. */
const isNamed = ({ text, models, methods }: KeyScope, model: string): boolean =>
  text === 'rpc' ||
  models.some(({ pattern }) => pattern === model) ||
  methods.some((one) => one.startsWith(`${model}/`))

/** Whether the scope leaves an operation on a model to the rights of the key's owner. */
export function opensModel(scope: KeyScope, model: string, operation: Operation): boolean {
  const { models, read } = scope
  if (read && operation !== 'read') return false
  if (operation !== 'read' && IDENTITY.has(model) && !isNamed(scope, model)) return false
  return (
    models.length === 0 ||
    models.some(({ pattern, operations }) => operations.has(operation) && isMeant(pattern, model))
  )
}

/** Generic methods that do one thing, and so need no other. */
const deeds: Readonly<Record<string, Operation>> = {
  create: 'create',
  copy: 'create',
  write: 'write',
  unlink: 'unlink',
}
const changing: readonly Operation[] = ['write', 'create', 'unlink']

/** The token that a call lacks; null where the scope leaves it to the rights of the key's owner. */
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

/** Whether one of the doors beside calls is open. */
export const opensDoor = ({ abilities: named }: KeyScope, door: Ability): boolean =>
  named.length === 0 || named.includes(door)

/**
 * Whether a scope (null: everything) opens nothing that another does not open. Said only of what is plain
 * from the texts.
 */
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
    [...IDENTITY].every((model) => isNamed(wide, model) || !isNamed(narrow, model))
  )
}

/** Whether all names that a pattern means are meant by another. */
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
