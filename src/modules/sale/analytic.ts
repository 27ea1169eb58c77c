// Analytic distributions of order lines (sale.order.line), which invoices of them take over; and lines of
// costs that are for an order (account.analytic.line).
import { computed, extend, implement, json, many2many, many2one, type Of, one2many, writable } from '#models'
import { accountsIn, assertDistribution, BOOKKEEPERS } from '../account/index.ts'

const line = extend('sale.order.line', {
  fields: {
    analytic_distribution: json({
      label: 'Analytic Distribution',
      help: 'Percentages by analytic account, as {"7": 75, "8": 25}.',
    }),
    analytic_line_ids: one2many('account.analytic.line', 'so_line', {
      label: 'Analytic lines',
      groups: BOOKKEEPERS,
    }),
    distribution_analytic_account_ids: many2many('account.analytic.account', {
      label: 'Distribution Analytic Account',
      computed: true,
      groups: BOOKKEEPERS,
    }),
  },
})

const cost = extend('account.analytic.line', {
  fields: {
    so_line: many2one('sale.order.line', {
      label: 'Sales Order Item',
      index: 'set',
      ondelete: 'set null',
      domain: [['display_type', '=', false]],
    }),
  },
})

declare module '#models' {
  interface SaleOrderLine extends Of<typeof line> {}
  interface AnalyticLine extends Of<typeof cost> {}
}

export const distributedLine = implement(line, {
  writable: writable<'sale.order.line'>({
    server: ['analytic_line_ids'],
    later: {
      sale: ['analytic_distribution'],
      locked: ['analytic_distribution'],
      cancel: ['analytic_distribution'],
    },
  }),
  prepare: assertDistribution,
  computed: {
    distribution_analytic_account_ids: computed(
      line,
      ['analytic_distribution'],
      ({ analytic_distribution: distribution }) => accountsIn(distribution),
    ),
  },
})
export const costLine = implement(cost)
