// Time zones of conditions: the context's zone when it is one, else UTC.
import { IANAZone } from 'luxon'
import { Recent } from '../../kit/recent.ts'
import type { Environment } from '../language/environment.ts'

/** Names only: PostgreSQL reads "+02:00" with the opposite sign. */
const NAME = /^[A-Za-z][A-Za-z0-9_+-]*(\/[A-Za-z0-9_+-]+)*$/
const known = new Recent<string, string>(1000)

/** The zone of `context.tz`; an unknown one is ignored (spec/models-api.md section 2, "Parts"). */
export function zoneOf(env: Environment): string {
  const { tz } = env
  if (tz === null || tz.length > 64) return 'UTC'
  const seen = known.get(tz)
  if (seen) return seen
  const zone = NAME.test(tz) && IANAZone.isValidZone(tz) ? spelling(tz) : 'UTC'
  known.set(tz, zone)
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
