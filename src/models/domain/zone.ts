// Time zones of conditions: the context's zone when it is one, else UTC.
import { IANAZone } from 'luxon'
import { Recent } from '../../kit/recent.ts'
import type { Environment } from '../language/environment.ts'

/** Names only: PostgreSQL reads "+02:00" with the opposite sign. */
const NAME = /^[A-Za-z][A-Za-z0-9_+-]*(\/[A-Za-z0-9_+-]+)*$/
const zoneByName = new Recent<string, string | null>(1000)

/** The zone of `context.tz`; an unknown one is ignored (spec/models-api.md section 2, "Parts"). */
export function zoneOf(env: Environment): string {
  const { tz } = env
  return (tz === null ? null : zoneNamed(tz)) ?? 'UTC'
}

/** The zone of this name; null for an unknown name. */
export function zoneNamed(name: string): string | null {
  if (name.length > 64) return null
  const seen = zoneByName.get(name)
  if (seen !== undefined) return seen
  const zone = NAME.test(name) && IANAZone.isValidZone(name) ? spelling(name) : null
  zoneByName.set(name, zone)
  return zone
}

const spellings = new Map<string, string>()

/**
 * One spelling for each zone, the first that was met: libraries keep what they make for a name for good, and
 * names may be written in any case.
 */
function spelling(zone: string): string {
  const key = zone.toLowerCase()
  const first = spellings.get(key) ?? zone
  spellings.set(key, first)
  return first
}
