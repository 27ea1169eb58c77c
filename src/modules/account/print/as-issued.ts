// Documents as they were issued: facts that were fixed when they were posted, in place of those of today.
import { addressLines, letterheadOf, plainText, type Written } from '../../base/index.ts'
import type { IssuedAddress, IssuedFacts } from './issued.ts'
import { addressesOf, type Line, type Move, type PrintFacts } from './printed.ts'

/** An entry with the facts that were fixed of it. */
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

/** The facts of a document in the form that `currentFacts` gives for other documents. */
export function factsAsIssued(
  move: Move,
  facts: IssuedFacts,
  logo: string | undefined,
  say: Written,
): PrintFacts {
  return {
    head: letterheadOf(facts.company, logo),
    addresses: addressesOf(move, say, linesOf(facts.partner) ?? [], linesOf(facts.shipping)),
    taxNames: new Map(Object.entries(facts.taxes).map(([id, name]) => [Number(id), name])),
    sums: facts.sums.map(([label, amount]) => ({ label, amount })),
    notes: facts.notes.map((note) => plainText(note)),
  }
}

const linesOf = (address: IssuedAddress | null) => address && addressLines(address, [address.vat])

/**
 * The name of a printed copy: one for each time that the document was issued, with payments one for each
 * amount that is due. Documents that were posted before facts were fixed are issued with their first print.
 */
export function issueOf(move: Move, facts: IssuedFacts | undefined, payments: boolean): string {
  const paid = payments ? `:${move.amount_total}-${move.amount_residual}` : ''
  return `${facts?.issue ?? 0}${paid}`
}
