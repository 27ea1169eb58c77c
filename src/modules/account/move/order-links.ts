// Items of documents that name lines of orders: the order is with the contact of the document. It would count
// as billed by what somebody else owes otherwise.
import { type Environment, idsWhere, type Records, type Vals, type WriteRun } from '#models'

type Items = Records<'account.move.line'>
type Moves = Records<'account.move'>

/** Throws UserError where one of the items names an order of another contact. */
export type AssertParties = (env: Environment, items: readonly number[]) => Promise<void>

/** The context of copies that keep the lines of orders of their documents. */
export const KEEPS_ORDERS = 'server:keeps_orders'

const concerning =
  (...names: readonly string[]) =>
  (given: ReadonlySet<string>) =>
    names.some((name) => given.has(name))

/** Wraps of items whose `field` names lines of orders, checked as they are given. */
export const itemsOfOrders = (field: string, assertParties: AssertParties) => ({
  concerns: { create: concerning(field), write: concerning(field, 'move_id') },
  wrapCreate:
    (next: (items: Items, list: readonly Vals<'account.move.line'>[]) => Promise<Items>) =>
    async (items: Items, list: readonly Vals<'account.move.line'>[]): Promise<Items> => {
      const created = await next(items, list)
      // A copy keeps what its document was checked for; contacts of the order may have changed since.
      if (items.env.context[KEEPS_ORDERS]) return created
      const naming = created.ids.filter((_, i) => names(list[i], field))
      if (naming.length) await assertParties(items.env, naming)
      return created
    },
  wrapWrite:
    (next: WriteRun<Items>): WriteRun<Items> =>
    async (items, changes) => {
      await next(items, changes)
      const naming = idsWhere(changes, (vals) => names(vals, field) || names(vals, 'move_id'))
      if (naming.length) await assertParties(items.env, naming)
    },
})

/** Wraps of entries: another contact is one that the orders of their items are with. */
export const entriesOfOrders = (field: string, assertParties: AssertParties) => ({
  concerns: { create: () => false, write: concerning('partner_id') },
  wrapWrite:
    (next: WriteRun<Moves>): WriteRun<Moves> =>
    async (moves, changes) => {
      await next(moves, changes)
      const ids = idsWhere(changes, (vals) => names(vals, 'partner_id'))
      if (ids.length === 0) return
      const items = await moves.env
        .sudo()
        .model('account.move.line')
        .search([
          ['move_id', 'in', ids],
          [field as 'name', '!=', false],
        ])
      if (items.length) await assertParties(moves.env, items.ids)
    },
})

const names = (vals: object | undefined, field: string): boolean =>
  Boolean(vals && (vals as Readonly<Record<string, unknown>>)[field])
