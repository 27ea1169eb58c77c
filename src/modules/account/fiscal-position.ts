// Fiscal positions (account.fiscal.position): who gets other taxes and accounts (spec/business-models.md
// section 5). Which one: fiscal-positions.ts.
import {
  boolean,
  char,
  computed,
  html,
  idsWhere,
  implement,
  integer,
  many2many,
  many2one,
  model,
  type Of,
  one2many,
} from '#models'
import { keptOnceListed, markCopies } from '../base/index.ts'
import { fitZips, inZipOrder } from './zip-range.ts'

const position = model('account.fiscal.position', {
  label: 'Fiscal Position',
  dictionary: true,
  order: 'sequence, id',
  fields: {
    sequence: integer({ label: 'Sequence' }),
    name: char({ label: 'Fiscal Position', required: true, translate: true }),
    active: boolean({ label: 'Active', default: true }),
    company_id: many2one('res.company', { label: 'Company', required: true, index: true }),
    account_ids: one2many('account.fiscal.position.account', 'position_id', {
      label: 'Account Mapping',
      copy: true,
    }),
    tax_ids: many2many('account.tax', {
      label: 'Taxes',
      relation: {
        table: 'account_fiscal_position_account_tax_rel',
        column: 'account_fiscal_position_id',
        other: 'account_tax_id',
      },
      help: 'Taxes of this fiscal position. A tax with original taxes replaces those on documents. Without any taxes here, documents have none.',
    }),
    note: html({ label: 'Notes', translate: true, help: 'Legal mentions that documents must show.' }),
    auto_apply: boolean({
      label: 'Detect Automatically',
      help: 'Applied to customers whose address meets the conditions.',
    }),
    vat_required: boolean({ label: 'VAT required', help: 'Only for contacts with a tax number.' }),
    company_country_id: many2one('res.country', {
      label: 'Company Country',
      related: 'company_id.account_fiscal_country_id',
    }),
    country_id: many2one('res.country', { label: 'Country', help: 'Only for deliveries to this country.' }),
    country_group_id: many2one('res.country.group', {
      label: 'Country Group',
      help: 'Only for deliveries to one of these countries.',
    }),
    state_ids: many2many('res.country.state', { label: 'Federal States' }),
    states_count: integer({ label: 'States Count', computed: true }),
    zip_from: char({ label: 'Zip Range From' }),
    zip_to: char({ label: 'Zip Range To' }),
    foreign_vat: char({
      label: 'Foreign Tax ID',
      help: "The company's tax number in the country of the position.",
    }),
  },
})

declare module '#models' {
  interface Models {
    'account.fiscal.position': FiscalPosition
  }
  interface FiscalPosition extends Of<typeof position> {}
}

type Vals = Record<string, unknown>

const ranged = (vals: Vals) => 'zip_from' in vals || 'zip_to' in vals

export default implement(position, {
  defaults: { company_id: (env) => env.companyId },
  computed: {
    states_count: computed(position, ['country_id.state_ids'], (p) => p.country_id?.state_ids.length ?? 0),
  },
  checks: {
    'A range of postcodes needs a first and a last postcode, and the last must not be before the first.':
      computed(position, ['zip_from', 'zip_to'], (p) =>
        p.zip_from || p.zip_to ? Boolean(p.zip_from && p.zip_to && inZipOrder(p.zip_from, p.zip_to)) : true,
      ),
    'The states of a fiscal position must belong to its country.': computed(
      position,
      ['country_id', 'state_ids.country_id'],
      (p) =>
        p.country_id === null ? true : p.state_ids.every((state) => state.country_id.id === p.country_id?.id),
    ),
  },
  prepare(vals) {
    if (vals.zip_from && vals.zip_to) Object.assign(vals, fitZips(String(vals.zip_from), String(vals.zip_to)))
  },
  wrapWrite: (next) => async (positions, changes) => {
    // A change of one end of a range changes the other too: both are padded to the same number of
    // digits.
    const changedIds = idsWhere(changes, ranged)
    const now = new Map(
      changedIds.length
        ? (await positions.browse(changedIds).load(['zip_from', 'zip_to'])).map((row) => [row.id, row])
        : [],
    )
    return next(
      positions,
      changes.flatMap((change) => {
        const { ids, vals } = change
        if (!ranged(vals) || ids.length === 0) return change
        return ids.map((id) => ({
          ids: [id],
          vals: {
            ...vals,
            zip_from: vals.zip_from ?? now.get(id)?.zip_from,
            zip_to: vals.zip_to ?? now.get(id)?.zip_to,
          },
        }))
      }),
    )
  },
  wrapGeneric: {
    unlink: keptOnceListed as never,
    copy_data: markCopies,
  },
})
