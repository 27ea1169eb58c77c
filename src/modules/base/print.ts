// Common parts of printed documents of all modules: the company's letterhead, and dates, numbers and
// amounts in the format of a language.
import { type Environment, optional, type PrintDocument, required, returns, wordsIn } from '#models'
import { pictureKind } from '../../kit/print/document.ts'
import { type PrintLook, printLayouts } from '../../kit/print/look.ts'
import { sanitizeHtml } from '../../kit/sanitize.ts'
import { documentFonts } from './companies/document-choices.ts'
import { type Address, addressPaths, layOut } from './places/address.ts'

/** The one method of a model `report.<report_name>`: documents of records that the caller may read. */
export const printMethods = {
  documents: {
    doc: 'The printed documents of records, in their order.',
    level: 'model',
    readonly: true,
    private: true,
    params: {
      docids: required<readonly number[]>('ids', { doc: 'Ids of records', annotation: 'list[int]' }),
      data: optional<unknown>('any', null, {
        doc: 'Options of the report',
        annotation: 'dict | None',
      }),
    },
    returns: returns<readonly PrintDocument[]>('array', 'list[dict]'),
  },
} as const

/** Formats of a language for documents. */
export interface Written {
  readonly lang: string
  /** A word or sentence in the language, where a module has it. */
  readonly say: (text: string) => string
  readonly date: (iso: string | null | undefined) => string
  readonly number: (value: number, digits?: number) => string
  readonly money: (value: number, currency: Money) => string
}

export interface Money {
  readonly symbol: string
  readonly position: string | null
  readonly decimal_places: number
}

/** Formats of languages, by code: one query. Languages that are not installed are written as English. */
export async function languagesFor(
  env: Environment,
  codes: readonly (string | null)[],
): Promise<(code: string | null) => Written> {
  const langs = await env
    .sudo()
    .model('res.lang')
    .search([['code', 'in', [...new Set(codes.flatMap((code) => code ?? [])), 'en_US']]])
  const rows = await langs.load(['code', 'date_format', 'decimal_point', 'thousands_sep'])
  const writtenByCode = new Map(rows.map((row) => [row.code, written(env, row)]))
  const fallback =
    writtenByCode.get('en_US') ??
    written(env, { code: 'en_US', date_format: '%m/%d/%Y', decimal_point: '.', thousands_sep: ',' })
  return (code) => writtenByCode.get(code ?? '') ?? fallback
}

/** The formats of a language. */
export interface LanguageRow {
  readonly code: string
  readonly date_format: string
  readonly decimal_point: string
  readonly thousands_sep: string | null
}

/** Formats of an installed language, with its words from the modules of the database. */
export function written(
  env: Environment,
  { code, date_format, decimal_point, thousands_sep }: LanguageRow,
): Written {
  const number = (value: number, digits = 2) => {
    const [whole = '0', rest] = Math.abs(value).toFixed(digits).split('.')
    const grouped = whole.replace(/\B(?=(\d{3})+$)/g, thousands_sep ?? '')
    const isZero = Number(value.toFixed(digits)) === 0
    return `${value < 0 && !isZero ? '-' : ''}${grouped}${rest ? decimal_point + rest : ''}`
  }
  return {
    lang: code.replace('_', '-').replace(/@.*/, ''),
    say: wordsIn(env, code),
    number,
    money: (value, { symbol, position, decimal_places }) => {
      const amount = number(value, decimal_places)
      return position === 'before' ? `${symbol}\u00a0${amount}` : `${amount}\u00a0${symbol}`
    },
    date: (iso) => (iso ? dateAs(iso, date_format) : ''),
  }
}

/** A day in the form of a language, by strftime's letters for days, months and years. */
function dateAs(iso: string, format: string): string {
  const [year = '', month = '', day = ''] = iso.slice(0, 10).split('-')
  const parts: Readonly<Record<string, string>> = {
    Y: year,
    y: year.slice(2),
    m: month,
    d: day,
    e: String(Number(day)),
  }
  const text = format.replace(/%-?(\w)/g, (hole, letter: string) => parts[letter] ?? hole)
  return text.includes('%') ? iso.slice(0, 10) : text
}

/** An address on lines, the name above; empty ones are left out. */
export function addressLines(
  address: Address & { readonly name?: string | null },
  more: readonly (string | null | false)[] = [],
): string[] {
  return [address.name, ...layOut(address).split('\n'), ...more].flatMap((line) =>
    line ? line.trim() || [] : [],
  )
}

