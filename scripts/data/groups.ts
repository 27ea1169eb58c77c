// Groups of countries: unions and regions that prices and taxes are set by.
import { type Country, countryId } from './countries.ts'
import type { Packages } from './packages.ts'

interface CountryGroup {
  id: string
  name: string
  countries: string[]
}

/**
 * Who takes part in the payment area beside the European Union, by the list of the European Payments Council.
 */
const SEPA_BEYOND_EU =
  'AD AL AX BL CH GB GF GG GI GP IM IS JE LI MC MD ME MF MK MQ NO PM RE RS SM VA YT'.split(' ')

/** The groups, each with the external ids of its countries in alphabetical order. */
export function buildGroups(packages: Packages, countries: Country[]): CountryGroup[] {
  const contained = packages.supplemental<Record<string, { _contains: string[] }>>('territoryContainment')
  const countryIds = new Set(countries.map((country) => country.id))
  const union = contained.EU?._contains ?? []
  const group = (id: string, name: string, codes: string[]): CountryGroup => ({
    id,
    name,
    countries: codes
      .map(countryId)
      .filter((code) => countryIds.has(code))
      .sort(),
  })
  return [
    group('europe', 'European Union', union),
    group('south_america', 'South America', contained['005']?._contains ?? []),
    group('sepa_zone', 'SEPA Countries', [...union, ...SEPA_BEYOND_EU]),
    group('gulf_cooperation_council', 'Gulf Cooperation Council', ['AE', 'BH', 'KW', 'OM', 'QA', 'SA']),
    group('eurasian_economic_union', 'Eurasian Economic Union', ['AM', 'BY', 'KG', 'KZ', 'RU']),
  ]
}
