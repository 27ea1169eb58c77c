// Requests that another site made a browser send: some carry cookies, so calls by session refuse them.
import type { FastifyRequest } from 'fastify'
import { AccessError } from '../../errors.ts'

/**
 * Whether a page of another site is behind the request. Browsers say so, the newer ones by `Sec-Fetch-Site`
 * (over TLS and on this machine), all by `Origin`; programs send neither. A proxy that changes `Host` passes
 * the first name on in `X-Forwarded-Host`.
 */
export function isForeign({ headers }: FastifyRequest): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined) return site !== 'same-origin' && site !== 'none'
  const { origin, host } = headers
  if (origin === undefined) return false
  const forwarded = [headers['x-forwarded-host'] ?? []].flat().flatMap((names) => names.split(','))
  return ![host, ...forwarded].some(
    (name) => name !== undefined && name.trim().toLowerCase() === hostOf(origin),
  )
}

/** Throws AccessError (403) for a request of another site. */
export function assertOwnSite(request: FastifyRequest): void {
  if (isForeign(request)) throw new AccessError('This request comes from a page of another site.')
}

/** The address that a request came by, such as `https://shop.example`; null where its host is no name. */
export function addressOf({ protocol, host }: FastifyRequest): string | null {
  return /^[\w.:[\]-]+$/.test(host) ? `${protocol}://${host}` : null
}

/**
 * Like `addressOf`, if it is confirmed: by a trusted proxy that passes the name on, or by the connection,
 * which was made to that very address. Null elsewhere, as `Host` may hold any name.
 */
export function provenAddressOf(request: FastifyRequest): string | null {
  const { headers, hostname, ips = [], socket } = request
  const byProxy = ips.length > 1 && headers['x-forwarded-host'] !== undefined
  const local = socket.localAddress?.replace(/^::ffff:/, '')
  const isLoopback = local === '::1' || local?.startsWith('127.') === true
  const isOwn = hostname.replace(/^\[|\]$/g, '') === local || (isLoopback && hostname === 'localhost')
  return byProxy || isOwn ? addressOf(request) : null
}

/** `https://shop.example:8443` without its scheme; null for `null` and what is not an address. */
function hostOf(origin: string): string | null {
  return /^https?:\/\/([^/]+)$/i.exec(origin)?.[1]?.toLowerCase() ?? null
}
