// The form that adds a bank account of the company, with its journal (account.setup.bank.manual.config).
import {
  char,
  computed,
  computedFields,
  type Environment,
  implement,
  integer,
  many2one,
  type Of,
  type Records,
  required,
  returns,
  transient,
} from '#models'
import { UserError } from '../../errors.ts'
import { actionMethod, assertAllowed, givenVals } from '../base/index.ts'

const form = transient('account.setup.bank.manual.config', {
  label: 'Bank setup manual config',
  inherits: { 'res.partner.bank': 'res_partner_bank_id' },
  makesDelegates: true,
  recName: 'new_journal_name',
  fields: {
    res_partner_bank_id: many2one('res.partner.bank', {
      label: 'Res Partner Bank',
      required: true,
      ondelete: 'cascade',
    }),
    linked_journal_id: many2one('account.journal', {
      label: 'Journal',
      help: 'The journal that gets the account; without one, a new journal.',
    }),
    new_journal_name: char({
      label: 'New Journal Name',
      computed: true,
      stored: true,
      readonly: false,
      help: 'The name of the journal; the number of the account unless you write another.',
    }),
    num_journals_without_account_bank: integer({
      label: 'Num Journals Without Account Bank',
      computed: true,
    }),
    num_journals_without_account_credit: integer({
      label: 'Num Journals Without Account Credit',
      computed: true,
    }),
  },
  methods: {
    default_linked_journal_id: {
      doc: 'The first journal of a type that has no bank account yet.',
      readonly: true,
      params: { journal_type: required<string>('string', { annotation: 'str' }) },
      returns: returns<number | null>('integer', 'int | None'),
    },
    set_linked_journal_id: {
      doc: 'Sets the account of the journal, or creates a journal for it.',
      params: {},
    },
    validate: actionMethod('Does what `set_linked_journal_id` does, and closes the form.'),
  },
})

declare module '#models' {
  interface Models {
    'account.setup.bank.manual.config': BankSetup
  }
  interface BankSetup extends Of<typeof form> {}
}

/** Journals of the company that wait for an account, the first one first. */
const journalsWithout = (env: Environment, type: string) =>
  env.model('account.journal').search([
    ['type', '=', type],
    ['bank_account_id', '=', false],
    ['company_id', '=', env.companyId],
  ])

/** The contact of the company, which holds its accounts. */
async function holderOf(env: Environment): Promise<number> {
  const company = await env.sudo().model('res.company').browse([env.companyId]).one(['partner_id'])
  return company.partner_id.id
}

async function link(forms: Records<'account.setup.bank.manual.config'>): Promise<null> {
  const { env } = forms
  const row = await forms.one([
    'linked_journal_id.type',
    'linked_journal_id.company_id.partner_id',
    'new_journal_name',
    'res_partner_bank_id.acc_number',
    'res_partner_bank_id.partner_id',
  ])
  const { linked_journal_id: journal, res_partner_bank_id: account } = row
  if (account.partner_id.id !== (journal?.company_id.partner_id.id ?? (await holderOf(env))))
    throw new UserError('The bank account belongs to another contact: choose an account of the company.')
  if (journal && !['bank', 'credit'].includes(journal.type))
    throw new UserError('Only bank journals can have a bank account: choose another journal.')
  const vals = { name: row.new_journal_name ?? account.acc_number, bank_account_id: account.id }
  if (journal) await env.model('account.journal').browse([journal.id]).write(vals)
  else {
    const [created] = (await env.model('account.journal').create([{ ...vals, type: 'bank' }])).ids
    await forms.write({ linked_journal_id: created })
  }
  return null
}

export default implement(form, {
  computed: {
    new_journal_name: computed(
      form,
      ['linked_journal_id.name', 'res_partner_bank_id.acc_number'],
      ({ linked_journal_id: journal, res_partner_bank_id: account }) => journal?.name ?? account.acc_number,
    ),
    ...computedFields(
      form,
      ['num_journals_without_account_bank', 'num_journals_without_account_credit'],
      [],
      async (forms, env) => {
        const [bank, credit] = [await journalsWithout(env, 'bank'), await journalsWithout(env, 'credit')]
        const counts = {
          num_journals_without_account_bank: bank.length,
          num_journals_without_account_credit: credit.length,
        }
        return new Map(forms.map(({ id }) => [id, counts]))
      },
    ),
  },
  wrapGeneric: {
    create: (next) => async (forms, params) => {
      const partner_id = await holderOf(forms.env)
      const vals_list = givenVals(params.vals_list).map((vals) => ({ partner_id, ...vals }))
      return next(forms, { ...params, vals_list })
    },
  },
  methods: {
    default_linked_journal_id: async ({ env }, { journal_type }) => {
      await assertAllowed(env.model('account.journal').browse([]), 'read')
      return (await journalsWithout(env, journal_type)).ids[0] ?? null
    },
    set_linked_journal_id: link,
    validate: async (forms) => {
      await link(forms)
      return { type: 'ir.actions.act_window_close' }
    },
  },
})
