// Fields of entries and items that link them to statement lines.
import { extend, implement, many2one, type Of, one2many } from '#models'

const move = extend('account.move', {
  fields: {
    statement_line_id: many2one('account.bank.statement.line', {
      label: 'Statement Line',
      copy: false,
      readonly: true,
      index: 'set',
      ondelete: 'set null',
    }),
    statement_line_ids: one2many('account.bank.statement.line', 'move_id', { label: 'Statements' }),
  },
})

const item = extend('account.move.line', {
  fields: {
    statement_line_id: many2one('account.bank.statement.line', {
      label: 'Originator Statement Line',
      asStored: true,
      related: 'move_id.statement_line_id',
    }),
    statement_id: many2one('account.bank.statement', {
      label: 'Statement',
      asStored: true,
      related: 'move_id.statement_line_id.statement_id',
    }),
  },
})

declare module '#models' {
  interface AccountMove extends Of<typeof move> {}
  interface AccountMoveLine extends Of<typeof item> {}
}

export const statementMove = implement(move)
export const statementItem = implement(item)
