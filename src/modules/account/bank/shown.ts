// Problems of statements in words, and their files (account.bank.statement).

import { boolean, computed, extend, implement, many2many, type Of, text } from '#models'
import { portalMethods } from '../../base/index.ts'

const statement = extend('account.bank.statement', {
  fields: {
    attachment_ids: many2many('ir.attachment', {
      label: 'Attachments',
      copy: false,
      relation: {
        table: 'account_bank_statement_ir_attachment_rel',
        column: 'account_bank_statement_id',
        other: 'ir_attachment_id',
      },
    }),
    problem_description: text({ label: 'Problem Description', computed: true }),
    journal_has_invalid_statements: boolean({
      label: 'Has Invalid Statements',
      related: 'journal_id.has_invalid_statements',
    }),
  },
})

const line = extend('account.bank.statement.line', { fields: {}, methods: portalMethods })

declare module '#models' {
  interface BankStatementLine extends Of<typeof line> {}
  interface BankStatement extends Of<typeof statement> {}
}

export default implement(statement, {
  computed: {
    problem_description: computed(statement, ['is_valid', 'is_complete'], (statement) => {
      if (!statement.is_valid)
        return 'The starting balance is not the ending balance of the statement before it: an earlier statement is missing or wrong.'
      return statement.is_complete
        ? null
        : 'The lines do not come to the ending balance: a line is missing or wrong.'
    }),
  },
})

/** The address of a line is that of its entry. */
export const lineAddress = implement(line, {
  methods: {
    get_portal_url: async (lines, options) => {
      const { move_id: move } = await lines.one(['move_id'])
      return lines.env.model('account.move').browse([move.id]).get_portal_url(options)
    },
  },
})
