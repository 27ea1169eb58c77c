// Documents as they were issued: what was fixed when they were posted, in place of what records say now.
import { addressLines, type Written } from '../../base/index.ts'
import type { IssuedAddress, IssuedFacts } from './issued.ts'
import type { Line, Move } from './printed.ts'

/** An entry with what was fixed of it. */
export function asIssued(move: Move, facts: IssuedFacts | undefined): Move {
  if (!facts) return move
  const { partner_id: partner } = move
  return {
    ...move,
    ref: facts.ref,
    invoice_date_due: facts.due,
    partner_id: partner && { ...partner, lang: facts.lang, vat: facts.partner?.vat ?? null },
    currency_id: { ...move.currency_id, ...facts.currency },
  }
}

/** A line with the name that its unit had. */
export function lineAsIssued(line: Line, facts: IssuedFacts | undefined): Line {
  const { product_uom_id: unit } = line
  const name = unit && facts?.units[unit.id]
  return name ? { ...line, product_uom_id: { ...unit, name } } : line
}

/** Names by id, those of ids alone that have one. */
export const namesIn = (names: Readonly<Record<string, string>>, ids: readonly number[]): string =>
  ids.flatMap((id) => names[id] ?? []).join(', ')

/** Addresses beside each other: whom a document is sent to, and where goods went if elsewhere. */
export function issuedAddresses(move: Move, facts: IssuedFacts, { say }: Written) {
  const lines = (address: IssuedAddress | null) => (address ? addressLines(address, [address.vat]) : [])
  const to = { label: say('Bill to'), lines: lines(facts.partner) }
  return facts.shipping && move.partner_shipping_id?.id !== move.partner_id?.id
    ? [to, { label: say('Ship to'), lines: lines(facts.shipping) }]
    : [to]
}

/**
 * What a printed copy is kept for: the document as it was issued, with payments up to what was paid then.
 * Documents that were posted before anything was fixed are issued with their first print.
 */
export function issueOf(move: Move, facts: IssuedFacts | undefined, payments: boolean): string {
  const paid = payments ? `:${move.amount_total}-${move.amount_residual}` : ''
  return `${facts?.issue ?? 0}${paid}`
}
