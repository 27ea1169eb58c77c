// Contract of reports (comptoir.books): figures over any period, as JSON or as CSV; posted entries of
// the caller's companies only.
import { abstract, type Of, optional, type Param, returns } from '#models'

const day = (doc: string): Param<string | false | null, true> =>
  optional<string | false | null>('any', null, { doc, annotation: 'str | None' })
const ids = (doc: string): Param<readonly number[], true> =>
  optional<readonly number[]>('ids', [], { doc, annotation: 'list[int]' })

const period = {
  date_from: day('The first day, YYYY-MM-DD; from the beginning when left out'),
  date_to: day('The last day; today when left out'),
} as const
const as = { format: optional<string>('string', 'json', { doc: 'json or csv', annotation: 'str' }) } as const
const page = {
  limit: optional<number>('any', 1000, {
    doc: 'Maximum number of rows, at most 10,000',
    annotation: 'int',
  }),
  offset: optional<number>('any', 0, { doc: 'Number of rows to skip', annotation: 'int' }),
} as const

const report = <const P extends Readonly<Record<string, Param>>>(doc: string, params: P) =>
  ({
    doc,
    level: 'model',
    readonly: true,
    params: { ...params, ...as },
    returns: returns<unknown>('any', 'dict | str'),
  }) as const

export const books = abstract('comptoir.books', {
  label: 'Reports of the Books',
  fields: {},
  methods: {
    trial_balance: report('Opening, debits, credits and closing of every account.', {
      ...period,
      journal_ids: ids('Journals; all of them when left out'),
    }),
    general_ledger: report('Items of accounts with the balance after each, a page at a time.', {
      ...period,
      ...page,
      account_ids: ids('Accounts; all of them when left out'),
    }),
    aged_receivable: report('Amounts that customers owe on a day, by age.', {
      date: day('The day; today when left out'),
      days: optional<number>('any', 30, {
        doc: 'Length of each of the four periods, in days',
        annotation: 'int',
      }),
      partner_ids: ids('Contacts; all of them when left out'),
    }),
    aged_payable: report('Amounts that vendors are owed on a day, by age.', {
      date: day('The day; today when left out'),
      days: optional<number>('any', 30, {
        doc: 'Length of each of the four periods, in days',
        annotation: 'int',
      }),
      partner_ids: ids('Contacts; all of them when left out'),
    }),
    tax_report: report('Bases and amounts of every tax, credit notes taken off.', period),
    sales_journal: report(
      'Customer documents by number, with untaxed amount, taxes and total in the company currency.',
      {
        ...period,
        ...page,
        journal_ids: ids('Journals; all sales journals when left out'),
      },
    ),
    partner_statement: report('Invoices and payments of a customer, with the balance after each item.', {
      ...period,
      partner_id: optional<number>('any', 0, {
        doc: 'The contact. The statement has the items of its commercial entity',
        annotation: 'int',
      }),
    }),
  },
})

declare module '#models' {
  interface Models {
    'comptoir.books': Books
  }
  interface Books extends Of<typeof books> {}
}
