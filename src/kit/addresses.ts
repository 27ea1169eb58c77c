// Ranges of addresses (CIDR) in lists of settings: parses them, and tests whether an address is in one of
// them.
import { BlockList, isIP } from 'node:net'

/** An address without the wrapping that IPv4 has on a socket of IPv6. */
export const plain = (address: string): string => address.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, '')

interface Range {
  readonly address: string
  readonly bits: number
  readonly family: 'ipv4' | 'ipv6'
}

/**
 * The range of a text such as `10.0.0.0/8`, `2001:db8::/32` or a single address; null for an invalid text.
 */
function rangeOf(text: string): Range | null {
  const [, address = '', prefixText] = /^([0-9a-f.:]+)(?:\/(\d{1,3}))?$/i.exec(text) ?? []
  const family = isIP(address)
  const most = family === 4 ? 32 : 128
  const bits = prefixText === undefined ? most : Number(prefixText)
  return family === 0 || bits > most ? null : { address, bits, family: family === 4 ? 'ipv4' : 'ipv6' }
}

/** Whether a text is a range of addresses, or one address. */
export const isRange = (text: string): boolean => rangeOf(text) !== null

/**
 * The ranges of a list separated by commas, blanks or line breaks; the first invalid text comes as `wrong`.
 */
export function rangesIn(list: string): {
  readonly ranges: readonly string[]
  readonly wrong: string | null
} {
  const ranges = list.split(/[\s,;]+/).filter(Boolean)
  return { ranges, wrong: ranges.find((range) => !isRange(range)) ?? null }
}

/** Tests whether addresses are in one of the ranges; false for a text that is not an address. */
export function within(ranges: readonly string[]): (address: string) => boolean {
  const list = new BlockList()
  for (const entry of ranges) {
    const range = rangeOf(entry)
    if (range) list.addSubnet(range.address, range.bits, range.family)
  }
  return (text) => {
    const address = plain(text)
    const family = isIP(address)
    return family !== 0 && list.check(address, family === 4 ? 'ipv4' : 'ipv6')
  }
}

/** Whether all addresses of a range are in one range of a list. */
export function covers(ranges: readonly string[], inner: string): boolean {
  const range = rangeOf(inner)
  return (
    range !== null &&
    ranges.some(
      (candidate) => (rangeOf(candidate)?.bits ?? 129) <= range.bits && within([candidate])(range.address),
    )
  )
}

/** Whether a host is this machine itself, as every machine calls itself. */
export const isLoopback = (host: string): boolean => host === 'localhost' || loopback(host)

const loopback = within(['127.0.0.0/8', '::1'])
