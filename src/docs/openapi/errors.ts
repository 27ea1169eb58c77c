// Responses for failures, from the one table of errors: a component for each status that a call may end with.
import type { Extensions } from '../../config/index.ts'
import { errorClasses } from '../../errors.ts'
import { problems } from '../../services/problems/table.ts'
import { ref } from './values.ts'

/** Meaning of each status for a call over JSON-2. */
const meanings: Readonly<Record<number, string>> = {
  400: 'The body or a header is malformed.',
  401: 'The API key is missing or invalid.',
  403: 'The caller may not access the model, the records, a field or a company; or the method is private.',
  404: 'The model, method, database or record does not exist.',
  409: 'Conflict with another transaction, or with a running call with the same Idempotency-Key; the call may be repeated.',
  410: 'The resource existed and is no longer available.',
  412: 'The records no longer have the version in If-Match.',
  413: 'The body is too large.',
  415: 'The body is not JSON.',
  422: 'Invalid parameters or values, or a business rule that refuses the call.',
  429: 'Rate limit exceeded, or too many concurrent calls; see Retry-After.',
  500: 'Internal server error.',
  503: 'The server is overloaded or stopping; see Retry-After.',
}

const statuses = Object.keys(meanings).map(Number)

/** Values of `Error-Code` that come with a status. */
const codesOf = (status: number): readonly string[] =>
  [...problems.values()].filter((problem) => problem.status === status).map(({ code }) => code)

/** Components: `Error401` and so on. */
export const errorResponses: Readonly<Record<string, object>> = Object.fromEntries(
  statuses.map((status) => {
    const names = [
      ...new Set(
        errorClasses
          .filter((errorClass) => errorClass.status === status)
          .map((errorClass) => errorClass.wireName),
      ),
    ]
    return [
      `Error${status}`,
      {
        description: meanings[status],
        headers: {
          'Error-Code': {
            description: 'Machine-readable reason, more specific than the name.',
            schema: { type: 'string', enum: codesOf(status) },
          },
        },
        content: {
          'application/json': {
            schema: { allOf: [ref('Error'), { properties: { name: { examples: names } } }] },
            example: {
              name: names[0],
              message: meanings[status],
              arguments: [meanings[status]],
              context: {},
              debug: '',
            },
          },
        },
      },
    ]
  }),
)

/** The same, with problem details where they are offered. */
export function errorResponsesOf(extensions: Extensions): Readonly<Record<string, object>> {
  if (!extensions.has('problems')) return errorResponses
  return Object.fromEntries(
    Object.entries(errorResponses).map(([name, response]) => [
      name,
      {
        ...response,
        content: {
          ...(response as { content: object }).content,
          'application/problem+json': { schema: ref('Problem') },
        },
      },
    ]),
  )
}

const responseRef = (status: number) => ({ $ref: `#/components/responses/Error${status}` })

/** Statuses of few operations. */
const SELDOM = new Set([410])

/** The failures of every operation. */
export const failures: Readonly<Record<string, object>> = Object.fromEntries(
  statuses.filter((status) => !SELDOM.has(status)).map((status) => [String(status), responseRef(status)]),
)

/** The answer of what is no longer kept, with what that means for an operation. */
export const noLongerKept = (description: string) => ({ ...responseRef(410), description })
