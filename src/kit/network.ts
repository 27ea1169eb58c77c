// Addresses of clients: what one subscriber can change at will is no difference.

import { isIPv6 } from 'node:net'
import { plain } from './addresses.ts'
import { present } from './present.ts'

/**
 * The network that counts as one client: an IPv4 address, or the /64 that a subscriber of IPv6 has; any other
 * text as it is.
 */
export function networkOf(text: string): string {
  const address = plain(text)
  if (!isIPv6(address)) return address
  const [head = '', tail] = present(address.split('%')[0]).split('::')
  const left = head === '' ? [] : head.split(':')
  // `::` may end inside the first half or after it; its length does not matter once there are four groups.
  const right = tail ? tail.split(':').flatMap((group) => (group.includes('.') ? ['0', '0'] : [group])) : []
  const zeros = Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => '0')
  const groups = [...left, ...zeros, ...right].slice(0, 4)
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`
}
