// Time zones of conditions: the context's zone when it is one, else UTC.
import { IANAZone } from 'luxon'
import type { Environment } from '../environment.ts'

/** Names only: PostgreSQL reads "+02:00" with the opposite sign. */
const NAME = /^[A-Za-z][A-Za-z0-9_+-]*(\/[A-Za-z0-9_+-]+)*$/
const known = new Map<string, string>()

/** The zone of `context.tz`; an unknown one is ignored (spec/models-api.md section 2, "Parts"). */
export function zoneOf(env: Environment): string {
  const { tz } = env
  if (tz === null || tz.length > 64) return 'UTC'
  const seen = known.get(tz)
  if (seen) return seen
  const zone = NAME.test(tz) && IANAZone.isValidZone(tz) ? tz : 'UTC'
  // Contexts come from outside: what they may fill must not grow without end.
  if (known.size < 1000) known.set(tz, zone)
  return zone
}