/** Parts of a printed document that come from its company. */
export type Letterhead = Pick<PrintDocument, 'logo' | 'look' | 'sender' | 'footer' | 'paper'>

/** Facts for the letterhead of a company. */
export interface LetterheadFacts {
  readonly name: string
  readonly report_header: string | null
  readonly report_footer: string | null
  /** Absent in facts of documents that were issued before documents had a look. */
  readonly primary_color?: string | null
  readonly secondary_color?: string | null
  readonly font?: string | null
  readonly external_report_layout_id?: { readonly key: string | null } | null
  readonly contact:
    | (Address & {
        readonly vat: string | null
        readonly phone: string | null
        readonly email: string | null
        readonly website: string | null
        readonly bank_ids: readonly { readonly acc_number: string | null }[]
      })
    | null
}

/** Letterheads of companies: a bounded number of queries. */
export async function letterheads(
  env: Environment,
  companies: readonly number[],
): Promise<Map<number, Letterhead>> {
  const rows = await env
    .sudo()
    .model('res.company')
    .browse([...new Set(companies)])
    .load([
      'name',
      'partner_id',
      'report_header',
      'report_footer',
      'primary_color',
      'secondary_color',
      'font',
      'external_report_layout_id.key',
    ])
  const partners = await env
    .sudo()
    .model('res.partner')
    .browse(rows.map((row) => row.partner_id.id))
    .load([...addressPaths, 'vat', 'phone', 'email', 'website', 'image_256', 'bank_ids.acc_number'])
  const contacts = new Map(partners.map((partner) => [partner.id, partner]))
  return new Map(
    rows.map((row) => {
      const contact = contacts.get(row.partner_id.id) ?? null
      return [row.id, letterheadOf({ ...row, contact }, contact?.image_256)]
    }),
  )
}

/** The letterhead of a company; pictures of kinds that no paper takes are left out. */
export function letterheadOf(facts: LetterheadFacts, picture: unknown): Letterhead {
  const { name, report_header, report_footer, contact } = facts
  const address = contact ? addressLines({ ...contact, name: null }, [contact.vat]) : []
  const accounts = contact?.bank_ids.flatMap((bank) => bank.acc_number ?? []) ?? []
  const foot = [
    name,
    contact?.phone,
    contact?.email,
    contact?.website,
    ...accounts.slice(0, 2),
    plainText(report_footer),
  ]
  return {
    logo: typeof picture === 'string' && pictureKind(picture) ? picture : null,
    look: lookFrom(facts),
    sender: [name, ...address, ...plainText(report_header).split('\n')].filter((line) => line !== ''),
    footer: foot.flatMap((text) => text?.replaceAll('\n', ' ') || []),
    paper: LETTER.has(contact?.country_id?.code ?? '') ? 'LETTER' : 'A4',
  }
}

/** The look that a company chose. The template of a layout names it: `base.external_layout_striped`. */
function lookFrom(facts: LetterheadFacts): PrintLook {
  const template = facts.external_report_layout_id?.key?.split('external_layout_')[1]
  return {
    layout: printLayouts.find((layout) => layout === template) ?? 'standard',
    primary: facts.primary_color ?? null,
    secondary: facts.secondary_color ?? null,
    font: Object.entries(documentFonts).find(([font]) => font === facts.font)?.[1] ?? null,
  }
}

/** Where paper is of eight inches and a half. */
const LETTER: ReadonlySet<string> = new Set([
  'US',
  'CA',
  'MX',
  'PH',
  'CL',
  'CO',
  'VE',
  'GT',
  'CR',
  'PA',
  'DO',
  'SV',
  'NI',
])

const SIGNS: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  '#39': "'",
  nbsp: ' ',
}

/** The text of HTML, with its breaks between lines. */
export function plainText(html: string | null | false | undefined): string {
  if (!html) return ''
  const broken = html.replace(/<(?:br|\/p|\/div|\/li|\/h\d|\/tr)\b[^>]*>/gi, (tag) => `${tag}\n`)
  const bare = sanitizeHtml(broken, { allowedTags: [], allowedAttributes: {} })
  return bare
    .replace(/&(amp|lt|gt|quot|#39|nbsp);/g, (sign, name: string) => SIGNS[name] ?? sign)
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}
