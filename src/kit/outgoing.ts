// SSRF guard: outgoing requests may reach public addresses and configured ranges only. Checked at connect
// time, so that changing a DNS name does not help.
import { type LookupAddress, lookup } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { networkInterfaces } from 'node:os'
import ipaddr from 'ipaddr.js'
import { within } from './addresses.ts'

interface Outgoing {
  /** Ranges that are open although they are private. */
  readonly allow: readonly string[]
  /** Whether plain http may be spoken. */
  readonly http: boolean
  /** Addresses that are closed although they are public, such as PostgreSQL's. */
  readonly deny?: readonly string[]
}

const CLOSED: Outgoing = { allow: [], http: false }
let inForce = CLOSED
let isAllowed = within([])
let isDenied = within([])

/** Sets it for this process. */
export function setOutgoing(options: Outgoing = CLOSED): void {
  inForce = options
  isAllowed = within(options.allow)
  const serverAddresses = Object.values(networkInterfaces()).flatMap((entries) =>
    (entries ?? []).map(({ address }) => address),
  )
  isDenied = within([...serverAddresses, ...(options.deny ?? [])])
}

/** Whether a connection may be made to an address. */
export function mayReach(address: string): boolean {
  if (isIP(address) === 0) return false
  if (isAllowed(address)) return true
  if (isDenied(address)) return false
  // An address of IPv4 within one of IPv6 is judged as what it leads to.
  const leading = ipaddr.process(address)
  return leading.range() === 'unicast' && (leading.kind() === 'ipv4' || isGlobal(leading.toString()))
}

/** The part of IPv6 that is assigned; the rest is reserved, or holds addresses of IPv4. */
const isGlobal = within(['2000::/3'])

/** Characters of an address, and the least port besides that of https. */
const [LONGEST, LEAST_PORT] = [2000, 1024]

/** The reason why no request may go to a URL, judging by its text; null if the text is acceptable. */
export function urlFlaw(text: string): string | null {
  if (text.length > LONGEST) return `The URL is too long: ${LONGEST} characters at most.`
  if (!URL.canParse(text)) return 'This is not a URL.'
  const { protocol, username, password, port, hostname, hash } = new URL(text)
  if (protocol !== 'https:' && !(protocol === 'http:' && inForce.http))
    return 'The URL must begin with https.'
  if (username || password) return 'The URL must not hold a name or a password.'
  if (hash) return 'The URL must not have a fragment.'
  if (port && Number(port) < LEAST_PORT) return `The port must be 443, or ${LEAST_PORT} or above.`
  const host = hostname.replace(/^\[|\]$/g, '')
  const isLocal = /(^|\.)localhost\.?$/i.test(host)
  if ((isIP(host) && !mayReach(host)) || (isLocal && !mayReach('127.0.0.1')))
    return 'The URL must resolve to a public address.'
  return null
}

/** The connection was not made. */
export class Unreachable extends Error {}

export type Resolve = (
  hostname: string,
  options: { readonly all: true },
  done: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void

/**
 * A lookup for `net.connect` that leaves out addresses that may not be reached. Hosts that are addresses are
 * never looked up: `mayReach` checks them.
 */
export const guardedLookup =
  (resolve: Resolve = lookup): LookupFunction =>
  (hostname, options, done) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      const [first, ...more] = error ? [] : addresses.filter(({ address }) => mayReach(address))
      if (!first) done(error ?? new Unreachable(`${hostname} does not resolve to a public address.`), '', 0)
      else if (options.all) done(null, [first, ...more])
      else done(null, first.address, first.family)
    })
  }
