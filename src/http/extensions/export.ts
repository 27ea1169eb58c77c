// The route of exports: the rows of a model as a stream, or page by page with a link to the next one.
import type { FastifyInstance } from 'fastify'
import { UnprocessableEntity } from '../../errors.ts'
import type { LineForm } from '../../services/request.ts'
import { lineFormOf } from '../../services/row-lines.ts'
import { keyOwner } from '../calls.ts'
import { sendLines } from '../lines.ts'
import type { Log } from '../log.ts'
import { checkedQuery, type Query } from '../query.ts'
import type { ExtensionOptions } from './options.ts'

/** Registers the route. */
export function exportRoute(app: FastifyInstance, { backend, extensions }: ExtensionOptions, log: Log): void {
  app.get('/x/1/export', async (request, reply) => {
    const owner = await keyOwner(request, reply, backend)
    const query = checkedQuery(request, ['model', 'domain', 'fields', 'order', 'limit', 'cursor'])
    if (!query.model) throw new UnprocessableEntity('The parameter model is required.')
    const form: LineForm = lineFormOf(request.headers.accept) ?? 'ndjson'
    const body = { named: namedIn(query) }
    const asks = owner.asks
    // As for `search_read`: 0 is no limit.
    const isPage = Boolean(body.named.limit) || query.cursor !== undefined || Boolean(asks?.page)
    const pages = isPage && extensions.has('paging')
    const answer = await backend.call(backend.databases, {
      ...owner,
      model: query.model,
      method: 'search_read',
      body: () => body,
      pieces: true,
      asks: {
        ...asks,
        lines: form,
        page: pages ? { cursor: query.cursor ?? asks?.page?.cursor ?? null } : null,
        // A count and version tags would need all records at once.
        count: pages ? (asks?.count ?? null) : null,
        etag: pages && asks?.etag === true,
        tell: (name, value) => {
          if (name === 'next-cursor') reply.header('link', `<${nextOf(query, value)}>; rel="next"`)
          else owner.tell(name, value)
        },
      },
    })
    return sendLines(request, reply, { answer, form, body }, log)
  })
}

/** Parameters of `search_read`. Throws UnprocessableEntity for what cannot be read. */
function namedIn({ domain, fields, order, limit }: Query): Record<string, unknown> {
  return {
    domain: domain === undefined ? [] : jsonIn('domain', domain),
    ...(fields ? { fields: fields.split(',').map((name) => name.trim()) } : {}),
    ...(order ? { order } : {}),
    ...(limit === undefined ? {} : { limit: jsonIn('limit', limit) }),
  }
}

function jsonIn(name: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new UnprocessableEntity(`${name} must be JSON.`)
  }
}

const nextOf = (query: Query, cursor: string): string =>
  `/x/1/export?${new URLSearchParams({ ...(query as Record<string, string>), cursor })}`
