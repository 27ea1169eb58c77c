// Runs server actions: an action calls one public method, named in its text. The text is parsed, never
// evaluated.

import { assertExist, bindNamed, environmentOf, writesCallerValues } from '#engine'
import type { Environment, ModelName } from '#models'
import { UserError } from '../../../errors.ts'
import { evaluate, parseExpression } from '../../../kit/expression/index.ts'
import { present } from '../../../kit/present.ts'

/** A call as an action's text names it. */
export interface NamedCall {
  readonly on: 'model' | 'records' | 'record'
  readonly method: string
  readonly params: Readonly<Record<string, unknown>>
}

const CALL = /^(model|records|record)\.([a-z]\w*)\(([\s\S]*)\)$/
const ARGUMENT = /^\s*([a-z_]\w*)\s*=(?!=)\s*([\s\S]+)$/

/**
 * `model.method(name=literal, …)`, comment lines aside; null for a text that does nothing. Throws UserError
 * for anything else.
 */
export function callIn(code: string | null): NamedCall | null {
  const lines = (code ?? '').split('\n').filter((line) => line.trim() !== '' && !line.trim().startsWith('#'))
  const text = lines.join('\n').trim()
  if (text === '' || text === 'pass') return null
  const [, on, method, args = ''] = CALL.exec(text) ?? []
  if (!on || !method) throw notACall()
  const params: Record<string, unknown> = {}
  for (const part of argumentsIn(args)) {
    const [, name, value] = ARGUMENT.exec(part) ?? []
    if (!name || !value) throw notACall()
    params[name] = evaluate(parseExpression(value.trim()), {})
  }
  return { on: on as NamedCall['on'], method, params }
}

const notACall = () =>
  new UserError(
    'An action calls one method of its model, as in "model.method(name=value)", and nothing else: code of the database is not run here.',
  )

/** Arguments, split at the commas that stand in no brackets and no text. */
function argumentsIn(text: string): string[] {
  const parts: string[] = []
  let [depth, start, quote] = [0, 0, '']
  for (let at = 0; at < text.length; at++) {
    const character = present(text[at])
    if (quote) {
      if (character === '\\') at++
      else if (character === quote) quote = ''
    } else if (character === '"' || character === "'") quote = character
    else if ('([{'.includes(character)) depth++
    else if (')]}'.includes(character)) depth--
    else if (character === ',' && depth === 0) {
      parts.push(text.slice(start, at))
      start = at + 1
    }
  }
  parts.push(text.slice(start))
  return parts.filter((part, i) => part.trim() !== '' || i < parts.length - 1)
}

/**
 * Does what an action says, with the rights of `env`; whether its user may run it was judged before. Throws
 * UserError for what is not a call of a public method.
 */
export async function runAction(env: Environment, action: number): Promise<unknown> {
  const [kept] = await env
    .sudo()
    .model('ir.actions.server')
    .browse([action])
    .load(['state', 'code', 'model_name'])
  if (!kept) return false
  if (kept.state !== 'code')
    throw new UserError(`Actions of the type "${kept.state}" are stored, but this server does not run them.`)
  const call = callIn(kept.code)
  return call ? runCall(env, kept.model_name ?? '', call) : false
}

/**
 * Runs a call with the caller's own rights, as if it came over the wire: values that it gives are judged too.
 * Gives the action that the method answers, else false.
 */
async function runCall(
  env: Environment,
  model: string,
  { on, method: name, params }: NamedCall,
): Promise<unknown> {
  const def = env.unit.registry.get(model)
  const method = def?.methods.get(name)
  if (!def || !method || method.private || name.startsWith('_'))
    throw new UserError(`The model ${model} has no public method ${name}.`)
  const bound = bindNamed(model, method, on === 'model' ? [] : activeIds(env, on), params)
  const caller = environmentOf(env.unit, env.user, env.context, env.su, writesCallerValues(method))
  if (!method.checksItself && bound.ids.length) await assertExist(caller, def, bound.ids)
  const records = caller.model(model as ModelName).browse(bound.ids)
  const result = await records.invoke(name, bound.params)
  return typeof result === 'object' && result !== null && 'type' in result ? result : false
}

/** The records that a client chose: `active_ids` of the context, or `active_id` alone. */
function activeIds(env: Environment, on: 'records' | 'record'): readonly unknown[] {
  const { active_ids: many, active_id: single } = env.context
  if (on === 'records' && Array.isArray(many)) return many
  return single ? [single] : []
}
