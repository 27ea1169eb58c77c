// Values of the books that companies show, and calls that set them up (res.company).
import {
  boolean,
  char,
  computed,
  computedTogether,
  extend,
  implement,
  json,
  many2many,
  many2one,
  type Of,
  type Records,
  required,
  returns,
} from '#models'
import { UserError } from '../../errors.ts'
import { assertAllowed, shownForm } from '../base/index.ts'
import { fiscalCodes } from './partner-choices.ts'

const company = extend('res.company', {
  fields: {
    domestic_fiscal_position_id: many2one('account.fiscal.position', {
      label: 'Domestic Fiscal Position',
      computed: true,
      asStored: true,
      help: 'The first position that applies by itself to the country of the company.',
    }),
    account_enabled_tax_country_ids: many2many('res.country', {
      label: 'l10n-used countries',
      computed: true,
      help: 'Countries that taxes may be of: its own, and those of its foreign tax ids.',
    }),
    multi_vat_foreign_country_ids: many2many('res.country', {
      label: 'Foreign VAT countries',
      computed: true,
    }),
    account_fiscal_country_group_codes: json({
      label: 'Account Fiscal Country Group Codes',
      computed: true,
    }),
    account_opening_journal_id: many2one('account.journal', {
      label: 'Opening Journal',
      related: 'account_opening_move_id.journal_id',
    }),
    display_account_storno: boolean({ label: 'Display Account Storno', computed: true }),
    force_restrictive_audit_trail: boolean({ label: 'Force Audit Trail', computed: true }),
  },
  methods: {
    get_chart_of_accounts_or_fail: {
      doc: 'An account of the company. Raises an error if the company has none.',
      readonly: true,
      params: {},
      returns: returns<number[]>('ids', 'list[int]'),
    },
    get_next_batch_payment_communication: {
      doc: 'Returns the next number of a batch of payments.',
      params: {},
      returns: returns<string>('string', 'str'),
    },
    compute_account_tax_fiscal_country: {
      doc: 'Sets the fiscal country of companies without one to the country of their address.',
      params: {},
    },
    reflect_code_prefix_change: {
      doc: 'Changes the codes of bank and cash accounts that begin with a prefix.',
      params: {
        old_code: required<string>('string', { annotation: 'str' }),
        new_code: required<string>('string', { annotation: 'str' }),
      },
    },
    action_save_onboarding_sale_tax: {
      doc: 'Has no effect: taxes of companies are always up to date.',
      params: {},
    },
    install_l10n_modules: {
      doc: 'Returns whether modules of countries were installed: always false, as there are none.',
      params: {},
      returns: returns<boolean>('boolean', 'bool'),
    },
    cache_invalidation_fields: {
      doc: 'Names of fields whose change invalidates caches of companies: none, as servers detect changes themselves.',
      readonly: true,
      params: {},
      returns: returns<string[]>('array', 'list[str]'),
    },
    setting_init_bank_account_action: {
      doc: 'The form of a new bank account.',
      level: 'model',
      readonly: true,
      params: {},
      returns: returns<object>('object', 'dict'),
    },
  },
})

const currency = extend('res.currency', {
  fields: {
    fiscal_country_codes: char({ label: 'Fiscal Country Codes', computed: true, readonly: false }),
  },
})

declare module '#models' {
  interface Company extends Of<typeof company> {}
  interface Currency extends Of<typeof currency> {}
}

type Companies = Records<'res.company'>

const domestic = computedTogether(company, ['account_fiscal_country_id'], async (companies, env) => {
  const positions = await env
    .sudo()
    .model('account.fiscal.position')
    .search([['company_id', 'in', companies.map(({ id }) => id)]])
  const rows = await positions.load(['company_id', 'is_domestic'])
  return new Map(
    companies.map(({ id }) => [
      id,
      rows.find((row) => row.company_id.id === id && row.is_domestic)?.id ?? null,
    ]),
  )
})

/** Countries of foreign tax ids, by company. */
const foreign = computedTogether(company, [], async (companies, env) => {
  const positions = await env
    .sudo()
    .model('account.fiscal.position')
    .search([
      ['company_id', 'in', companies.map(({ id }) => id)],
      ['foreign_vat', '!=', false],
    ])
  const rows = await positions.load(['company_id', 'country_id'])
  return new Map(
    companies.map(({ id }) => [
      id,
      [
        ...new Set(
          rows
            .filter((row) => row.company_id.id === id)
            .flatMap(({ country_id: country }) => country?.id ?? []),
        ),
      ],
    ]),
  )
})

