// Names of time zones that a contact or user may have: those of the runtime, with the names by which IANA
// calls zones that it lists under older ones.

/** IANA's present names where the runtime's list has the former one, and names without a place. */
const more = [
  'UTC',
  'GMT',
  'Etc/UTC',
  'Etc/GMT',
  'America/Argentina/Buenos_Aires',
  'America/Argentina/Catamarca',
  'America/Argentina/Cordoba',
  'America/Argentina/Jujuy',
  'America/Argentina/Mendoza',
  'America/Atikokan',
  'America/Indiana/Indianapolis',
  'America/Kentucky/Louisville',
  'America/Nuuk',
  'Asia/Ho_Chi_Minh',
  'Asia/Kathmandu',
  'Asia/Kolkata',
  'Asia/Yangon',
  'Africa/Asmara',
  'Atlantic/Faroe',
  'Europe/Kyiv',
  'Pacific/Chuuk',
  'Pacific/Kanton',
  'Pacific/Pohnpei',
]

let zones: Readonly<Record<string, string>> | undefined

/** Zone → zone, by name. */
export function timeZones(): Readonly<Record<string, string>> {
  zones ??= Object.fromEntries(
    [...new Set([...Intl.supportedValuesOf('timeZone'), ...more])].sort().map((zone) => [zone, zone]),
  )
  return zones
}

/** Offsets by zone and minute: lists of contacts ask for the same few. */
const offsets = new Map<string, string>()
const MOST_OFFSETS = 1000

/** Offset of a zone from UTC at a moment, as `+0530`; null means UTC. */
export function offsetOf(zone: string | null, at: Date): string {
  if (zone === null) return '+0000'
  const key = `${zone} ${Math.floor(at.getTime() / 60_000)}`
  let offset = offsets.get(key)
  if (offset === undefined) {
    offset = offsetAt(zone, at)
    if (offsets.size >= MOST_OFFSETS) offsets.clear()
    offsets.set(key, offset)
  }
  return offset
}

function offsetAt(zone: string, at: Date): string {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    timeZoneName: 'longOffset',
  }).formatToParts(at)
  const offset = parts.find((part) => part.type === 'timeZoneName')?.value ?? ''
  const match = /([+-])(\d{2}):(\d{2})/.exec(offset)
  return match ? `${match[1]}${match[2]}${match[3]}` : '+0000'
}
