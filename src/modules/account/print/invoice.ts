// Invoices as they are printed (report.account.report_invoice): who owes what to whom, in the customer's
// language.

import { abstract, type Environment, implement, type Of, type PrintBlock, type PrintDocument } from '#models'
import { present } from '../../../kit/present.ts'
import { assertWithin } from '../../../limits.ts'
import { idList, sql } from '../../../sql/index.ts'
import { languagesFor, letterheads, printMethods } from '../../base/index.ts'
import { isInvoice } from '../move/kinds.ts'
import { closing, factsOf, itemTable, lineTable, totalsOf } from './blocks.ts'
import { addressesFor, loadMoves, type Move, notesFor, shownLines } from './printed.ts'
import { taxSums } from './taxes.ts'

const invoices = abstract('report.account.report_invoice', {
  label: 'Invoice Report',
  fields: {},
  methods: printMethods,
})
const paid = abstract('report.account.report_invoice_with_payments', {
  label: 'Invoice Report with Payments',
  fields: {},
  methods: printMethods,
})

declare module '#models' {
  interface Models {
    'report.account.report_invoice': InvoiceReport
    'report.account.report_invoice_with_payments': PaidInvoiceReport
  }
  interface InvoiceReport extends Of<typeof invoices> {}
  interface PaidInvoiceReport extends Of<typeof paid> {}
}

const TITLES: Readonly<Record<string, string>> = {
  entry: 'Journal Entry',
  out_invoice: 'Invoice',
  out_refund: 'Credit Note',
  in_invoice: 'Vendor Bill',
  in_refund: 'Vendor Credit Note',
  out_receipt: 'Sales Receipt',
  in_receipt: 'Purchase Receipt',
}

/**
 * Documents of entries, in their order: a bounded number of queries. Throws PayloadTooLarge for too many
 * lines.
 */
async function documents(
  env: Environment,
  ids: readonly number[],
  payments: boolean,
): Promise<PrintDocument[]> {
  const [counted] = await env.rows(
    sql`SELECT count(*)::int FROM account_move_line WHERE move_id = ANY(${idList([...ids])})`,
    { reads: ['account.move.line'], row: ['int'] },
  )
  assertWithin('print-lines', counted?.[0] ?? 0)
  const moves = await loadMoves(env, ids)
  const linesOf = await shownLines(env, moves)
  const languages = await languagesFor(
    env,
    moves.map((one) => one.partner_id?.lang ?? null),
  )
  const heads = await letterheads(
    env,
    moves.map((one) => one.company_id?.id ?? env.companyId),
  )
  const addresses = await addressesFor(env, moves)
  const notes = await notesFor(env, moves)
  const sums = await taxSums(env, ids)
  return moves.map((move) => {
    const say = languages(move.partner_id?.lang ?? null)
    const head = present(heads.get(move.company_id?.id ?? env.companyId))
    const title = [say.say(titleOf(move)), move.name].filter(Boolean).join(' ')
    const lines = linesOf.get(move.id) ?? []
    const blocks: PrintBlock[] = [
      { kind: 'addresses', of: addresses(move, say) },
      { kind: 'heading', text: title },
      { kind: 'facts', facts: factsOf(move, say) },
      isInvoice(move.move_type) ? lineTable(move, lines, say, notes.taxes) : itemTable(lines, move, say),
      ...(isInvoice(move.move_type)
        ? [{ kind: 'totals', rows: totalsOf(move, say, sums.get(move.id) ?? [], payments) } as const]
        : []),
      ...closing(move, say, notes.of(move)).map((text) => ({ kind: 'text', text }) as const),
    ]
    const name = (move.name ?? `${titleOf(move)} ${move.id}`).replaceAll(/[/\\]/g, '_')
    return {
      id: move.id,
      name,
      title,
      lang: say.lang,
      ...head,
      blocks,
      page: say.say('Page'),
      final: move.state === 'posted',
    }
  })
}

const titleOf = ({ move_type, state }: Move) => {
  const title = TITLES[move_type] ?? 'Invoice'
  return state === 'draft' ? `Draft ${title}` : state === 'cancel' ? `Cancelled ${title}` : title
}

export const invoiceReport = implement(invoices, {
  methods: { documents: ({ env }, { docids }) => documents(env, docids, false) },
})
export const paidInvoiceReport = implement(paid, {
  methods: { documents: ({ env }, { docids }) => documents(env, docids, true) },
})
