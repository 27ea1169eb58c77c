// Paths that take some verbs only: every other one hears so, and which they are.
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify'
import { MethodNotAllowed } from '../errors.ts'

/** Verbs that are answered by routes. */
const VERBS: readonly HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

/** Registers the refusal of the other verbs for a path that has a POST route. */
export function onlyPost(app: FastifyInstance, url: string): void {
  app.route({ method: ['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'], url, handler: refusal(['POST']) })
}

/**
 * Follows which routes are made under a path from now on; what it gives registers the refusal of all other
 * verbs for each of them.
 */
export function onlyTheirs(app: FastifyInstance, under: string): () => void {
  const taken = new Map<string, Set<string>>()
  app.addHook('onRoute', ({ url, method }) => {
    if (url !== under && !url.startsWith(`${under}/`)) return
    const verbs = taken.get(url) ?? new Set<string>()
    taken.set(url, verbs)
    for (const verb of [method].flat()) verbs.add(verb)
    // Who can be read can be asked for the headers alone.
    if (verbs.has('GET')) verbs.add('HEAD')
  })
  return () => {
    for (const [url, verbs] of [...taken]) {
      const method = VERBS.filter((verb) => !verbs.has(verb))
      if (method.length) app.route({ method, url, handler: refusal([...verbs]) })
    }
  }
}

const refusal = (verbs: readonly string[]) => (_request: FastifyRequest, reply: FastifyReply) => {
  reply.header('allow', verbs.join(', '))
  throw new MethodNotAllowed(`This path takes ${verbs.join(', ')} only`)
}
