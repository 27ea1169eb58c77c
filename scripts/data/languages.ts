// Languages: which ones are offered is our choice, how they write dates and numbers is CLDR's.
import type { Packages } from './packages.ts'

export interface Language {
  id: string
  code: string
  name: string
  iso_code: string
  url_code: string
  direction: 'ltr' | 'rtl'
  date_format: string
  time_format: string
  short_time_format: string
  week_start: string
  grouping: string
  decimal_point: string
  thousands_sep: string
}

/** A language as asked for: its parts, and whether it is the main form (known by the language alone). */
interface Choice {
  language: string
  territory: string
  script?: string
  suffix?: string
  main: boolean
}

/** Main forms; the territory is the one where most speakers live, unless it is said. */
const MAIN =
  'af am ar_001 az be bg bn bs ca cs cy da de el en_US es_ES et eu fa fi fil fr ga gl gu he hi hr hu hy id is it ja ka kab kk km kn ko ' +
  'ky lb lo lt lv mk ml mn mr ms my nb ne nl pa pl pt_PT ro ru si sk sl sq sv sw ta te th tr uk ur uz vi zu'
const VARIANTS =
  'ar_EG ar_SA ar_SY de_AT de_CH en_AU en_CA en_GB en_IN en_NZ es_419 es_AR es_BO es_CL es_CO es_CR es_DO es_EC es_GT es_MX es_PA es_PE ' +
  'es_PY es_UY es_VE fr_BE fr_CA fr_CH it_CH ko_KP nl_BE pt_AO pt_BR sr_RS@Cyrl sr_RS@latin zh_CN zh_HK zh_TW'
const SCRIPTS: Record<string, string> = { Cyrl: 'Cyrl', latin: 'Latn', CN: 'Hans', HK: 'Hant', TW: 'Hant' }

/** Where CLDR's own short form of a territory is the usual one. */
const REGION_NAMES: Record<string, string> = { US: 'US', GB: 'UK', 419: 'Latin America' }

/** Clients of all others are used to 24 hours, also where people speak of twelve. */
const TWELVE_HOURS = new Set(['en_US'])

const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']

/** All offered languages, by code. */
export function buildLanguages(packages: Packages): Language[] {
  const choices = [
    ...MAIN.split(' ').map((code) => choice(packages, code, true)),
    ...VARIANTS.split(' ').map((code) => choice(packages, code, false)),
  ]
  return choices.map((choice) => languageOf(packages, choice)).sort((a, b) => (a.code < b.code ? -1 : 1))
}

function choice(packages: Packages, locale: string, main: boolean): Choice {
  const [base = '', suffix] = locale.split('@')
  const [language = '', region] = base.split('_')
  const likely = packages.supplemental<Record<string, string>>('likelySubtags')[language]?.split('-') ?? []
  const territory = region ?? likely.at(-1) ?? ''
  const script = SCRIPTS[suffix ?? (language === 'zh' ? territory : '')]
  return { language, territory, main, ...(script ? { script } : {}), ...(suffix ? { suffix } : {}) }
}

function languageOf(packages: Packages, choice: Choice): Language {
  const locale = localeOf(packages, choice)
  const numbers = packages.numbers(locale)
  const symbols = numbers['symbols-numberSystem-latn']
  const code = choice.suffix
    ? `${choice.language}@${choice.suffix}`
    : `${choice.language}_${choice.territory}`
  const short = choice.main ? choice.language : code
  const calendar = packages.calendar(locale)
  const separator = calendar.time.includes('.') ? '.' : ':'
  const [hour, half] = TWELVE_HOURS.has(code) ? ['%I', ' %p'] : ['%H', '']
  return {
    id: `lang_${short}`,
    code,
    name: languageName(packages, choice, locale),
    iso_code: short,
    url_code: short,
    direction: packages.rightToLeft(locale) ? 'rtl' : 'ltr',
    date_format: dateFormat(calendar.date),
    time_format: `${hour}${separator}%M${separator}%S${half}`,
    short_time_format: `${hour}${separator}%M${half}`,
    week_start: weekStart(packages, choice.territory),
    grouping: grouping(String(numbers['decimalFormats-numberSystem-latn']?.standard)),
    decimal_point: String(symbols?.decimal),
    // the narrow space of typesetters is shown too tight, or as a box, by many fonts and spreadsheets
    thousands_sep: String(symbols?.group).replace('\u202f', '\u00a0'),
  }
}

/** The CLDR locale of a language. */
export function localeOf(
  packages: Packages,
  language: { language: string; territory: string; script?: string },
): string {
  return packages.locale(language.language, language.territory, language.script)
}

/** "French / Français", "French (BE) / Français (BE)", "English (US)". */
function languageName(packages: Packages, choice: Choice, locale: string): string {
  const inLocale = (display: string): string => {
    const names = packages.names(display, 'languages')
    const scripted =
      choice.script && choice.language !== 'zh'
        ? packages.names(display, 'scripts')[choice.script]
        : undefined
    const name =
      (choice.language === 'zh' && names[`zh-${choice.script}`]) || names[choice.language] || choice.language
    // Georgian has capitals only for whole words
    const capital = locale === 'ka' ? name : name.charAt(0).toLocaleUpperCase(locale) + name.slice(1)
    return scripted ? `${capital} (${scripted})` : capital
  }
  const shown =
    choice.language === 'en' ||
    (!choice.main && !choice.suffix && !(choice.language === 'zh' && choice.territory !== 'HK'))
  const region = (display: string): string =>
    shown
      ? ` (${choice.territory === '419' && display !== 'en' ? packages.names(display, 'territories')['419'] : (REGION_NAMES[choice.territory] ?? choice.territory)})`
      : ''
  const english = inLocale('en') + region('en')
  const nativeName = inLocale(locale) + region(locale)
  return nativeName === english ? english : `${english} / ${nativeName}`
}

/** CLDR's numeric date as strftime: two-digit day and month, whole year, the same separators. */
function dateFormat(pattern: string): string {
  return pattern
    .replaceAll(/'[^']*'|\p{Cf}|G+/gu, '')
    .trim()
    .replace(/d+/, '%d')
    .replace(/M+/, '%m')
    .replace(/y+/, '%Y')
    .replace(/[\s.]+$/, '')
}

/** '1' for Monday to '7' for Sunday. */
function weekStart(packages: Packages, territory: string): string {
  const { firstDay } = packages.supplemental<{ firstDay: Record<string, string> }>('weekData')
  return String(WEEKDAYS.indexOf(firstDay[territory] ?? 'mon') + 1)
}

/** Sizes of the groups of digits from the right, the last one repeated: "#,##,##0" is [3,2,0]. */
function grouping(pattern: string): string {
  const groups = (pattern.split('.')[0] ?? '').split(',').slice(1).reverse()
  const sizes = groups.map((group) => group.length).filter((size, index, all) => size !== all[index - 1])
  return `[${[...sizes, 0].join(',')}]`
}
