// Documents that may have been entered twice: those of the same contact, kind and company with the same
// reference, as orders have duplicates of their customer's reference.
import { computedTogether } from '#models'
import { isInvoice } from './kinds.ts'
import { move } from './move.contract.ts'

export const duplicates = computedTogether(
  move,
  ['state', 'move_type', 'ref', 'commercial_partner_id', 'company_id'],
  async (moves, env) => {
    const named = new Set(
      moves.filter(
        (move) =>
          move.ref && move.commercial_partner_id && move.state !== 'cancel' && isInvoice(move.move_type),
      ),
    )
    if (named.size === 0) return new Map(moves.map(({ id }) => [id, []]))
    const others = await env.model('account.move').search([
      ['ref', 'in', [...named].map((row) => row.ref)],
      ['commercial_partner_id', 'in', [...named].flatMap((row) => row.commercial_partner_id?.id ?? [])],
      ['move_type', 'in', [...new Set([...named].map((row) => row.move_type))]],
      ['state', '!=', 'cancel'],
    ])
    const alike = await others.load(['ref', 'commercial_partner_id', 'move_type', 'company_id'])
    const key = (one: (typeof alike)[number]) =>
      `${one.commercial_partner_id?.id}/${one.company_id?.id}/${one.move_type}/${one.ref}`
    const same = Map.groupBy(alike, key)
    return new Map(
      moves.map((document) => [
        document.id,
        named.has(document)
          ? (same.get(key(document)) ?? []).filter((other) => other.id !== document.id)
          : [],
      ]),
    )
  },
)
