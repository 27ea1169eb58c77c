// Reads the installed data packages: CLDR by locale, and any file of the others.
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

/** What `currencies.json` of a CLDR locale says of one currency. */
interface CurrencyNames {
  displayName?: string
  'displayName-count-other'?: string
  symbol?: string
  'symbol-alt-narrow'?: string
}

/**
 * The day the data is drawn up for: what CLDR dates after it has not happened, what ended long before it is
 * history.
 */
export const AS_OF = '2026-07-01'

export interface Packages {
  /** The content of a JSON file, by its path below `node_modules`. */
  json<T>(path: string): T
  /** An ES module of a package. */
  module<T>(path: string): Promise<T>
  /** The most exact CLDR locale that exists, of `language`, `script` and `territory`. Throws without any. */
  locale(language: string, territory?: string, script?: string): string
  /** The locale of the language that most people of a territory speak. */
  territoryLocale(territory: string): string
  /** Names by code of a locale: `languages`, `scripts` or `territories`. */
  names(locale: string, kind: 'languages' | 'scripts' | 'territories'): Record<string, string>
  currencies(locale: string): Record<string, CurrencyNames>
  /** `{ symbols…, decimalFormats…, currencyFormats… }` of a locale. */
  numbers(locale: string): Record<string, Record<string, unknown>>
  /** The short patterns of dates and times of a locale, in the Gregorian calendar. */
  calendar(locale: string): { date: string; time: string }
  /** Whether a locale is written from right to left. */
  rightToLeft(locale: string): boolean
  /** CLDR supplemental data, the part inside its two wrappers. */
  supplemental<T>(file: string): T
  /** Names of subdivisions in English, by code (`usca`). */
  subdivisionNames(): Record<string, string>
}

/** Opens the packages installed below `folder` (its `node_modules`). */
export function openPackages(folder: string): Packages {
  const root = resolve(folder, 'node_modules')
  const json = <T>(path: string): T => JSON.parse(readFileSync(join(root, path), 'utf8')) as T

  /** The value of CLDR's nested wrappers: `main.<locale>.<…keys>`. */
  const main = <T>(pack: string, locale: string, file: string, keys: string[]): T => {
    let value: unknown = json(`${pack}/main/${locale}/${file}.json`)
    for (const key of ['main', locale, ...keys]) value = (value as Record<string, unknown>)[key]
    return value as T
  }

  const hasLocale = (tag: string): boolean => existsSync(join(root, 'cldr-numbers-full/main', tag))

  const packages: Packages = {
    json,
    module: (path) => import(pathToFileURL(join(root, path)).href),
    locale(language, territory, script) {
      const subtags = [[language, script, territory], [language, territory], [language, script], [language]]
      // CLDR keeps Bokmål under the macrolanguage and lets `nb` inherit from it
      if (language === 'nb') subtags.push(['no'])
      const locale = subtags.map((tags) => tags.filter(Boolean).join('-')).find(hasLocale)
      if (!locale) throw new Error(`CLDR has no locale for ${language}`)
      return locale
    },
    territoryLocale(territory) {
      const likely =
        packages.supplemental<Record<string, string>>('likelySubtags')[`und-${territory}`] ?? 'en'
      const [language = 'en', script] = likely.split('-')
      // some first languages (Bislama, Dzongkha…) have no data: the language of the administration has
      const spoken =
        [language, 'en', 'fr'].find((candidate) =>
          hasLocale(candidate === language ? candidate : `${candidate}-${territory}`),
        ) ?? 'en'
      return packages.locale(spoken, territory, spoken === language ? script : undefined)
    },
    names: (locale, kind) => main('cldr-localenames-full', locale, kind, ['localeDisplayNames', kind]),
    currencies: (locale) => main('cldr-numbers-full', locale, 'currencies', ['numbers', 'currencies']),
    numbers: (locale) => main('cldr-numbers-full', locale, 'numbers', ['numbers']),
    calendar(locale) {
      const keys = ['dates', 'calendars', 'gregorian']
      const gregorian = main<Record<'dateFormats' | 'timeFormats', { short: unknown }>>(
        'cldr-dates-full',
        locale,
        'ca-gregorian',
        keys,
      )
      return {
        date: patternText(gregorian.dateFormats.short),
        time: patternText(gregorian.timeFormats.short),
      }
    },
    rightToLeft: (locale) =>
      main('cldr-misc-full', locale, 'layout', ['layout', 'orientation', 'characterOrder']) ===
      'right-to-left',
    supplemental<T>(file: string) {
      const all = json<{ supplemental: Record<string, unknown> }>(
        `cldr-core/supplemental/${file}.json`,
      ).supplemental
      return all[file] as T
    },
    subdivisionNames() {
      const file = json<{ subdivisions: { localeDisplayNames: { subdivisions: Record<string, string> } } }>(
        'cldr-subdivisions-full/subdivisions/en/en.json',
      )
      return file.subdivisions.localeDisplayNames.subdivisions
    },
  }
  return packages
}

/** A CLDR pattern is a text, or an object that adds the digits it is written in. */
function patternText(pattern: unknown): string {
  return typeof pattern === 'string' ? pattern : String((pattern as { _value: string })._value)
}
