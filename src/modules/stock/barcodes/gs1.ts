// Codes by the GS1 standard: which article, which lot or serial number, how many, in which package or place,
// read from one scanned text.

/** Content of a code; parts that the code does not have are left out. */
export interface Gs1 {
  /** Fourteen digits. */
  readonly article?: string
  readonly lot?: string
  readonly serial?: string
  readonly quantity?: number
  /** Eighteen digits. */
  readonly package?: string
  readonly place?: string
  /** `YYYY-MM-DD`. */
  readonly expires?: string
}

/** Ends a part of variable length; scanners send it as a control character. */
const SEPARATOR = '\u001d'
const SYMBOLOGY = /^\][CdeQ][0-9]/

type Read = (text: string, more: string) => Gs1
interface Part {
  readonly mark: RegExp
  /** Characters after the mark; null for as many as there are up to the separator. */
  readonly length: number | null
  readonly digits: boolean
  readonly read: Read
}

const number = (text: string, decimals: string): Gs1 => ({
  quantity: Number(text) / 10 ** Number(decimals || 0),
})
const nothing: Read = () => ({})

const parts: readonly Part[] = [
  { mark: /^00/, length: 18, digits: true, read: (text) => ({ package: text }) },
  { mark: /^0[12]/, length: 14, digits: true, read: (text) => ({ article: text }) },
  { mark: /^10/, length: null, digits: false, read: (lot) => ({ lot }) },
  { mark: /^1[1357]/, length: 6, digits: true, read: nothing },
  { mark: /^21/, length: null, digits: false, read: (serial) => ({ serial }) },
  { mark: /^3[07]/, length: null, digits: true, read: (text) => number(text, '') },
  { mark: /^31[0-6]([0-5])/, length: 6, digits: true, read: number },
  { mark: /^414/, length: 13, digits: true, read: (place) => ({ place }) },
]

/** Days of a month in the text `YYMMDD`; day 00 stands for the last. */
function dayOf(text: string): Gs1 {
  const [year, month, day] = [
    2000 + Number(text.slice(0, 2)),
    Number(text.slice(2, 4)),
    Number(text.slice(4, 6)),
  ]
  if (month < 1 || month > 12 || day > 31) return {}
  const date = new Date(Date.UTC(year, day === 0 ? month : month - 1, day))
  return { expires: date.toISOString().slice(0, 10) }
}

/** As people write codes: marks stand between parentheses, so that each part ends where the next one begins. */
const written = (code: string): string =>
  code.startsWith('(') ? code.replaceAll(/\((\d{2,4})\)/g, `${SEPARATOR}$1`) : code

/** Parses a code; null for a text that does not follow the standard. */
export function readGs1(code: string): Gs1 | null {
  let rest = written(code.replace(SYMBOLOGY, ''))
  let content: Gs1 = {}
  let count = 0
  while (rest.length) {
    if (rest.startsWith(SEPARATOR)) {
      rest = rest.slice(1)
      continue
    }
    const part = parts.find(({ mark }) => mark.test(rest))
    const match = part?.mark.exec(rest)
    if (!part || !match) return null
    const body = rest.slice(match[0].length)
    const end = part.length ?? (body.includes(SEPARATOR) ? body.indexOf(SEPARATOR) : body.length)
    const text = body.slice(0, end)
    if (text.length === 0 || (part.length !== null && text.length < part.length)) return null
    if (part.digits && !/^\d+$/.test(text)) return null
    content = { ...content, ...(match[0] === '17' ? dayOf(text) : part.read(text, match[1] ?? '')) }
    rest = body.slice(end)
    count++
  }
  return count ? content : null
}

/** The texts that an article's fourteen digits may be kept as: with fewer leading zeros. */
export const articleCodes = (article: string): string[] =>
  [14, 13, 12, 8].flatMap((length) => {
    const [zeros, digits] = [article.slice(0, 14 - length), article.slice(14 - length)]
    return /^0*$/.test(zeros) ? [digits] : []
  })
