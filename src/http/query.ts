// The query of an address by name: of a name given twice the first value counts, as in forms.
import type { FastifyRequest } from 'fastify'
import { UnprocessableEntity } from '../errors.ts'
import { alike } from '../kit/alike.ts'

export type Query = Readonly<Record<string, string | undefined>>

/** The query of a request. */
export function queryOf(request: FastifyRequest): Query {
  const query = request.query as Readonly<Record<string, string | readonly string[] | undefined>>
  return Object.fromEntries(
    Object.entries(query).map(([name, value]) => [name, typeof value === 'object' ? value[0] : value]),
  )
}

/**
 * The query of a request: names that the route knows, each once. Throws UnprocessableEntity for any other: a
 * misspelled condition would be ignored, and return everything.
 */
export function checkedQuery(request: FastifyRequest, parameterNames: readonly string[]): Query {
  for (const [name, value] of Object.entries(request.query as object)) {
    if (!parameterNames.includes(name))
      throw new UnprocessableEntity(
        `Unknown query parameter '${name.slice(0, 100)}'. Valid parameters: ${parameterNames.join(', ')}.`,
        {
          code: 'unknown_parameter',
          about: { accepted: parameterNames, suggestions: alike(name, parameterNames) },
        },
      )
    if (typeof value !== 'string')
      throw new UnprocessableEntity(`The query parameter '${name}' is given more than once.`)
  }
  return request.query as Query
}
