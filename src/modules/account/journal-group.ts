// Ledgers (account.journal.group): all journals of a company but those that are left out, for reports.
import { char, extend, implement, integer, many2many, many2one, model, type Of } from '#models'

/** Journals and the ledgers that leave them out. */
const table = 'account_journal_account_journal_group_rel'

const group = model('account.journal.group', {
  label: 'Account Journal Group',
  order: 'sequence, id',
  rules: {
    name_unique: {
      unique: ['company_id', 'name'],
      message: 'A ledger with this name already exists: choose another name.',
    },
  },
  fields: {
    name: char({ label: 'Ledger group', required: true, translate: true }),
    company_id: many2one('res.company', { label: 'Company', index: true }),
    excluded_journal_ids: many2many('account.journal', {
      label: 'Excluded Journals',
      checkCompany: true,
      relation: { table, column: 'account_journal_group_id', other: 'account_journal_id' },
    }),
    sequence: integer({ label: 'Sequence', default: 10 }),
  },
})

const journal = extend('account.journal', {
  fields: {
    journal_group_ids: many2many('account.journal.group', {
      label: 'Ledger Group',
      help: 'Ledgers that leave the journal out.',
      relation: { table, column: 'account_journal_id', other: 'account_journal_group_id' },
    }),
  },
})

declare module '#models' {
  interface Models {
    'account.journal.group': JournalGroup
  }
  interface JournalGroup extends Of<typeof group> {}
  interface Journal extends Of<typeof journal> {}
}

export const journalGroup = implement(group, { defaults: { company_id: (env) => env.companyId } })
export const groupedJournal = implement(journal)
