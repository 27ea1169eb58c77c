// Sales of teams (crm.team): confirmed orders, invoices of the month, and the target of a month.
import { computedFields, extend, float, implement, integer, type Of, required, returns } from '#models'
import { endOfMonth, today } from '../../kit/dates.ts'
import { addDecimals } from '../../kit/rounding.ts'

/** Group of people that see sums of teams: those of the documents that they may read. */
export const SELLERS = 'sales_team.group_sale_salesman'

const team = extend('crm.team', {
  fields: {
    invoiced: float({
      label: 'Invoiced This Month',
      computed: true,
      groups: SELLERS,
      help: 'Posted invoices less credit notes of this month, without taxes.',
    }),
    invoiced_target: float({
      label: 'Invoicing Target',
      help: 'Sum that a month is to bring, without taxes.',
    }),
    sale_order_count: integer({
      label: '# Sale Orders',
      computed: true,
      groups: SELLERS,
      help: 'Confirmed orders.',
    }),
  },
  methods: {
    update_invoiced_target: {
      doc: 'Sets the invoicing target of a month.',
      params: { value: required<number>('number', { annotation: 'float' }) },
      returns: returns<boolean>('boolean', 'bool'),
    },
  },
})

declare module '#models' {
  interface CrmTeam extends Of<typeof team> {}
}

export default implement(team, {
  computed: computedFields(team, ['invoiced', 'sale_order_count'], [], async (teams, env) => {
    const ids = teams.map(({ id }) => id)
    const day = today(env.tz, env.now())
    const moves = await env.model('account.move').search([
      ['team_id', 'in', ids],
      ['state', '=', 'posted'],
      ['move_type', 'in', ['out_invoice', 'out_refund']],
      ['date', '>=', `${day.slice(0, 7)}-01`],
      ['date', '<=', endOfMonth(day)],
    ])
    const orders = await env.model('sale.order').search([
      ['team_id', 'in', ids],
      ['state', '=', 'sale'],
    ])
    const invoiced = new Map<number, number>()
    for (const { team_id: sold, amount_untaxed_signed: amount } of await moves.load([
      'team_id',
      'amount_untaxed_signed',
    ]))
      if (sold) invoiced.set(sold.id, addDecimals(invoiced.get(sold.id) ?? 0, amount))
    const orderRows = Map.groupBy(await orders.load(['team_id']), (row) => row.team_id?.id)
    return new Map(
      ids.map((id) => [
        id,
        { invoiced: invoiced.get(id) ?? 0, sale_order_count: orderRows.get(id)?.length ?? 0 },
      ]),
    )
  }),
  methods: {
    update_invoiced_target: async (teams, { value }) => {
      await teams.write({ invoiced_target: value })
      return true
    },
  },
})
