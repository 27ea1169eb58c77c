// Fields that tills add to entries, payments and statement lines: their session. Cash roundings cannot
// be removed while an open session uses them.
import {
  computed,
  extend,
  implement,
  integer,
  many2many,
  many2one,
  type Of,
  one2many,
  type Records,
} from '#models'
import { UserError, ValidationError } from '../../errors.ts'
import { idList, sql } from '../../sql/index.ts'
import { readonlyActionMethod, shownRecords } from '../base/index.ts'
import { drawerWritable } from './writable.ts'

const session = many2one('pos.session', {
  label: 'POS Session',
  index: true,
  ondelete: 'set null',
  copy: false,
})

const move = extend('account.move', {
  fields: {
    pos_order_ids: one2many('pos.order', 'account_move', { label: 'Pos Order' }),
    pos_order_count: integer({ label: 'POS Order Count', computed: true }),
    pos_refunded_invoice_ids: many2many('account.move', {
      label: 'Pos Refunded Invoice',
      copy: false,
      relation: { table: 'account_move_pos_refunded_rel', column: 'refund_id', other: 'invoice_id' },
      help: 'Invoices of the point of sale that this entry reverses.',
    }),
    pos_payment_ids: one2many('pos.payment', 'account_move_id', { label: 'Pos Payment' }),
    pos_session_ids: one2many('pos.session', 'move_id', { label: 'Pos Sessions' }),
    reversed_pos_order_id: many2one('pos.order', {
      label: 'Reversed POS Order',
      index: 'set',
      ondelete: 'set null',
      copy: false,
      help: 'The point of sale order whose share of a closing entry is reversed.',
    }),
  },
  methods: {
    action_view_source_pos_orders: readonlyActionMethod('Shows the point of sale orders of documents.'),
  },
})
const payment = extend('account.payment', {
  fields: {
    pos_session_id: session,
    pos_payment_method_id: many2one('pos.payment.method', {
      label: 'POS Payment Method',
      ondelete: 'set null',
      copy: false,
    }),
  },
})
const statementLine = extend('account.bank.statement.line', { fields: { pos_session_id: session } })
const cashLines = extend('pos.session', {
  fields: {
    statement_line_ids: one2many('account.bank.statement.line', 'pos_session_id', { label: 'Cash Lines' }),
  },
})
const journal = extend('account.journal', {
  fields: {
    pos_payment_method_ids: one2many('pos.payment.method', 'journal_id', {
      label: 'Point of Sale Payment Methods',
    }),
  },
})
const rounding = extend('account.cash.rounding', { fields: {} })

declare module '#models' {
  interface AccountMove extends Of<typeof move> {}
  interface Journal extends Of<typeof journal> {}
  interface Payment extends Of<typeof payment> {}
  interface PosSession extends Of<typeof cashLines> {}
  /** The customer of a line is that of its entry. */
  interface BankStatementLine extends Of<typeof statementLine>, Pick<AccountMove, 'partner_id'> {}
}

/**
 * The ids of invoices whose sessions still sell. Throws UserError for entries that sessions were closed with.
 */
async function invoicesInSale({ env, ids }: Records<'account.move'>): Promise<ReadonlySet<number>> {
  const rows = await env.rows(
    sql`SELECT s.name, NULL::int FROM pos_session s WHERE s.move_id = ANY(${idList(ids)})
    UNION ALL SELECT NULL, o.account_move FROM pos_order o JOIN pos_session s ON s.id = o.session_id
    WHERE o.account_move = ANY(${idList(ids)}) AND s.state <> 'closed'`,
    { reads: ['pos.order', 'pos.session'], row: ['text?', 'int?'] },
  )
  for (const [session] of rows)
    if (session !== null) throw new UserError(`The entry stays posted: ${session} was closed with it.`)
  return new Set(rows.flatMap(([, invoice]) => invoice ?? []))
}

export const books = [
  implement(move, {
    computed: { pos_order_count: computed(move, ['pos_order_ids'], (move) => move.pos_order_ids.length) },
    methods: {
      action_view_source_pos_orders: async (moves) => {
        const rows = await moves.load(['pos_order_ids'])
        const ids = rows.flatMap((row) => row.pos_order_ids.map(({ id }) => id))
        return shownRecords('Source POS Orders', 'pos.order', [...new Set(ids)])
      },
    },
    wrap: {
      // An invoice of a till that still sells stays posted: closing counts on it.
      button_draft: (next) => async (moves, params) => {
        const held = await invoicesInSale(moves)
        if (held.size === 0) return next(moves, params)
        const free = moves.ids.filter((id) => !held.has(id))
        if (free.length) await next(moves.browse(free), params)
        return false as unknown as null
      },
      button_cancel: (next) => async (moves, params) => {
        await invoicesInSale(moves)
        return next(moves, params)
      },
    },
  }),
  implement(journal),
  implement(payment),
  implement(statementLine, { writable: drawerWritable }),
  implement(cashLines),
  implement(rounding, {
    wrapWrite: (next) => async (roundings, changes) => {
      const used = await roundings.env.rows(
        sql`SELECT 1 FROM pos_session s JOIN pos_config c ON c.id = s.config_id
        WHERE s.state <> 'closed' AND c.cash_rounding AND c.rounding_method = ANY(${idList(roundings.ids)}) LIMIT 1`,
        { reads: ['pos.session', 'pos.config'], row: ['int'] },
      )
      if (used.length)
        throw new ValidationError(
          'An open session uses this rounding: close the session before you change it.',
        )
      return next(roundings, changes)
    },
  }),
] as const
