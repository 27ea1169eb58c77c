// Labels of periods in the user's language: "01 Jan 2024", "W3 2024", "janvier 2024", "T1 2024".
import type { DateTime } from 'luxon'
import { present } from '../../kit/present.ts'
import { type Calendar, localStart, type Period } from './periods.ts'

/** The label of the period that starts at `start` (a date, or a moment in UTC). */
export function periodLabel(start: string, period: Period, calendar: Calendar): string {
  const at = localStart(start, calendar)
  // Before the year 1 there are no names.
  if (!at.isValid) return start
  const year = at.toFormat('yyyy')
  switch (period) {
    case 'hour':
      return `${at.toFormat('hh:mm').slice(0, 3)}00 ${at.toFormat('dd')} ${monthName(at, calendar.lang, 'short')}`
    case 'day':
      return `${at.toFormat('dd')} ${monthName(at, calendar.lang, 'short')} ${year}`
    case 'week': {
      const week = weekOf(at, calendar.weekStart)
      return `W${week.number} ${week.year}`
    }
    case 'month':
      return `${monthName(at, calendar.lang, 'long')} ${year}`
    case 'quarter':
      return `${quarterName(calendar.lang, at.quarter)} ${year}`
    default:
      return year
  }
}

/**
 * Number and year of a week: as ISO counts when weeks start on Monday, else the first week is the one with 1
 * January.
 */
function weekOf(start: DateTime, weekStart: number): { readonly number: number; readonly year: number } {
  if (weekStart === 1) return { number: start.weekNumber, year: start.weekYear }
  const first = (year: number) => {
    const newYear = start.set({ year, month: 1, day: 1 }).startOf('day')
    return newYear.minus({ days: (newYear.weekday - weekStart + 7) % 7 })
  }
  const day = start.startOf('day')
  if (day >= first(day.year + 1)) return { number: 1, year: day.year + 1 }
  const from = first(day.year)
  return { number: Math.floor(Math.round(day.diff(from, 'days').days) / 7) + 1, year: day.year }
}

const formats = new Map<string, Intl.DateTimeFormat>()

/** The month as written with a day: some languages decline it. */
function monthName(at: DateTime, lang: string, length: 'short' | 'long'): string {
  const key = `${lang}/${length}`
  let format = formats.get(key)
  if (!format) {
    format = new Intl.DateTimeFormat(localeOf(lang), {
      day: '2-digit',
      month: length,
      year: 'numeric',
      timeZone: 'UTC',
    })
    formats.set(key, format)
  }
  const date = new Date(Date.UTC(2000, at.month - 1, 1))
  const name = format.formatToParts(date).find((part) => part.type === 'month')?.value ?? ''
  if (/\D/.test(name)) return name
  // Languages that count months write the word for month as a part of its own.
  return new Intl.DateTimeFormat(localeOf(lang), { month: length, timeZone: 'UTC' }).format(date)
}

/**
 * The locale of a language code such as `fr_FR` or `sr@latin`: with the calendar and the digits of the API.
 */
function localeOf(lang: string): string {
  const [plain, script] = lang.split('@') as [string, string | undefined]
  const tag = `${plain.replace('_', '-')}${script === 'latin' ? '-Latn' : script === 'Cyrl' ? '-Cyrl' : ''}-u-ca-gregory-nu-latn`
  try {
    return Intl.DateTimeFormat.supportedLocalesOf(tag)[0] ?? 'en-US'
  } catch {
    // A code that is no locale: its labels are English.
    return 'en-US'
  }
}

// Short names of quarters by language: `#` stands for the number, lists name all four. Languages that
// write Q1 are left out. Source: CLDR (cldr-dates-full, gregorian calendar, abbreviated quarters).

