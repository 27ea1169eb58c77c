// Constraints of taxes: their distribution over parts, members of groups, their tax group
// (spec/business-models.md section 4).
import { computed, computedTogether } from '#models'
import { tax } from './tax.contract.ts'

interface Part {
  readonly repartition_type: string
  readonly factor_percent: number
}

const taxParts = (parts: readonly Part[]) =>
  parts.filter((part) => part.repartition_type === 'tax').map((part) => part.factor_percent)
const bases = (parts: readonly Part[]) => parts.filter((part) => part.repartition_type === 'base').length
/** Shares that users enter need a tolerance: a third is written as 33.33 and 33.34. */
const makes = (shares: readonly number[], whole: number) =>
  Math.abs(shares.reduce((sum, share) => sum + share, 0) - whole) < 1e-6

function distributes(parts: readonly Part[]): boolean {
  const shares = taxParts(parts)
  const negative = shares.filter((share) => share < 0)
  const positive = shares.filter((share) => share >= 0)
  return positive.length > 0 && makes(positive, 100) && (negative.length === 0 || makes(negative, -100))
}

/** Members of a group; a tax that is no longer a group has none, whatever is stored. */
const membersOf = <C>({
  amount_type,
  children_tax_ids,
}: {
  readonly amount_type: string
  readonly children_tax_ids: readonly C[]
}): readonly C[] => (amount_type === 'group' ? children_tax_ids : [])

const parts = [
  'amount_type',
  'invoice_repartition_line_ids.repartition_type',
  'invoice_repartition_line_ids.factor_percent',
  'refund_repartition_line_ids.repartition_type',
  'refund_repartition_line_ids.factor_percent',
] as const

export const taxChecks = {
  'The distribution of a tax must have exactly one base and at least one part, on invoices and on refunds.':
    computed(tax, parts, (t) =>
      t.amount_type === 'group'
        ? true
        : [t.invoice_repartition_line_ids, t.refund_repartition_line_ids].every(
            (side) => bases(side) === 1 && taxParts(side).length > 0,
          ),
    ),
  'The parts of a tax must be the same on invoices and on refunds: the same number, with the same shares in the same order.':
    computed(
      tax,
      parts,
      (t) =>
        JSON.stringify(taxParts(t.invoice_repartition_line_ids)) ===
        JSON.stringify(taxParts(t.refund_repartition_line_ids)),
    ),
  'The positive shares of a tax must add up to 100 %, and negative shares, if any, to -100 %.': computed(
    tax,
    parts,
    (t) =>
      t.amount_type === 'group'
        ? true
        : distributes(t.invoice_repartition_line_ids) && distributes(t.refund_repartition_line_ids),
  ),
  'A group of taxes cannot hold other groups.': computed(
    tax,
    ['amount_type', 'children_tax_ids.amount_type', 'group_ids'],
    (t) =>
      t.amount_type === 'group'
        ? t.group_ids.length === 0 && t.children_tax_ids.every((child) => child.amount_type !== 'group')
        : true,
  ),
  'Taxes in a group must have the same use as the group, or the use None.': computed(
    tax,
    ['amount_type', 'type_tax_use', 'children_tax_ids.type_tax_use', 'group_ids.type_tax_use'],
    (t) =>
      membersOf(t).every((child) => child.type_tax_use === 'none' || child.type_tax_use === t.type_tax_use) &&
      t.group_ids.every((group) => t.type_tax_use === 'none' || group.type_tax_use === t.type_tax_use),
  ),
  'Taxes in a group must have the scope of the group, or no scope.': computed(
    tax,
    ['amount_type', 'tax_scope', 'children_tax_ids.tax_scope', 'group_ids.tax_scope'],
    (t) =>
      membersOf(t).every((child) => child.tax_scope === null || child.tax_scope === t.tax_scope) &&
      t.group_ids.every((group) => t.tax_scope === null || group.tax_scope === t.tax_scope),
  ),
  'Taxes in a group must belong to the company of the group.': computedTogether(
    tax,
    ['company_id.root_id', 'children_tax_ids.company_id.root_id'],
    (taxes) =>
      new Map(
        taxes.map((t) => [
          t.id,
          t.children_tax_ids.every((child) => child.company_id.root_id?.id === t.company_id.root_id?.id),
        ]),
      ),
  ),
  'A tax needs a tax group of its company and country: load a chart of accounts, or create a group first.':
    computed(tax, ['tax_group_id'], (t) => t.tax_group_id !== null),
  'A tax and its tax group must belong to the same country.': computed(
    tax,
    ['country_id', 'tax_group_id.country_id'],
    (t) => {
      const groupCountry = t.tax_group_id?.country_id
      return !groupCountry || groupCountry.id === t.country_id?.id
    },
  ),
}
