// URIs that readers of radio tags send, by the GS1 standard for tag data: articles with a serial number or
// a lot, and packages.
import { checkDigit } from './patterns.ts'

/** A part of a code, as rules of nomenclatures name it. */
interface Part {
  readonly type: 'product' | 'lot' | 'package'
  readonly base_code: string
  readonly code: string
  readonly encoding: string
  readonly value: string
  readonly match: true
}

const ARTICLE =
  /^urn:epc:(?:id:sgtin|tag:sgtin-(?:96|198):\d|class:lgtin|tag:lgtin-\d+:\d)[:.](\d+)\.(\d+)\.([^\s.][^\s]*)$/
const PACKAGE = /^urn:epc:(?:id:sscc|tag:sscc-96:\d)[:.](\d+)\.(\d+)$/

const part = (uri: string, type: Part['type'], value: string): Part => ({
  type,
  base_code: value,
  code: uri,
  encoding: type === 'lot' ? 'gs1-128' : 'any',
  value,
  match: true,
})

/** The first digit of the reference is in front of the company's, and a digit that checks them at the end. */
function numberOf(company: string, reference: string, length: number): string | null {
  const digits = `${reference.slice(0, 1)}${company}${reference.slice(1)}`
  return digits.length === length - 1 ? `${digits}${checkDigit(digits)}` : null
}

/** Signs that a URI writes as `%2F`; null for broken ones. */
function plain(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}

/** Parts of a URI; none for other texts. */
export function readUri(uri: string): readonly Part[] {
  const [, company = '', reference = '', suffix = ''] = ARTICLE.exec(uri) ?? PACKAGE.exec(uri) ?? []
  if (suffix === '') {
    const container = numberOf(company, reference, 18)
    return container === null ? [] : [part(uri, 'package', container)]
  }
  const [article, lot] = [numberOf(company, reference, 14), plain(suffix)]
  return article === null || lot === null ? [] : [part(uri, 'product', article), part(uri, 'lot', lot)]
}
