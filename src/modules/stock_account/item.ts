// Journal items (account.move.line): the line whose goods an item books as sold.
import { extend, implement, many2one, type Of } from '#models'

const item = extend('account.move.line', {
  fields: {
    cogs_origin_id: many2one('account.move.line', {
      label: 'Origin of Cost of Goods Sold',
      copy: false,
      index: 'set',
      ondelete: 'set null',
      help: 'The line of the invoice whose goods were sold.',
    }),
  },
})

declare module '#models' {
  interface AccountMoveLine extends Of<typeof item> {}
}

export default implement(item)
