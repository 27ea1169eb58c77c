// Accounts under a fiscal position (account.fiscal.position.account): one takes the place of another.
import { computed, implement, many2one, model, type Of } from '#models'

const mapping = model('account.fiscal.position.account', {
  label: 'Accounts Mapping of Fiscal Position',
  recName: 'position_id',
  rules: {
    account_src_dest_uniq: {
      unique: ['position_id', 'account_src_id', 'account_dest_id'],
      message: 'An account is replaced by another only once in a fiscal position.',
    },
  },
  fields: {
    position_id: many2one('account.fiscal.position', {
      label: 'Fiscal Position',
      required: true,
      ondelete: 'cascade',
      index: true,
    }),
    company_id: many2one('res.company', {
      label: 'Company',
      related: 'position_id.company_id',
      stored: true,
      computed: true,
    }),
    account_src_id: many2one('account.account', { label: 'Account on Product', required: true }),
    account_dest_id: many2one('account.account', { label: 'Account to Use Instead', required: true }),
  },
})

declare module '#models' {
  interface Models {
    'account.fiscal.position.account': FiscalPositionAccount
  }
  interface FiscalPositionAccount extends Of<typeof mapping> {}
}

export default implement(mapping, {
  checks: {
    'An account cannot replace itself: choose another account.': computed(
      mapping,
      ['account_src_id', 'account_dest_id'],
      (m) => m.account_src_id.id !== m.account_dest_id.id,
    ),
  },
})
