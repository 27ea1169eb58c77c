// Defaults of an entry from its type, its journal, its partner and its dates.

import { computedFields, type Environment } from '#models'
import { endOfMonth, today } from '../../../kit/dates.ts'
import { isInteger, present } from '../../../kit/present.ts'
import { sql } from '../../../sql/index.ts'
import { addressesOf } from '../../base/index.ts'
import { positionsFor } from '../fiscal-positions.ts'
import { isInvoice, isPurchase, isSale, journalTypesOf } from './kinds.ts'
import { move } from './move.contract.ts'

const editable = { editable: true } as const
type Link = { readonly id: number }

/**
 * The first journal of the kind of entry in the company: in the currency that was asked for, if there is one.
 */
export const journal = computedFields(
  move,
  ['journal_id'],
  ['move_type'],
  async (moves, env, fresh) => {
    if (!fresh) return new Map()
    const journals = await journalsIn(env, env.companyId)
    return new Map(
      moves.map(({ id, move_type }) => {
        const types = journalTypesOf(move_type) ?? ['general']
        const journal = journals.find(([, type]) => types.includes(type))
        return [id, { journal_id: journal?.[0] ?? null }]
      }),
    )
  },
  editable,
)

/**
 * Values to create entries with, with the journal of the company that is named where none is: defaults follow
 * the company of the entry, not the one at work.
 */
export async function withJournalOfCompany(
  env: Environment,
  list: readonly Record<string, unknown>[],
): Promise<Record<string, unknown>[]> {
  const ids: Record<string, unknown>[] = []
  for (const vals of list) {
    const { company_id, journal_id } = vals
    const kind = vals.move_type ?? env.context.default_move_type ?? 'entry'
    const follows =
      isInteger(company_id) && company_id !== env.companyId && !journal_id && !env.context.default_journal_id
    if (!follows || typeof kind !== 'string') {
      ids.push(vals)
      continue
    }
    const types = journalTypesOf(kind) ?? ['general']
    const [journal] = (await journalsIn(env, company_id)).find(([, type]) => types.includes(type)) ?? []
    ids.push(journal === undefined ? vals : { ...vals, journal_id: journal })
  }
  return ids
}

/** Journals of a company with types, in order, read as superuser; archived ones as the context says. */
export const journalsIn = (env: Environment, company: number) =>
  env.rows(
    sql`SELECT id, type FROM account_journal WHERE (active OR ${!env.activeTest}::boolean) AND company_id = ${company}::int ORDER BY sequence, type, code, id`,
    { reads: ['account.journal'], row: ['int', 'text'], kept: [] },
  )

/** The journals of entries, by id, read as superuser. */
async function journalsOf(env: Environment, moves: readonly { readonly journal_id: Link | null }[]) {
  const ids = [...new Set(moves.flatMap((move) => move.journal_id?.id ?? []))]
  const rows = await env
    .sudo()
    .model('account.journal')
    .browse(ids)
    .load(['company_id.currency_id', 'currency_id'])
  const journalById = new Map(rows.map((row) => [row.id, row]))
  return (record: { readonly journal_id: Link | null }) => journalById.get(record.journal_id?.id ?? 0)
}

/** The company of the journal. */
export const company = computedFields(
  move,
  ['company_id'],
  ['journal_id'],
  async (moves, env) => {
    const journal = await journalsOf(env, moves)
    return new Map(
      moves.map((move) => [move.id, { company_id: journal(move)?.company_id ?? { id: env.companyId } }]),
    )
  },
  editable,
)

/** The currency of the journal, else of its company, else of the caller's. */
export const currencyOfPartner = computedFields(
  move,
  ['currency_id'],
  ['journal_id'],
  async (moves, env) => {
    const journal = await journalsOf(env, moves)
    const company = await env.sudo().model('res.company').browse([env.companyId]).one(['currency_id'])
    const currency = (journalRow: ReturnType<typeof journal>) =>
      journalRow?.currency_id ?? journalRow?.company_id.currency_id ?? company.currency_id
    return new Map(moves.map((move) => [move.id, { currency_id: currency(journal(move)) }]))
  },
  editable,
)

const lookedAt = [
  'commercial_partner_id',
  'complete_name',
  'country_id',
  'state_id',
  'zip',
  'vat',
  'lang',
  'property_account_position_id',
]

export const commercialPartner = computedFields(
  move,
  ['commercial_partner_id'],
  ['partner_id'],
  async (moves, env) => {
    const partners = await env
      .sudo()
      .model('res.partner')
      .browse([...new Set(moves.flatMap((move) => move.partner_id?.id ?? []))])
      .load(['commercial_partner_id'])
    const commercial = new Map(partners.map((partner) => [partner.id, partner.commercial_partner_id]))
    return new Map(
      moves.map((move) => [
        move.id,
        { commercial_partner_id: commercial.get(move.partner_id?.id ?? 0) ?? null },
      ]),
    )
  },
  // All that is looked at of who is invoiced, here and by the lines: one look.
  { asks: lookedAt.map((path) => `partner_id.${path}`) },
)

