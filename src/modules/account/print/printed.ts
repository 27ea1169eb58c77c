// Values that prints of entries read: those of the entries, their lines, and the facts around them, each in
// the language of its document, in a bounded number of queries.
import type { Environment } from '#models'
import { present } from '../../../kit/present.ts'
import { idList, sql } from '../../../sql/index.ts'
import {
  addressLines,
  addressPaths,
  type Letterhead,
  letterheads,
  plainText,
  type Written,
} from '../../base/index.ts'
import { isPurchase } from '../move/kinds.ts'
import { type TaxSum, taxSums } from './taxes.ts'

const paths = [
  'name',
  'state',
  'move_type',
  'company_id',
  'partner_id.lang',
  'partner_id.vat',
  'partner_id.display_name',
  'partner_shipping_id',
  'currency_id.symbol',
  'currency_id.position',
  'currency_id.decimal_places',
  'invoice_date',
  'invoice_date_due',
  'date',
  'ref',
  'invoice_origin',
  'payment_reference',
  'invoice_payment_term_id',
  'fiscal_position_id',
  'narration',
  'amount_untaxed',
  'amount_total',
  'amount_residual',
] as const

const linePaths = [
  'move_id',
  'display_type',
  'name',
  'quantity',
  'product_uom_id.name',
  'price_unit',
  'discount',
  'tax_ids',
  'price_subtotal',
  'account_id.name',
  'debit',
  'credit',
] as const

export const loadMoves = (env: Environment, ids: readonly number[]) =>
  env
    .sudo()
    .model('account.move')
    .browse(ids)
    .load([...paths])
export type Move = Awaited<ReturnType<typeof loadMoves>>[number]
const loadLines = (env: Environment) =>
  env
    .sudo()
    .model('account.move.line')
    .load([...linePaths])
export type Line = Awaited<ReturnType<typeof loadLines>>[number]

/** Lines by document, names of units and accounts in its language. */
export async function shownLines(env: Environment, moves: readonly Move[]): Promise<Map<number, Line[]>> {
  const lines: Line[] = []
  for (const [lang, group] of Map.groupBy(moves, languageOf)) {
    const itemRecords = await env
      .sudo()
      .withContext({ lang })
      .model('account.move.line')
      .search(
        [
          ['move_id', 'in', group.map(({ id }) => id)],
          '|',
          ['display_type', 'in', ['product', 'line_section', 'line_subsection', 'line_note']],
          ['move_id.move_type', '=', 'entry'],
        ],
        { order: 'sequence, id' },
      )
    lines.push(...(await itemRecords.load([...linePaths])))
  }
  return Map.groupBy(lines, (line) => line.move_id.id)
}

const languageOf = (move: Move) => move.partner_id?.lang ?? 'en_US'

async function addressesFor(env: Environment, moves: readonly Move[]) {
  const ids = moves.flatMap((move) => [move.partner_id?.id ?? [], move.partner_shipping_id?.id ?? []].flat())
  const rows = await env
    .sudo()
    .model('res.partner')
    .browse([...new Set(ids)])
    .load([...addressPaths, 'name', 'vat', 'parent_name'])
  const rowById = new Map(rows.map((row) => [row.id, row]))
  const lines = (id: number | undefined) => {
    const row = rowById.get(id ?? 0)
    return row ? addressLines({ ...row, name: row.name ?? row.parent_name }, [row.vat]) : []
  }
  return (move: Move, say: Written) => {
    const { partner_id: partner, partner_shipping_id: goods } = move
    return addressesOf(move, say, lines(partner?.id), goods && lines(goods.id))
  }
}

/** Address blocks: the receiver of a document, and the place of its goods if another. */
export function addressesOf(
  move: Move,
  { say }: Written,
  receiver: readonly string[],
  goods: readonly string[] | null,
): PrintFacts['addresses'] {
  const to = { label: say(isPurchase(move.move_type) ? 'Vendor' : 'Bill to'), lines: receiver }
  return goods && move.partner_shipping_id?.id !== move.partner_id?.id
    ? [to, { label: say('Ship to'), lines: goods }]
    : [to]
}

/**
 * Names of taxes by language, and what terms and fiscal positions say, each in the language of its document.
 */
async function notesFor(env: Environment, moves: readonly Move[]) {
  const taxes = new Map<string, Map<number, string>>()
  const notes = new Map<number, string[]>()
  for (const [code, group] of Map.groupBy(moves, languageOf)) {
    const languageEnv = env.sudo().withContext({ lang: code, active_test: false })
    const rows = await languageEnv.rows(
      sql`SELECT DISTINCT r.account_tax_id FROM account_move_line l JOIN account_move_line_account_tax_rel r
      ON r.account_move_line_id = l.id WHERE l.move_id = ANY(${idList(group.map(({ id }) => id))})`,
      { reads: ['account.move.line'], row: ['int'] },
    )
    const names = await languageEnv
      .model('account.tax')
      .browse(rows.map((row) => row[0]))
      .load(['name', 'invoice_label'])
    taxes.set(code, new Map(names.map((tax) => [tax.id, tax.invoice_label || tax.name])))
    const noteRows = await languageEnv
      .model('account.move')
      .browse(group.map(({ id }) => id))
      .load(['invoice_payment_term_id.note', 'fiscal_position_id.note'])
    for (const row of noteRows)
      notes.set(row.id, [
        plainText(row.invoice_payment_term_id?.note),
        plainText(row.fiscal_position_id?.note),
      ])
  }
  return {
    taxes: (move: Move): ReadonlyMap<number, string> => taxes.get(languageOf(move)) ?? new Map(),
    of: (move: Move) => notes.get(move.id) ?? [],
  }
}

/** The facts of a print that do not stand on its entry and lines. */
export interface PrintFacts {
  readonly head: Letterhead
  readonly addresses: readonly { readonly label: string; readonly lines: readonly string[] }[]
  /** Names of taxes by id. */
  readonly taxNames: ReadonlyMap<number, string>
  readonly sums: readonly TaxSum[]
  readonly notes: readonly string[]
}

/** The facts of entries as records say them now: a bounded number of queries. */
export async function currentFacts(
  env: Environment,
  moves: readonly Move[],
): Promise<(move: Move, say: Written) => PrintFacts> {
  const companyOf = (move: Move) => move.company_id?.id ?? env.companyId
  const heads = await letterheads(env, moves.map(companyOf))
  const addresses = await addressesFor(env, moves)
  const notes = await notesFor(env, moves)
  const sums = await taxSums(
    env,
    moves.map(({ id }) => id),
  )
  return (move, say) => ({
    head: present(heads.get(companyOf(move))),
    addresses: addresses(move, say),
    taxNames: notes.taxes(move),
    sums: sums.get(move.id) ?? [],
    notes: notes.of(move),
  })
}
