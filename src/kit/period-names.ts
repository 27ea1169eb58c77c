// Names of languages for periods: short names of quarters, and the locale that names months.
import { present } from './present.ts'

/**
 * The locale of a language code such as `fr_FR` or `sr@latin`: with the calendar and the digits of the API.
 */
export function localeOf(lang: string): string {
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
