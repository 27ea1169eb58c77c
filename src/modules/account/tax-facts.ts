// Further fields of taxes and fiscal positions that clients read, apart from their computation: labels,
// use, parts in words, tags, mapped taxes.
import {
  binary,
  boolean,
  char,
  computed,
  computedTogether,
  extend,
  implement,
  type Of,
  type Records,
  required,
  returns,
} from '#models'
import { UserError, ValidationError } from '../../errors.ts'
import { idList, sql } from '../../sql/index.ts'
import { actionMethod, assertAllowed, shownRecords } from '../base/index.ts'
import { mapAccounts, mapTaxes } from './fiscal-positions.ts'
import { loadTaxes } from './taxes.ts'

const ids = returns<number[]>('ids', 'list[int]')

const tax = extend('account.tax', {
  fields: {
    tax_label: char({ label: 'Tax Label', computed: true, help: 'Name of the tax on documents.' }),
    is_used: boolean({ label: 'Tax used', computed: true, help: 'The tax is used in entries.' }),
    is_domestic: boolean({
      label: 'Is Domestic',
      computed: true,
      stored: true,
      help: 'It is for customers to whom no other fiscal position applies.',
    }),
    hide_tax_exigibility: boolean({
      label: 'Hide Use Cash Basis Option',
      related: 'company_id.tax_exigibility',
    }),
    display_alternative_taxes_field: boolean({
      label: 'Display Alternative Taxes Field',
      computed: true,
      help: 'A fiscal position has the tax take the place of others.',
    }),
    repartition_lines_str: char({
      label: 'Repartition Lines',
      computed: true,
      help: 'Describes the distribution in words.',
    }),
  },
  methods: {
    flatten_taxes_hierarchy: {
      doc: 'Returns the taxes in the order of their computation; groups are replaced by their taxes.',
      readonly: true,
      params: {},
      returns: ids,
    },
    validate_tax_group_id: {
      doc: 'Raises an error if the country of a tax differs from that of its group.',
      readonly: true,
      params: {},
    },
    get_tax_tags: {
      doc: 'Returns the tags of the distribution of taxes, for invoices or for refunds.',
      readonly: true,
      params: {
        is_refund: required<boolean>('boolean', { annotation: 'bool' }),
        repartition_type: required<string>('string', { doc: '`base` or `tax`' }),
      },
      returns: ids,
    },
  },
})

const position = extend('account.fiscal.position', {
  fields: {
    is_domestic: boolean({
      label: 'Is Domestic',
      computed: true,
      stored: true,
      help: 'It applies by itself to the country of the company.',
    }),
    fiscal_country_codes: char({
      label: 'Company Fiscal Country Code',
      related: 'company_id.account_fiscal_country_id.code',
    }),
    account_map: binary({ label: 'Account Map', computed: true }),
    tax_map: binary({ label: 'Tax Map', computed: true }),
  },
  methods: {
    map_tax: {
      doc: 'Returns the taxes that replace others under the fiscal position.',
      readonly: true,
      params: { taxes: required<readonly number[]>('ids', { annotation: 'list[int]' }) },
      returns: ids,
    },
    map_account: {
      doc: 'Returns the account that replaces another under the fiscal position.',
      readonly: true,
      params: { account: required<number>('integer', { annotation: 'int' }) },
      returns: returns<number>('integer', 'int'),
    },
    action_create_foreign_taxes: {
      doc: 'Creates the taxes of the country of a foreign tax id. Not supported: charts of other countries are not offered.',
      params: {},
    },
    action_open_related_taxes: actionMethod('The action that shows the taxes of the fiscal position.'),
  },
})

declare module '#models' {
  interface AccountTax extends Of<typeof tax> {}
  interface FiscalPosition extends Of<typeof position> {}
}

type Taxes = Records<'account.tax'>
type Positions = Records<'account.fiscal.position'>

const used = computedTogether(tax, [], async (taxes, env) => {
  const rows = await env.rows(
    sql`SELECT t.id FROM account_tax t WHERE t.id = ANY(${idList(taxes.map(({ id }) => id))}) AND (
      EXISTS (SELECT FROM account_move_line_account_tax_rel r WHERE r.account_tax_id = t.id)
      OR EXISTS (SELECT FROM account_move_line l WHERE l.tax_line_id = t.id))`,
    { reads: ['account.tax', 'account.move.line'], row: ['int'] },
  )
  const usedIds = new Set(rows.map((row) => row[0]))
  return new Map(taxes.map(({ id }) => [id, usedIds.has(id)]))
})