/** The name of the partner, which stays once the entry is posted. */
export const partnerName = computedFields(
  move,
  ['invoice_partner_display_name'],
  ['partner_id.complete_name', 'state'],
  (moves, _env, fresh) =>
    new Map(
      moves.flatMap(({ id, state, partner_id }) =>
        fresh || state === 'draft'
          ? [[id, { invoice_partner_display_name: partner_id?.complete_name ?? null }] as const]
          : [],
      ),
    ),
)

/** Kinds of addresses that goods go to. */
export const SHIPPED_TO: ReadonlySet<string> = new Set(['delivery'])

/** Where the goods of a sale go. */
export const shipping = computedFields(
  move,
  ['partner_shipping_id'],
  ['partner_id', 'move_type'],
  async (moves, env) => {
    const sales = moves.filter((move) => move.partner_id && isSale(move.move_type))
    const partners = env
      .sudo()
      .model('res.partner')
      .browse([...new Set(sales.flatMap((sale) => sale.partner_id?.id ?? []))])
    const addressOf = partners.length
      ? await addressesOf(partners, SHIPPED_TO)
      : new Map<number, Record<string, number>>()
    const of = (record: { readonly partner_id: Link | null }) =>
      record.partner_id ? (addressOf.get(record.partner_id.id)?.delivery ?? record.partner_id.id) : null
    return new Map(
      moves.map((move) => [move.id, { partner_shipping_id: isSale(move.move_type) ? of(move) : null }]),
    )
  },
  editable,
)

/** Groups by company, each with a superuser environment of that company. */
function byCompany<M extends { readonly company_id: Link | null }>(
  moves: readonly M[],
  env: Environment,
): [Environment, M[]][] {
  return [...Map.groupBy(moves, (move) => move.company_id?.id ?? env.companyId)].map(([id, group]) => [
    env.sudo().withCompany(id),
    group,
  ])
}

const termPaths = ['property_payment_term_id', 'property_supplier_payment_term_id'] as const

export const terms = computedFields(
  move,
  ['invoice_payment_term_id'],
  ['partner_id', 'move_type', 'company_id'],
  async (moves, env) => {
    const values = new Map<number, { invoice_payment_term_id: Link | null }>()
    for (const [companyEnv, group] of byCompany(moves, env)) {
      const partners = await companyEnv
        .model('res.partner')
        .browse([...new Set(group.flatMap((member) => member.partner_id?.id ?? []))])
        .load(termPaths)
      const partnerById = new Map(partners.map((partner) => [partner.id, partner]))
      for (const { id, move_type, partner_id } of group) {
        const partner = partnerById.get(partner_id?.id ?? 0)
        const term = isSale(move_type)
          ? partner?.property_payment_term_id
          : isPurchase(move_type)
            ? partner?.property_supplier_payment_term_id
            : null
        values.set(id, { invoice_payment_term_id: term ?? null })
      }
    }
    return values
  },
  { ...editable, asks: termPaths.map((path) => `partner_id.${path}`) },
)

export const fiscalPosition = computedFields(
  move,
  ['fiscal_position_id'],
  ['partner_id', 'partner_shipping_id', 'company_id', 'move_type'],
  async (moves, env) => {
    const values = new Map<number, { fiscal_position_id: number | null }>(
      moves.map((move) => [move.id, { fiscal_position_id: null }]),
    )
    for (const [companyEnv, group] of byCompany(moves, env)) {
      const concerned = group.filter((member) => member.partner_id && isInvoice(member.move_type))
      const deliveries = concerned.map((record) => ({
        partner: present(record.partner_id).id,
        delivery: record.partner_shipping_id?.id ?? null,
      }))
      const positions = await positionsFor(companyEnv, companyEnv.companyId, deliveries)
      for (const [i, entry] of concerned.entries())
        values.set(entry.id, { fiscal_position_id: positions[i] ?? null })
    }
    return values
  },
  editable,
)

/** Entries count on the day of their invoice, bills when they arrive; drafts without one from today. */
export const bookedOn = computedFields(
  move,
  ['date'],
  ['invoice_date', 'move_type'],
  (moves, env, fresh) => {
    const day = today(env.tz, env.now())
    const dateOf = ({ invoice_date, move_type }: (typeof moves)[number]) =>
      invoice_date && isPurchase(move_type) ? billDate(invoice_date, day) : invoice_date
    return new Map(
      moves.map((move) => {
        const date = dateOf(move) ?? (fresh ? day : null)
        return [move.id, date ? { date } : {}]
      }),
    )
  },
  editable,
)

/**
 * The day that a bill counts on: bills arrive after the day that is on them, so one of this month counts
 * today, and one of a month that is over on its last day.
 */
export function billDate(invoiceDate: string, day: string): string {
  if (invoiceDate.slice(0, 7) < day.slice(0, 7)) return endOfMonth(invoiceDate)
  return invoiceDate > day ? invoiceDate : day
}
