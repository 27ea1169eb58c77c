// States and provinces: ISO 3166-2 by CLDR, for the countries whose addresses name them.
import { addressRules, type Country } from './countries.ts'
import type { Packages } from './packages.ts'

interface State {
  id: string
  country: string
  name: string
  code: string
}

/** Countries whose provinces people write, not the regions above them. */
const PROVINCES = new Set(['BE', 'CV', 'ES', 'FR', 'ID', 'IE', 'IT', 'PH'])

/** Countries whose post needs no state, but whose forms and reports ask for one. */
const ALSO = new Set('AT BE BO CH CZ DE DO EC FR GB GR GT HU LU NL NZ PE PL PT PY RO SA SE TH ZA'.split(' '))

/** The post's short form, where the region is its own only province. */
const RENAMED: Record<string, string> = { it23: 'itao' }

/** Names that CLDR gives to two subdivisions of one country. */
const NAMES: Record<string, string> = {
  arc: 'Ciudad Autónoma de Buenos Aires',
  mzl: 'Maputo Province',
  rumos: 'Moscow Oblast',
  uzto: 'Tashkent Region',
}

type Containment = Record<string, { _contains: string[] }>

/** States of all countries that use them, in the order of the countries and then of the names. */
export function buildStates(packages: Packages, countries: Country[]): State[] {
  const containment = packages.supplemental<Containment>('subdivisionContainment')
  const names = packages.subdivisionNames()
  const territories = packages.names('en', 'territories')

  return countries.flatMap((country) => {
    const { code } = country
    const { fmt = '', lfmt = '' } = addressRules(packages, code)
    // the islets below the United States have nobody who writes an address
    if (code === 'UM' || (!`${fmt}${lfmt}`.includes('%S') && !ALSO.has(code))) return []
    const all = (containment[code]?._contains ?? [])
      .flatMap((contained) => (PROVINCES.has(code) ? leaves(containment, contained) : [contained]))
      .map((subdivision) => RENAMED[subdivision] ?? subdivision)
      .map((subdivision) => ({
        code: subdivision.slice(2).toUpperCase(),
        name: stateName(names, subdivision) ?? outlying(territories, subdivision),
      }))
      .filter((state): state is { code: string; name: string } => state.name !== undefined)
      .sort((a, b) => a.name.localeCompare(b.name, 'en'))
    return code === 'US'
      ? numbered(country, all, names)
      : all.map((state) => record(country, state, state.code.toLowerCase()))
  })
}

function leaves(containment: Containment, code: string): string[] {
  return containment[code]?._contains.flatMap((part) => leaves(containment, part)) ?? [code]
}

/** The name without the word that tells a Spanish province from its region. */
function stateName(names: Record<string, string>, code: string): string | undefined {
  return NAMES[code] ?? (code.startsWith('es') ? names[code]?.replace(/ Province$/, '') : names[code])
}

/** CLDR names the territories of the United States as countries only. */
function outlying(territories: Record<string, string>, code: string): string | undefined {
  return code.startsWith('us') ? territories[code.slice(2).toUpperCase()] : undefined
}

/**
 * Clients know the fifty states of the US by their place in the alphabet; the capital and the territories
 * follow by code.
 */
function numbered(
  country: Country,
  all: { code: string; name: string }[],
  names: Record<string, string>,
): State[] {
  const isState = (code: string) => code !== 'DC' && names[`us${code.toLowerCase()}`] !== undefined
  const states = all.filter(({ code }) => isState(code))
  const others = all.filter(({ code }) => !isState(code))
  return [
    ...states.map((state, index) => record(country, state, String(index + 1))),
    ...others.map((state) => record(country, state, state.code.toLowerCase())),
  ]
}

function record(country: Country, state: { code: string; name: string }, suffix: string): State {
  return { id: `state_${country.id}_${suffix}`, country: country.id, name: state.name, code: state.code }
}
