// Sales teams of documents (account.move): of the order, of the document that a credit note reverses, else of
// the salesperson.
import { extend, implement, many2one, type Of, type Records, type Vals } from '#models'
import { isId } from '../../../kit/present.ts'
import { givenTargets, givenVals } from '../../base/index.ts'
import { teamsFor } from '../../sales_team/index.ts'

const move = extend('account.move', {
  fields: {
    team_id: many2one('crm.team', {
      label: 'Sales Team',
      ondelete: 'set null',
      help: 'The sales team; for invoices of orders, the team of the order.',
    }),
  },
})

const report = extend('account.invoice.report', {
  fields: {
    team_id: many2one('crm.team', { label: 'Sales Team', related: 'move_id.team_id', asStored: true }),
  },
})

declare module '#models' {
  interface AccountMove extends Of<typeof move> {}
  interface AccountInvoiceReport extends Of<typeof report> {}
}

const saleTypes: ReadonlySet<unknown> = new Set(['out_invoice', 'out_refund', 'out_receipt'])

type MoveVals = Vals<'account.move'>

/** Adds teams to values of documents, in two statements at most. The caller sells, where no user is named. */
async function withTeams(moves: Records<'account.move'>, list: readonly MoveVals[]): Promise<MoveVals[]> {
  const { env } = moves
  const reversed = await moves.browse(givenTargets(list, 'reversed_entry_id')).load(['team_id'])
  const teams = await teamsFor(
    env,
    list.map(({ invoice_user_id: user = env.uid, company_id: company }) => ({
      user: isId(user) ? user : null,
      company: isId(company) ? company : env.companyId,
    })),
  )
  return list.map((vals, i) => {
    const origin = reversed.find(({ id }) => id === vals.reversed_entry_id)
    return { ...vals, team_id: (origin ? origin.team_id?.id : teams[i]) ?? false }
  })
}

export const documentTeams = [
  implement(move, {
    concerns: { write: () => false },
    wrapCreate: (next) => async (moves, valsList) => {
      const list = givenVals(valsList) as readonly MoveVals[]
      const { default_move_type: type, default_team_id: team } = moves.env.context
      const teamless = list.filter(
        (vals) => vals.team_id === undefined && !team && saleTypes.has(vals.move_type ?? type),
      )
      if (teamless.length === 0) return next(moves, valsList)
      const completed = new Map((await withTeams(moves, teamless)).map((vals, i) => [teamless[i], vals]))
      return next(
        moves,
        list.map((vals) => completed.get(vals) ?? vals),
      )
    },
  }),
  implement(report),
] as const
