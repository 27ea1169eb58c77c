// Results as references of a batch see them: in the documented form even where the answer is in the typed
// form (section 2 of the specification of extensions).
import type { ModelDef } from '../../models/language/definitions.ts'
import type { RequestPreferences } from '../request.ts'
import type { Plan } from './plan.ts'

/** A call by its method's name and a body as JSON-2 takes it. */
interface PlainCall {
  readonly method: string
  readonly body: Readonly<Record<string, unknown>>
}

/** Ids of calls whose results are referenced, and returned in another form. */
export function translatedIn({ calls }: Plan, asks: Pick<RequestPreferences, 'typed'> | null | undefined) {
  return new Set(asks?.typed ? calls.flatMap(({ needs }) => [...needs]) : [])
}

/**
 * The call that returns a result in the documented form, without preferences: the same call, or, for a call
 * that changes something, the read at its end. Null where the result has one form only.
 */
export function askedPlainly(
  { methods }: Pick<ModelDef, 'methods'>,
  { method, body }: PlainCall,
  json: string,
): PlainCall | null {
  const def = methods.get(method)
  if (!def?.tellsValues) return null
  if (def.readonly) return { method, body }
  const { specification, context } = body
  const ids = (JSON.parse(json) as readonly { readonly id: number }[]).map(({ id }) => id)
  return { method: 'web_read', body: { ids, specification, ...(context !== undefined && { context }) } }
}
