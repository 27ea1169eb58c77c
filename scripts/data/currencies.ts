// Currencies: codes and digits of ISO 4217, names, symbols and their place of CLDR.
import type { Packages } from './packages.ts'
import { circulating } from './tenders.ts'

export interface Currency {
  id: string
  name: string
  full_name: string
  symbol: string
  rounding: number
  position: 'before' | 'after'
  iso_numeric: number
  unit_label: string
  subunit_label?: string
  active: boolean
}

interface IsoCurrency {
  code: string
  number: string
  digits: number
}

/** A new database keeps its books in one of these; the others are switched on when they are needed. */
const ACTIVE = new Set(['EUR', 'USD'])

/**
 * The country whose way of writing amounts is followed, where the code does not begin with one that uses it.
 */
const HOME: Record<string, string> = { EUR: 'FR', XAF: 'CM', XOF: 'CI', XPF: 'NC', XCD: 'AG', XCG: 'CW' }

/** Numbers of ISO 4217 that the list of codes does not have yet, or no more; 0: it has none. */
const NUMBERS: Record<string, string> = { CNH: '0', HRK: '191', UYW: '927', XCG: '532' }

/** Where bills know no parts of the unit, though ISO 4217 does, and the sign stands behind the amount. */
const WHOLE = new Set(['TWD'])

/** Names of the hundredth (or thousandth) part. No package with a fitting licence says them. */
const SUBUNITS: Record<string, string> = {
  Cents:
    'AUD BBD BMD BND BSD BZD CAD ETB EUR FJD GYD HKD JMD KES KYD LKR LRD MUR NAD NZD SBD SCR SGD SRD SZL TTD TWD TZS UGX USD XCD XCG ZAR ZWG ANG AWG SLE',
  Centimes: 'BIF CDF CHF DJF DZD GNF HTG KMF MAD RWF XAF XOF XPF',
  Centavos: 'ARS BOB BRL CLP COP CUP CVE DOP HNL MXN MZN NIO PHP',
  Pence: 'FKP GBP GIP SHP',
  Fils: 'AED BHD IQD JOD KWD YER',
  Paise: 'INR NPR PKR',
  Piastres: 'EGP LBP SDG SSP SYP',
  Dirhams: 'LYD QAR',
  Øre: 'DKK NOK',
  Öre: 'SEK',
  Sen: 'IDR MYR JPY KHR',
  Kopecks: 'BYN RUB UAH',
  Halalas: 'SAR',
  Baisa: 'OMR',
  Millimes: 'TND',
  Agorot: 'ILS',
  Kurus: 'TRY',
  Groszy: 'PLN',
  Haler: 'CZK',
  Filler: 'HUF',
  Bani: 'MDL RON',
  Stotinki: 'BGN',
  Para: 'RSD',
  Fen: 'CNY',
  Jeon: 'KRW KPW',
  Satang: 'THB',
  Xu: 'VND',
  Kobo: 'NGN',
  Pesewas: 'GHS',
  Ngwee: 'ZMW',
  Tambala: 'MWK',
  Thebe: 'BWP',
  Bututs: 'GMD',
  Tetri: 'GEL',
  Tiyn: 'KGS KZT UZS',
  Qepik: 'AZN',
  Luma: 'AMD',
  Poisha: 'BDT',
  Laari: 'MVR',
  Chetrum: 'BTN',
  Pya: 'MMK',
  Toea: 'PGK',
  Sene: 'WST',
  Seniti: 'TOP',
  Centésimos: 'PAB UYU',
  Céntimos: 'CRC PEN PYG VES',
  Lisente: 'LSL',
  Cêntimos: 'AOA STN',
}

/** All circulating currencies, by code. */
export async function buildCurrencies(packages: Packages): Promise<Currency[]> {
  const { default: list } = await packages.module<{ default: IsoCurrency[] }>('currency-codes/data.js')
  const iso = new Map(list.map((entry) => [entry.code, entry]))
  const english = packages.currencies('en')
  return [...circulating(packages)]
    .filter(([code]) => iso.has(code) || code in NUMBERS)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([code, users]) => {
      const home = HOME[code] ?? users.find((territory) => code.startsWith(territory)) ?? users[0] ?? 'US'
      const locale = packages.territoryLocale(home)
      const names = english[code] ?? {}
      const { number, digits } = iso.get(code) ?? { number: NUMBERS[code], digits: 2 }
      const decimals = WHOLE.has(code) ? 0 : digits
      const subunit = Object.keys(SUBUNITS).find((label) => SUBUNITS[label]?.split(' ').includes(code))
      return {
        id: code,
        name: code,
        full_name: names.displayName ?? code,
        symbol: symbolOf(packages, code, locale),
        rounding: Number((10 ** -decimals).toFixed(decimals)),
        position: !WHOLE.has(code) && standardPattern(packages, locale).startsWith('¤') ? 'before' : 'after',
        iso_numeric: Number(number),
        unit_label: unitLabel(names['displayName-count-other'] ?? code),
        ...(subunit ? { subunit_label: subunit } : {}),
        active: ACTIVE.has(code),
      }
    })
}

/**
 * The short symbol of English readers, else the one used at home, else the code. Marks of direction are no
 * part of it.
 */
function symbolOf(packages: Packages, code: string, locale: string): string {
  const english = packages.currencies('en')[code]?.['symbol-alt-narrow']
  const symbol = english ?? packages.currencies(locale)[code]?.symbol ?? ''
  return symbol.replaceAll(/\p{Cf}/gu, '').trim() || code
}

/** The pattern of amounts of a locale, from its first sign that is seen. */
function standardPattern(packages: Packages, locale: string): string {
  const pattern = packages.numbers(locale)['currencyFormats-numberSystem-latn']?.standard
  return String(pattern)
    .replaceAll(/\p{Cf}/gu, '')
    .trimStart()
}

/** "US dollars" → "Dollars": the last word, without what a parenthesis adds. */
function unitLabel(plural: string): string {
  const word =
    plural
      .replace(/\s*\(.*\)/, '')
      .split(' ')
      .at(-1) ?? plural
  return word.charAt(0).toUpperCase() + word.slice(1)
}
