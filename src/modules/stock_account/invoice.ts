// Invoices (account.move): what sold goods cost is booked when they are posted, and taken back when they are
// drafts again.
import { extend, idsWhere, implement } from '#models'
import { isSettling } from '../account/index.ts'
import { bookGoodsSold, dropGoodsSold } from './goods-sold.ts'

const invoice = extend('account.move', { fields: {} })

export default implement(invoice, {
  wrapWrite: (next) => async (moves, changes) => {
    const posted = idsWhere(changes, (vals) => vals.state === 'posted')
    if (posted.length) await bookGoodsSold(moves.env, posted)
    await next(moves, changes)
    // Entries that only step back for a change of an account keep their items.
    if (isSettling(moves.env)) return
    const drafts = idsWhere(changes, (vals) => vals.state === 'draft')
    if (drafts.length) await dropGoodsSold(moves.env, drafts)
  },
})