const quarters: Readonly<Record<string, string | readonly string[]>> = {
  af: 'K#',
  am: 'ሩብ#',
  ar: ['الربع الأول', 'الربع الثاني', 'الربع الثالث', 'الربع الرابع'],
  az: ['1-ci kv.', '2-ci kv.', '3-cü kv.', '4-cü kv.'],
  be: ['1-шы кв.', '2-гі кв.', '3-ці кв.', '4-ты кв.'],
  bg: '#. трим.',
  bn: ['ত্রৈমাসিক', 'দ্বিতীয় ত্রৈমাসিক', 'তৃতীয় ত্রৈমাসিক', 'চতুর্থ ত্রৈমাসিক'],
  bs: 'KV#',
  ca: '#T',
  cy: 'Ch#',
  da: '#. kvt.',
  el: 'Τ#',
  es: 'T#',
  es_DO: 'Q#',
  et: 'K#',
  eu: '#Hh',
  fa: ['س\u200cم۱', 'س\u200cم۲', 'س\u200cم۳', 'س\u200cم۴'],
  fi: '#. nelj.',
  fr: 'T#',
  ga: 'R#',
  gl: 'T#',
  hi: 'ति#',
  hr: '#kv',
  hu: ['I. n.év', 'II. n.év', 'III. n.év', 'IV. n.év'],
  hy: ['1-ին եռմս.', '2-րդ եռմս.', '3-րդ եռմս.', '4-րդ եռմս.'],
  id: 'K#',
  is: 'F#',
  it: 'T#',
  ka: ['I კვ.', 'II კვ.', 'III კვ.', 'IV კვ.'],
  kab: 'Kḍg#',
  kk: ['І тқс.', 'ІІ тқс.', 'ІІІ тқс.', 'IV тқс.'],
  km: 'ត្រីមាសទី #',
  kn: 'ತ್ರೈ #',
  ko: '#분기',
  ky: '#-чей.',
  lo: 'ຕມ#',
  lt: ['I k.', 'II k.', 'III k.', 'IV k.'],
  lv: '#. cet.',
  mk: ['јан. – мар.', 'апр. – јун.', 'јул. – сеп.', 'окт. – дек.'],
  ml: ['ഒന്നാം പാദം', 'രണ്ടാം പാദം', 'മൂന്നാം പാദം', 'നാലാം പാദം'],
  mn: ['I улирал', 'II улирал', 'III улирал', 'IV улирал'],
  mr: ['ति१', 'ति२', 'ति३', 'ति४'],
  ms: 'S#',
  nb: 'K#',
  ne: ['पहिलो त्रैमासिक', 'दोस्रो त्रैमासिक', 'तेस्रो त्रैमासिक', 'चौथो त्रैमासिक'],
  nl: 'K#',
  pa: 'ਤਿਮਾਹੀ#',
  pl: ['I kw.', 'II kw.', 'III kw.', 'IV kw.'],
  pt: 'T#',
  ro: ['trim. I', 'trim. II', 'trim. III', 'trim. IV'],
  ru: '#-й кв.',
  si: 'කාර්:#',
  sl: '#. čet.',
  sq: ['tremujori I', 'tremujori II', 'tremujori III', 'tremujori IV'],
  sr: '#. кв.',
  'sr@latin': '#. kv.',
  sv: 'K#',
  sw: 'Robo ya #',
  ta: 'கா.#',
  te: 'త్రై#',
  th: 'ไตรมาส #',
  tr: 'Ç#',
  uk: '#-й кв.',
  ur: ['پہلی سہ ماہی', 'دوسری سہ ماہی', 'تیسری سہ ماہی', 'چوتهی سہ ماہی'],
  uz: '#-ch',
  zh: '#季度',
  zh_HK: 'Q#',
  zh_TW: '第#季',
}

/** The short name of a quarter (1 to 4) in a language such as `fr_FR`. */
export function quarterName(lang: string, quarter: number): string {
  const names = quarters[lang] ?? quarters[present(lang.split(/[_@]/)[0])] ?? 'Q#'
  return typeof names === 'string' ? names.replace('#', String(quarter)) : present(names[quarter - 1])
}
