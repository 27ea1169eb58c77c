// Record rules of modules: typed domains, written as the text that `ir.rule` stores.
import { InvalidValue } from '../../errors.ts'
import { ref } from '../behaviour/module.ts'
import type { Ref } from '../language/module.ts'
import { type CheckedRule, type RuledModel, RuleWord } from './typed.ts'

/** Name, groups and operations of a record rule. */
export interface RuleOptions {
  /** The rule's name. Default: its model. */
  readonly name?: string
  /** External ids of the groups that it applies to. None: all users. */
  readonly groups?: readonly string[]
  /** Letters of the operations that it applies to: r, w, c, d (for unlink). Default: all. */
  readonly on?: string
}

/** Values of a record of `ir.rule`. */
export interface RuleValues {
  readonly name: string
  readonly model_id: Ref
  readonly domain_force: string
  readonly [field: string]: unknown
}

/**
 * Values of `ir.rule` for a module's data: users whom the rule applies to see only records that match
 * the domain. The model as `sale.order`, or `account/account.move` if another module declares it. The
 * domain may contain the words `user`, `companyId`, `companyIds`, `today` and `now`. Throws InvalidValue
 * for values that a rule's text cannot contain.
 *
 * @example
 * ```ts
 * import 'comptoir/modules/base'
 * import { dataSet, recordRule, user } from 'comptoir/models'
 *
 * export const rules = dataSet('ir.rule', {
 *   rule_own: recordRule('base/res.partner', [['create_uid', '=', user.id]], { on: 'wd' }),
 * })
 * ```
 */
export const recordRule = <const M extends RuledModel, const D extends readonly unknown[]>(
  model: M,
  domain: D & CheckedRule<M, D>,
  options: RuleOptions = {},
): RuleValues => ruleValues(model, domain, options)

/** Domains by model. */
type Domains = { readonly [M in RuledModel]?: readonly unknown[] }
type CheckedRules<D> = {
  readonly [M in keyof D]: M extends RuledModel ? CheckedRule<M, D[M]> : { readonly 'no such model': M }
}

/**
 * `recordRule` for many models: their domains, and a function that returns the external id and the
 * options of each rule.
 */
export const recordRules = <const D extends Domains>(
  domains: D & CheckedRules<D>,
  of: (model: string) => RuleOptions & { readonly id: string },
): Readonly<Record<string, RuleValues>> =>
  Object.fromEntries(
    Object.entries<readonly unknown[]>(domains).map(([key, domain]) => {
      const { id, ...options } = of(modelIn(key).model)
      return [id, ruleValues(key, domain, options)]
    }),
  )

/** A domain for several rules, whose terms keep their literal types. */
export const ruleDomain = <const D extends readonly unknown[]>(domain: D): D => domain

function modelIn(key: string): { readonly model: string; readonly reference: string } {
  const [model = key, module] = key.split('/').reverse()
  const name = `model_${model.replaceAll('.', '_')}`
  return { model, reference: module ? `${module}.${name}` : name }
}

function ruleValues(key: string, domain: readonly unknown[], options: RuleOptions): RuleValues {
  const { model, reference } = modelIn(key)
  const { name = model, groups, on } = options
  return {
    name,
    model_id: ref(reference),
    domain_force: domainText(domain),
    ...(groups && { groups: [[6, 0, groups.map(ref)]] }),
    ...(on !== undefined && {
      perm_read: on.includes('r'),
      perm_write: on.includes('w'),
      perm_create: on.includes('c'),
      perm_unlink: on.includes('d'),
    }),
  }
}

/** A domain as the text of a rule: terms as tuples, `'|'` and the like as strings. */
export const domainText = (domain: readonly unknown[]): string => `[${domain.map(termText).join(', ')}]`

function termText(term: unknown): string {
  if (!Array.isArray(term)) return valueText(term)
  const [path, operator, value] = term
  const inner = (operator === 'any' || operator === 'not any') && Array.isArray(value)
  return `(${valueText(path)}, ${valueText(operator)}, ${inner ? domainText(value) : valueText(value)})`
}

function valueText(value: unknown): string {
  if (value instanceof RuleWord) return value.text
  if (Array.isArray(value)) return `[${value.map(valueText).join(', ')}]`
  if (typeof value === 'string') return quoted(value)
  if (typeof value === 'number' && Number.isFinite(value)) return numberText(value)
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (value === null) return 'None'
  throw new InvalidValue(`A rule's domain cannot contain ${String(value)}.`)
}

/** Only exact whole numbers are written with digits alone. */
const numberText = (value: number): string =>
  Number.isInteger(value) && !Number.isSafeInteger(value) ? value.toExponential() : String(value)

/** A Python string on one line. */
const quoted = (text: string): string =>
  `'${text.replace(/[\\'\p{Cc}\u2028\u2029]/gu, (sign) =>
    "\\'".includes(sign) ? `\\${sign}` : `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )}'`
