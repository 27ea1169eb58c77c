// Paths that allow some methods only: any other gets 405 with the allowed ones.
import { METHODS } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { MethodNotAllowed } from '../errors.ts'

/** All methods of HTTP except CONNECT, which requests a tunnel, and for which Node.js ends the connection. */
const VERBS: readonly string[] = METHODS.filter((verb) => verb !== 'CONNECT')

/** Verbs that some path takes. */
const TAKEN: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PATCH', 'DELETE', 'OPTIONS'])

/**
 * Makes the router know all methods: for an unknown one it finds no path. Bodies of methods that no path
 * allows are not read.
 */
export function acceptAllMethods(app: FastifyInstance): void {
  for (const verb of VERBS)
    if (!TAKEN.has(verb)) app.addHttpMethod(verb, { hasBody: false, overrideExisting: true })
}

/** Registers the refusal of the other verbs for a path that has a POST route. */
export function onlyPost(app: FastifyInstance, url: string): void {
  refuse(app, url, ['POST'])
}

/**
 * Follows which routes are registered under some paths from now on; the returned function registers the
 * refusal of all other methods for each of them.
 */
export function refuseOtherMethods(app: FastifyInstance, under: readonly string[]): () => void {
  const taken = new Map<string, Set<string>>()
  app.addHook('onRoute', ({ url, method }) => {
    if (!under.some((path) => url === path || url.startsWith(`${path}/`))) return
    const verbs = taken.get(url) ?? new Set<string>()
    taken.set(url, verbs)
    for (const verb of [method].flat()) verbs.add(verb)
    // A path that allows GET also allows HEAD.
    if (verbs.has('GET')) verbs.add('HEAD')
  })
  return () => {
    for (const [url, verbs] of [...taken]) refuse(app, url, [...verbs])
  }
}

function refuse(app: FastifyInstance, url: string, taken: readonly string[]): void {
  const method = VERBS.filter((verb) => !taken.includes(verb))
  const allow = taken.join(', ')
  const handler = (_request: FastifyRequest, reply: FastifyReply) => {
    reply.header('allow', allow)
    throw new MethodNotAllowed(`This path supports ${allow} only`)
  }
  app.route({ method, url, handler, exposeHeadRoute: false })
}