async function chartOf(companies: Companies): Promise<number[]> {
  companies.ensureOne()
  await assertAllowed(companies, 'read')
  const accounts = await companies.env
    .sudo()
    .model('account.account')
    .search([['company_ids', 'parent_of', companies.ids]], { limit: 1 })
  if (accounts.length === 0)
    throw new UserError('The company has no chart of accounts: load one in its settings first.')
  return [...accounts.ids]
}

async function nextBatch(companies: Companies): Promise<string> {
  companies.ensureOne()
  await assertAllowed(companies, 'write')
  const { batch_payment_sequence_id: kept } = await companies.sudo().one(['batch_payment_sequence_id'])
  const sequences = companies.env.sudo().model('ir.sequence')
  const sequence = kept
    ? sequences.browse([kept.id])
    : await sequences.create([
        {
          name: 'Batch Payment Number Sequence',
          prefix: 'BATCH/%(year)s/',
          padding: 4,
          company_id: companies.ids[0],
        },
      ])
  if (!kept) await companies.sudo().write({ batch_payment_sequence_id: sequence.ensureOne() })
  return String(await sequence.next_by_id({}))
}

/** Accounts of money whose codes begin with the old prefix get the new one. */
async function renameAccounts(companies: Companies, before: string, after: string): Promise<null> {
  await assertAllowed(companies, 'write')
  if (!before) return null
  const accounts = await companies.env.model('account.account').search([
    ['code', '=like', `${before.replaceAll(/[%_\\]/g, '\\$&')}%`],
    ['account_type', 'in', ['asset_cash', 'liability_credit_card']],
    ['company_ids', 'in', companies.ids],
  ])
  const rows = await accounts.load(['code'])
  await accounts.writeEach(
    new Map(rows.map(({ id, code }) => [id, { code: `${after}${code.slice(before.length)}` }])),
  )
  return null
}

async function followAddress(companies: Companies): Promise<null> {
  await assertAllowed(companies, 'write')
  const rows = await companies.load(['account_fiscal_country_id', 'partner_id.country_id'])
  const missing = rows.filter((row) => !row.account_fiscal_country_id && row.partner_id.country_id)
  await companies
    .browse(missing.map(({ id }) => id))
    .writeEach(
      new Map(
        missing.map((row) => [row.id, { account_fiscal_country_id: row.partner_id.country_id?.id ?? false }]),
      ),
    )
  return null
}

export const companyShown = implement(company, {
  computed: {
    domestic_fiscal_position_id: domestic,
    multi_vat_foreign_country_ids: foreign,
    account_enabled_tax_country_ids: computed(
      company,
      ['account_fiscal_country_id', 'multi_vat_foreign_country_ids'],
      ({ account_fiscal_country_id: country, multi_vat_foreign_country_ids: others }) => [
        ...new Set([country, ...others].flatMap((place) => place?.id ?? [])),
      ],
    ),
    account_fiscal_country_group_codes: computed(
      company,
      ['account_fiscal_country_id.country_group_ids.code'],
      ({ account_fiscal_country_id: country }) =>
        country?.country_group_ids.flatMap(({ code }) => code ?? []) ?? [],
    ),
    // Countries whose laws ask for either come as modules.
    display_account_storno: computed(company, [], () => false),
    force_restrictive_audit_trail: computed(company, [], () => false),
  },
  methods: {
    get_chart_of_accounts_or_fail: chartOf,
    get_next_batch_payment_communication: nextBatch,
    compute_account_tax_fiscal_country: followAddress,
    reflect_code_prefix_change: (companies, { old_code, new_code }) =>
      renameAccounts(companies, old_code, new_code),
    action_save_onboarding_sale_tax: async (companies) => {
      await assertAllowed(companies, 'write')
      return null
    },
    install_l10n_modules: async (companies) => {
      await assertAllowed(companies, 'write')
      return false
    },
    cache_invalidation_fields: async (companies) => {
      await assertAllowed(companies, 'read')
      return []
    },
    setting_init_bank_account_action: () => shownForm('Setup Bank Account', 'res.partner.bank'),
  },
})

export const currencyShown = implement(currency, {
  computed: {
    fiscal_country_codes: computedTogether(currency, [], async (currencies, env) => {
      const codes = await fiscalCodes(env)
      return new Map(currencies.map(({ id }) => [id, codes]))
    }),
  },
})
