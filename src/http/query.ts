// The query of an address by name: of a name given twice the first value counts, as in forms.
import type { FastifyRequest } from 'fastify'

export type Query = Readonly<Record<string, string | undefined>>

/** The query of a request. */
export function queryOf(request: FastifyRequest): Query {
  const query = request.query as Readonly<Record<string, string | readonly string[] | undefined>>
  return Object.fromEntries(
    Object.entries(query).map(([name, value]) => [name, typeof value === 'object' ? value[0] : value]),
  )
}
