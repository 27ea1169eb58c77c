// Results of tools: data, with the same as text, or a refusal that says what to do.
import type { CallToolResult } from '@modelcontextprotocol/server'
import { type ServiceError, TooManyRequests, Unauthorized } from '../errors.ts'
import { remedyOf } from '../services/problems/table.ts'
import { visible } from '../wire/errors.ts'
import { problemObject } from '../wire/problems.ts'
import { visibleText } from './plain-values.ts'

/** Data, and what of it can be seen as text: for clients that know no data. */
export function resultOf(data: object): CallToolResult {
  const text = JSON.stringify(data, (_, value: unknown) =>
    typeof value === 'string' ? visibleText(value) : value,
  )
  return { structuredContent: { ...data }, content: [{ type: 'text', text }] }
}

/** A refusal, worded so that the agent can correct its call. */
export function refused(
  error: ServiceError,
  place: { readonly base: string; readonly requestId: string },
): CallToolResult {
  const text = `${error.code}: ${sentence(error.message)}${meantIn(error)} ${remedyOf(error.code)}`
  return {
    isError: true,
    structuredContent: { ...problemObject(error, place) },
    content: [{ type: 'text', text: visibleText(text) }],
  }
}

const sentence = (words: string): string => (/[.!?…]$/.test(words) ? words : `${words}.`)

/** Names that may have been meant: for clients that show the text alone. */
function meantIn({ about: { faults = [], suggestions = [] } }: ServiceError): string {
  const meant = new Set([...suggestions, ...faults.flatMap((fault) => fault.suggestions ?? [])])
  return meant.size ? ` Perhaps: ${[...meant].slice(0, 10).join(', ')}.` : ''
}

/**
 * The ServiceError that a tool returns for a failure. Throws errors that the request as a whole is answered
 * with: invalid credentials, too many calls.
 */
export function refusalIn(error: unknown): ServiceError {
  const seen = visible(error)
  if (seen instanceof Unauthorized || seen instanceof TooManyRequests) throw seen
  return seen
}
