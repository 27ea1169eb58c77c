// Tags of accounts, of parts of taxes and of products (account.account.tag): what reports gather amounts by.
import {
  boolean,
  char,
  type DataSet,
  extend,
  implement,
  integer,
  many2many,
  many2one,
  model,
  type Of,
  selection,
} from '#models'
import { keptOnceListed } from '../base/index.ts'

const tag = model('account.account.tag', {
  label: 'Account Tag',
  rules: {
    name_unique: {
      unique: ['name', 'applicability', 'country_id'],
      message: 'A tag with this name already exists: choose another name.',
    },
  },
  fields: {
    name: char({ label: 'Tag Name', required: true, translate: true }),
    applicability: selection(
      { accounts: 'Accounts', taxes: 'Taxes', products: 'Products' },
      {
        label: 'Applicability',
        required: true,
        default: 'accounts',
        help: 'Records that the tag applies to.',
      },
    ),
    color: integer({ label: 'Color Index', default: 0 }),
    active: boolean({ label: 'Active', default: true }),
    country_id: many2one('res.country', {
      label: 'Country',
      help: 'Country of the taxes that the tag is for.',
    }),
  },
})

const account = extend('account.account', {
  fields: {
    tag_ids: many2many('account.account.tag', {
      label: 'Tags',
      relation: {
        table: 'account_account_account_tag',
        column: 'account_account_id',
        other: 'account_account_tag_id',
      },
    }),
  },
})

const part = extend('account.tax.repartition.line', {
  fields: {
    tag_ids: many2many('account.account.tag', {
      label: 'Tax Grids',
      domain: [['applicability', '=', 'taxes']],
      relation: {
        table: 'account_account_tag_account_tax_repartition_line_rel',
        column: 'account_tax_repartition_line_id',
        other: 'account_account_tag_id',
      },
    }),
  },
})

const item = extend('account.move.line', {
  fields: {
    tax_tag_ids: many2many('account.account.tag', {
      label: 'Tags',
      domain: [['applicability', '=', 'taxes']],
      outlives: true,
      relation: {
        table: 'account_account_tag_account_move_line_rel',
        column: 'account_move_line_id',
        other: 'account_account_tag_id',
      },
      context: { active_test: false },
      help: 'Tags of the parts of taxes that the item was booked with; reports gather amounts by them.',
    }),
  },
})

declare module '#models' {
  interface Models {
    'account.account.tag': AccountTag
  }
  interface AccountTag extends Of<typeof tag> {}
  interface Account extends Of<typeof account> {}
  interface TaxRepartitionLine extends Of<typeof part> {}
  interface AccountMoveLine extends Of<typeof item> {}
}

export const accountTag = implement(tag, { wrapGeneric: { unlink: keptOnceListed as never } })
/** Kinds of flows of money. */
export const flowTags: DataSet = {
  model: 'account.account.tag',
  noupdate: true,
  records: {
    account_tag_operating: { name: 'Operating Activities', applicability: 'accounts' },
    account_tag_financing: { name: 'Financing Activities', applicability: 'accounts' },
    account_tag_investing: { name: 'Investing & Extraordinary Activities', applicability: 'accounts' },
  },
}

/** Accounts of money without tags of their own get one (recording coverage-account/accounts-and-tags). */
export const taggedAccount = implement(account, {
  wrapCreate: (next) => async (accounts, list) => {
    const isBare = (vals: (typeof list)[number]) =>
      vals.account_type === 'asset_cash' && vals.tag_ids === undefined
    if (!list.some(isBare)) return next(accounts, list)
    // The tag may have been removed.
    const rows = await accounts.env
      .sudo()
      .model('ir.model.data')
      .search([
        ['module', '=', 'account'],
        ['name', '=', 'account_tag_operating'],
      ])
    const [tag] = (await rows.load(['res_id'])).map(({ res_id }) => res_id)
    return next(
      accounts,
      tag ? list.map((vals) => (isBare(vals) ? { ...vals, tag_ids: [[6, 0, [tag]]] } : vals)) : list,
    )
  },
})
export const taggedPart = implement(part)
export const taggedItem = implement(item)
