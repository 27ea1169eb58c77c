// Time zones of conditions: the context's zone when it is one, else UTC.
import { IANAZone } from 'luxon'
import { oncePer } from '../../kit/once-per.ts'
import type { Environment } from '../language/environment.ts'

/** Names only: PostgreSQL reads "+02:00" with the opposite sign. */
const NAME = /^[A-Za-z][A-Za-z0-9_+-]*(\/[A-Za-z0-9_+-]+)*$/

/**
 * One spelling for each zone, the first that was met: libraries keep what they make for a name for good, and
 * names may be written in any case. It has as many entries as there are zones.
 */
const spellings = new Map<string, string>()

/**
 * The zone of `context.tz`; an unknown one is ignored (spec/models-api.md section 2, "Parts"). Once per
 * environment, as a domain may have very many dates, and an unknown name takes 80 µs each time.
 */
export const zoneOf = oncePer(({ tz }: Environment) => (tz === null ? null : zoneNamed(tz)) ?? 'UTC')

export function zoneNamed(name: string): string | null {
  if (name.length > 64) return null
  const key = name.toLowerCase()
  const spelling = spellings.get(key)
  if (spelling !== undefined) return spelling
  if (!NAME.test(name) || !IANAZone.isValidZone(name)) return null
  spellings.set(key, name)
  return name
}