/** Parts as people write them: "100% base, 100% tax 251000" of invoices, then of refunds. */
const parts = computed(
  tax,
  [
    'repartition_line_ids.document_type',
    'repartition_line_ids.repartition_type',
    'repartition_line_ids.factor_percent',
    'repartition_line_ids.account_id.code',
  ],
  (tax) =>
    ['invoice', 'refund']
      .map((kind) =>
        tax.repartition_line_ids
          .filter((part) => part.document_type === kind)
          .map(({ factor_percent: share, repartition_type: type, account_id: account }) =>
            [`${share}%`, type, account?.code].filter(Boolean).join(' '),
          )
          .join(', '),
      )
      .join(' / '),
)

async function tagsOf(taxes: Taxes, isRefund: boolean, type: string): Promise<number[]> {
  const rows = await taxes.load([
    'repartition_line_ids.document_type',
    'repartition_line_ids.repartition_type',
    'repartition_line_ids.tag_ids',
  ])
  const chosen = rows.flatMap((row) =>
    row.repartition_line_ids.filter(
      (part) => part.repartition_type === type && part.document_type === (isRefund ? 'refund' : 'invoice'),
    ),
  )
  return [...new Set(chosen.flatMap((part) => part.tag_ids.map(({ id }) => id)))]
}

export const taxFacts = implement(tax, {
  computed: {
    tax_label: computed(tax, ['name', 'invoice_label'], (tax) => tax.invoice_label || tax.name),
    is_used: used,
    is_domestic: computed(
      tax,
      ['fiscal_position_ids.is_domestic'],
      ({ fiscal_position_ids: positions }) =>
        positions.length === 0 || positions.some((position) => position.is_domestic),
    ),
    repartition_lines_str: parts,
    display_alternative_taxes_field: computed(
      tax,
      ['fiscal_position_ids'],
      ({ fiscal_position_ids: positions }) => positions.length > 0,
    ),
  },
  methods: {
    flatten_taxes_hierarchy: async (taxes) => {
      await assertAllowed(taxes, 'read')
      return (await loadTaxes(taxes.env, taxes.ids))(taxes.ids).map((one) => one.id)
    },
    validate_tax_group_id: async (taxes) => {
      const rows = await taxes.load(['name', 'country_id', 'tax_group_id.country_id'])
      const wrong = rows.find(
        ({ country_id: country, tax_group_id: group }) =>
          country && group?.country_id && country.id !== group.country_id.id,
      )
      if (wrong)
        throw new ValidationError(
          `The group of the tax ${wrong.name} is of another country: choose a group of its own country.`,
        )
      return null
    },
    get_tax_tags: (taxes, { is_refund, repartition_type }) => tagsOf(taxes, is_refund, repartition_type),
  },
})

const accountMap = computed(
  position,
  ['account_ids.account_src_id', 'account_ids.account_dest_id'],
  (position) =>
    Object.fromEntries(position.account_ids.map((row) => [row.account_src_id.id, row.account_dest_id.id])),
)

const taxMap = computed(position, ['tax_ids.original_tax_ids'], (position) => {
  const instead = new Map<number, number[]>()
  for (const { id, original_tax_ids: originals } of position.tax_ids)
    for (const original of originals) instead.set(original.id, [...(instead.get(original.id) ?? []), id])
  return Object.fromEntries(instead)
})

async function single(positions: Positions): Promise<number> {
  await assertAllowed(positions, 'read')
  return positions.ensureOne()
}

export const positionFacts = implement(position, {
  computed: {
    is_domestic: computed(
      position,
      ['auto_apply', 'foreign_vat', 'country_id', 'company_id.account_fiscal_country_id'],
      (position) =>
        position.auto_apply &&
        !position.foreign_vat &&
        position.country_id !== null &&
        position.country_id.id === position.company_id.account_fiscal_country_id?.id,
    ),
    account_map: accountMap,
    tax_map: taxMap,
  },
  methods: {
    map_tax: async (positions, { taxes }) => (await mapTaxes(positions.env, await single(positions)))(taxes),
    map_account: async (positions, { account }) =>
      (await mapAccounts(positions.env, await single(positions)))(account),
    action_create_foreign_taxes: async (positions) => {
      await assertAllowed(positions, 'write')
      throw new UserError('No tax template exists for the country: create its taxes manually.')
    },
    action_open_related_taxes: async (positions) => {
      const rows = await positions.load(['tax_ids'])
      return shownRecords(
        'Taxes',
        'account.tax',
        rows.flatMap((row) => row.tax_ids.map(({ id }) => id)),
      )
    },
  },
})
