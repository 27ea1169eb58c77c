// Invoices as they are printed (report.account.report_invoice): who owes what to whom, in the customer's
// language.

import { abstract, type Environment, implement, type Of, type PrintBlock, type PrintDocument } from '#models'
import { assertWithin } from '../../../limits.ts'
import { idList, sql } from '../../../sql/index.ts'
import { languagesFor, printMethods, written } from '../../base/index.ts'
import { isInvoice } from '../move/kinds.ts'
import { asIssued, factsAsIssued, issueOf, lineAsIssued } from './as-issued.ts'
import { closing, factsOf, itemTable, lineTable, totalsOf } from './blocks.ts'
import { issuedFacts, issuedLogos } from './issued.ts'
import { currentFacts, loadMoves, type Move, shownLines } from './printed.ts'

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
  await assertPrintable(env, ids)
  const issued = await issuedFacts(env, ids)
  const logos = await issuedLogos(env, issued.values())
  const moves = (await loadMoves(env, ids)).map((move) => asIssued(move, issued.get(move.id)))
  const linesOf = await shownLines(env, moves)
  const languages = await languagesFor(
    env,
    moves.map((move) => move.partner_id?.lang ?? null),
  )
  const current = await currentFacts(
    env,
    moves.filter(({ id }) => !issued.has(id)),
  )
  return moves.map((move) => {
    const facts = issued.get(move.id)
    const say = facts?.language ? written(env, facts.language) : languages(move.partner_id?.lang ?? null)
    const { head, addresses, taxNames, sums, notes } = facts
      ? factsAsIssued(move, facts, logos.get(facts.logo ?? ''), say)
      : current(move, say)
    const title = [say.say(titleOf(move)), move.name].filter(Boolean).join(' ')
    const lines = (linesOf.get(move.id) ?? []).map((line) => lineAsIssued(line, facts))
    const blocks: PrintBlock[] = [
      { kind: 'addresses', of: addresses },
      { kind: 'heading', text: title },
      { kind: 'facts', facts: factsOf(move, say) },
      isInvoice(move.move_type) ? lineTable(move, lines, say, taxNames) : itemTable(lines, move, say),
      ...(isInvoice(move.move_type)
        ? [{ kind: 'totals', rows: totalsOf(move, say, sums, payments) } as const]
        : []),
      ...closing(move, say, notes).map((text) => ({ kind: 'text', text }) as const),
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
      ...(move.state === 'posted' && isInvoice(move.move_type)
        ? { issue: issueOf(move, facts, payments) }
        : {}),
    }
  })
}

async function assertPrintable(env: Environment, ids: readonly number[]): Promise<void> {
  const [counted] = await env.rows(
    sql`SELECT count(*)::int FROM account_move_line WHERE move_id = ANY(${idList([...ids])})`,
    { reads: ['account.move.line'], row: ['int'] },
  )
  assertWithin('print-lines', counted?.[0] ?? 0)
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
