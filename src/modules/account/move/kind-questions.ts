// Questions that entries answer about their kind (account.move): invoice, receipt, side, direction of money.
import { extend, implement, type Of, optional, type Records, returns } from '#models'
import type { MoveType } from './kinds.ts'

const flag = (fallback: boolean) => optional<boolean>('boolean', fallback, { annotation: 'bool' })
const yesOrNo = returns<boolean>('boolean', 'bool')
const question = { readonly: true, returns: yesOrNo } as const
const list = { level: 'model', readonly: true, returns: returns<MoveType[]>('array', 'list[str]') } as const
const ofAny = {
  include_receipts: flag(false),
  move_type: optional<string | false>('any', false, { annotation: 'str' }),
}

const move = extend('account.move', {
  fields: {},
  methods: {
    is_entry: { doc: 'Whether it is a plain journal entry.', ...question, params: {} },
    is_receipt: { doc: 'Whether it is a receipt.', ...question, params: {} },
    is_invoice: {
      doc: 'Whether it is an invoice, a bill or a credit note.',
      ...question,
      params: { include_receipts: flag(false) },
    },
    is_sale_document: {
      doc: 'Whether its type, or the given one, is a document of sales.',
      ...question,
      params: ofAny,
    },
    is_purchase_document: {
      doc: 'Whether its type, or the given one, is a document of purchases.',
      ...question,
      params: ofAny,
    },
    is_inbound: {
      doc: 'Whether the partner pays it: customer invoices and vendor credit notes.',
      ...question,
      params: { include_receipts: flag(true) },
    },
    is_outbound: {
      doc: 'Whether the company pays it: vendor bills and customer credit notes.',
      ...question,
      params: { include_receipts: flag(true) },
    },
    get_invoice_types: {
      doc: 'Returns the types of invoices.',
      ...list,
      params: { include_receipts: flag(false) },
    },
    get_sale_types: {
      doc: 'Returns the types of documents of sales.',
      ...list,
      params: { include_receipts: flag(false) },
    },
    get_purchase_types: {
      doc: 'Returns the types of documents of purchases.',
      ...list,
      params: { include_receipts: flag(false) },
    },
    get_inbound_types: {
      doc: 'Returns the types of documents that the partner pays.',
      ...list,
      params: { include_receipts: flag(true) },
    },
    get_outbound_types: {
      doc: 'Returns the types of documents that the company pays.',
      ...list,
      params: { include_receipts: flag(true) },
    },
  },
})

declare module '#models' {
  interface AccountMove extends Of<typeof move> {}
}

/** In the order of the answers: sales before purchases, receipts last of each. */
const sales: readonly MoveType[] = ['out_invoice', 'out_refund', 'out_receipt']
const purchases: readonly MoveType[] = ['in_invoice', 'in_refund', 'in_receipt']
const inbound: readonly MoveType[] = ['out_invoice', 'in_refund', 'out_receipt']
const outbound: readonly MoveType[] = ['in_invoice', 'out_refund', 'in_receipt']

const isReceipt = (type: string): boolean => type.endsWith('_receipt')
const kinds = (types: readonly MoveType[], receipts: boolean): MoveType[] =>
  types.filter((type) => receipts || !isReceipt(type))

type Moves = Records<'account.move'>

async function kindOf(moves: Moves): Promise<MoveType> {
  moves.ensureOne()
  return (await moves.one(['move_type'])).move_type
}

const isOneOf =
  (types: readonly MoveType[]) =>
  async (moves: Moves, { include_receipts: receipts }: { include_receipts: boolean }) =>
    kinds(types, receipts).includes(await kindOf(moves))

const isOf =
  (types: readonly MoveType[]) =>
  async (moves: Moves, params: { include_receipts: boolean; move_type: string | false }) => {
    const type = params.move_type || (await kindOf(moves))
    return kinds(types, params.include_receipts).some((kind) => kind === type)
  }

const typesAmong =
  (types: readonly MoveType[]) =>
  (_moves: Moves, { include_receipts: receipts }: { include_receipts: boolean }) =>
    kinds(types, receipts)

export default implement(move, {
  methods: {
    is_entry: async (moves) => (await kindOf(moves)) === 'entry',
    is_receipt: async (moves) => isReceipt(await kindOf(moves)),
    is_invoice: isOneOf([...sales, ...purchases]),
    is_sale_document: isOf(sales),
    is_purchase_document: isOf(purchases),
    is_inbound: isOneOf(inbound),
    is_outbound: isOneOf(outbound),
    get_invoice_types: typesAmong([...sales, ...purchases]),
    get_sale_types: typesAmong(sales),
    get_purchase_types: typesAmong(purchases),
    get_inbound_types: typesAmong(inbound),
    get_outbound_types: typesAmong(outbound),
  },
})
