// What references see of results that are told in the typed form: the documented one, as section 2 of the
// specification of extensions has it.
import type { ModelDef } from '../../models/language/definitions.ts'
import type { Asks } from '../request.ts'
import type { Plan } from './plan.ts'

/** A call by its method's name and a body as JSON-2 takes it. */
interface Asked {
  readonly method: string
  readonly body: Readonly<Record<string, unknown>>
}

/** Ids of calls whose results others take values from, in a form that they are not told in. */
export function translatedIn({ calls }: Plan, asks: Pick<Asks, 'typed'> | null | undefined) {
  return new Set(asks?.typed ? calls.flatMap(({ needs }) => [...needs]) : [])
}

/**
 * What gives a result in the documented form, asked for without wishes: the same once more, or, of a call
 * that changes something, what it reads at its end. Null where the result has one form only.
 */
export function askedPlainly(
  { methods }: Pick<ModelDef, 'methods'>,
  { method, body }: Asked,
  json: string,
): Asked | null {
  const def = methods.get(method)
  if (!def?.tellsValues) return null
  if (def.readonly) return { method, body }
  const { specification, context } = body
  const ids = (JSON.parse(json) as readonly { readonly id: number }[]).map(({ id }) => id)
  return { method: 'web_read', body: { ids, specification, ...(context !== undefined && { context }) } }
}
