// Responses for failures, from the one table of errors: a component for each status that a call may end with.
import type { Extensions } from '../../config/index.ts'
import { errorClasses } from '../../errors.ts'
import { problems } from '../../services/problems/table.ts'
import { ref } from './values.ts'

/** Meaning of each status for a call over JSON-2. */
const meanings: Readonly<Record<number, string>> = {
  400: 'The body cannot be read.',
  401: 'No key, or one that opens nothing.',
  403: 'No right to the model, the records, a field or a company; or a private method.',
  404: 'No such model, method, database or record.',
  409: 'Another transaction, or a call with the same Idempotency-Key, was in the way; the call may be repeated.',
  410: 'It was there and is no more.',
  412: 'The records have another version than If-Match says.',
  413: 'The body is too large.',
  415: 'The body is not JSON.',
  422: 'Parameters or values that do not fit, or a refusal by the business.',
  429: 'Too many calls, or too many at a time; see Retry-After.',
  500: 'A fault of the server.',
  503: 'Too much at once, or the server is stopping; see Retry-After.',
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
export const gone = (description: string) => ({ ...responseRef(410), description })
