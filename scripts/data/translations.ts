// Names of countries, currencies and languages in the languages that a shop switches on first.
import { type Country, countryName } from './countries.ts'
import type { Currency } from './currencies.ts'
import { type Language, localeOf } from './languages.ts'
import type { Packages } from './packages.ts'

/** Language → model → external id → field → text. */
type Translations = Record<string, Record<string, Record<string, Record<string, string>>>>

const TARGETS = ['de_DE', 'es_ES', 'fr_FR', 'nl_NL']

/** Translations of the records, leaving out what reads as in English. */
export function buildTranslations(
  packages: Packages,
  records: { countries: Country[]; currencies: Currency[]; languages: Language[] },
): Translations {
  return Object.fromEntries(
    TARGETS.map((target) => {
      const [language = '', territory = ''] = target.split('_')
      const locale = localeOf(packages, { language, territory })
      const currencyNames = packages.currencies(locale)
      const countries = records.countries.map((country) =>
        entry(country.id, 'name', country.name, countryName(packages, locale, country.code)),
      )
      const currencies = records.currencies.map((currency) =>
        entry(currency.id, 'full_name', currency.full_name, currencyNames[currency.id]?.displayName),
      )
      const languages = records.languages.map((language) =>
        entry(language.id, 'name', language.name, languageName(packages, locale, language)),
      )
      return [
        target,
        {
          'res.country': Object.fromEntries(countries.flat()),
          'res.currency': Object.fromEntries(currencies.flat()),
          'res.lang': Object.fromEntries(languages.flat()),
        },
      ]
    }),
  )
}

function entry(
  id: string,
  field: string,
  source: string,
  text: string | undefined,
): [string, Record<string, string>][] {
  return text && text !== source ? [[id, { [field]: text }]] : []
}

/** "Französisch", "Französisch (Belgien)": the place, or the script, tells the forms of a language apart. */
function languageName(packages: Packages, locale: string, { id, code }: Language): string | undefined {
  const [language = '', rest = ''] = code.split(/[_@]/)
  const placed = language === 'en' || id === `lang_${code}`
  const name = packages.names(locale, 'languages')[language]
  const place = code.includes('@')
    ? packages.names(locale, 'scripts')[rest === 'latin' ? 'Latn' : rest]
    : packages.names(locale, 'territories')[rest]
  if (!name) return undefined
  const capital = name.charAt(0).toLocaleUpperCase(locale) + name.slice(1)
  return place && placed ? `${capital} (${place})` : capital
}
