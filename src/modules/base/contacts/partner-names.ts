// Names of contacts: the stored complete name, and display names that show more when the context asks
// for it.
import { computed, type Environment } from '#models'
import { addressPaths, layOut } from '../places/address.ts'
import { partner } from './partner.contract.ts'

/** Names of addresses that have no name, by address type. */
const kinds: Readonly<Record<string, string>> = {
  contact: 'Contact',
  invoice: 'Invoice',
  delivery: 'Delivery',
  other: 'Other',
}

interface Named {
  readonly name: string | null
  readonly type: string | null
  readonly is_company: boolean
  readonly parent_id: { readonly name: string | null } | null
  readonly company_name: string | null
  readonly commercial_company_name: string | null
}

/** A person's company as its name shows it, or null for companies and people on their own. */
function companyOf(p: Named): string | null {
  if (p.is_company || !(p.parent_id || p.company_name)) return null
  return p.commercial_company_name || p.parent_id?.name || ''
}

/** The own name; an unnamed address under somebody shows its kind. */
const ownName = (p: Named): string =>
  p.name || ((p.parent_id || p.company_name) && p.type ? (kinds[p.type] ?? '') : '')

/** `Company, Name` for people under a company, else the name (spec/models-api.md section 6). */
export function completeName(p: Named): string {
  const company = companyOf(p)
  return (company === null ? ownName(p) : `${company}, ${ownName(p)}`).trim()
}

const nameFields = [
  'name',
  'type',
  'is_company',
  'parent_id.name',
  'company_name',
  'commercial_company_name',
] as const

export const storedCompleteName = computed(partner, nameFields, completeName)

/** Context keys that make a display name longer or shorter. */
const contextKeys = [
  'show_address',
  'show_email',
  'show_vat',
  'partner_show_db_id',
  'partner_display_name_hide_company',
  'formatted_display_name',
] as const

export const partnerDisplayName = computed(
  partner,
  [...nameFields, 'complete_name', 'email', 'vat', ...addressPaths],
  (p, env) => {
    const { context } = env
    const company = companyOf(p)
    let name = p.complete_name ?? ''
    if (context.partner_display_name_hide_company && company !== null) name = ownName(p)
    else if (context.formatted_display_name && company !== null) name = `${company} \t --${ownName(p)}--`
    const wrapped = (text: string) => (context.formatted_display_name ? `\t --${text}--` : text)
    name = name.trim()
    if (context.show_address) name = trimmedLines(`${name}\n${layOut(p)}`)
    if (context.partner_show_db_id)
      name = `${name} ${context.formatted_display_name ? wrapped(String(p.id)) : `(${p.id})`}`
    if (context.show_email && p.email)
      name = `${name} ${context.formatted_display_name ? wrapped(p.email) : `<${p.email}>`}`
    if (context.show_vat && p.vat)
      name = `${name} ${context.formatted_display_name ? wrapped(p.vat) : `- ${p.vat}`}`
    return name.trim()
  },
  {
    context: contextKeys,
    // Without wishes it is the stored name: one column.
    sql: (scope) => (asksMore(scope.env) ? null : scope.column('complete_name')),
  },
)

const asksMore = ({ context }: Environment): boolean => contextKeys.some((key) => Boolean(context[key]))

/** The lines that are not empty, without blanks around them. */
function trimmedLines(text: string): string {
  const lines = text.split('\n').map((line) => line.trim())
  return lines.filter(Boolean).join('\n')
}
