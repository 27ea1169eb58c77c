// Values of entries that forms and lists show with their figures (account.move): warnings, buttons, numbers
// of the series, the file of the print.
import {
  binary,
  boolean,
  type Command,
  char,
  computed,
  computedFields,
  computedTogether,
  type Environment,
  extend,
  implement,
  json,
  many2one,
  type Of,
  type Records,
  selection,
  text,
} from '#models'
import { today } from '../../../kit/dates.ts'
import { idList, sql } from '../../../sql/index.ts'
import { assertNoneMissing } from '../../base/index.ts'
import { closedDays } from './guards.ts'
import { isSale } from './kinds.ts'
import { unusualDocuments } from './unusual.ts'

const shows = (label: string) => boolean({ label, computed: true })

const move = extend('account.move', {
  fields: {
    highest_name: char({
      label: 'Highest Name',
      computed: true,
      help: 'The highest number of its series, or of its journal while it has none.',
    }),
    made_sequence_gap: boolean({
      label: 'Made Sequence Gap',
      computed: true,
      asStored: true,
      help: 'The preceding number is missing.',
    }),
    invoice_vendor_bill_id: many2one('account.move', {
      label: 'Vendor Bill',
      computed: true,
      readonly: false,
      help: 'A bill whose lines are copied to the draft.',
    }),
    invoice_pdf_report_file: binary({ label: 'PDF File', copy: false }),
    invoice_pdf_report_id: many2one('ir.attachment', { label: 'PDF Attachment', computed: true }),
    abnormal_amount_warning: text({ label: 'Abnormal Amount Warning', computed: true }),
    abnormal_date_warning: text({ label: 'Abnormal Date Warning', computed: true }),
    tax_lock_date_message: char({
      label: 'Tax Lock Date Message',
      computed: true,
      help: 'Message about the lock date that its date violates.',
    }),
    account_fiscal_country_group_codes: json({
      label: 'Account Fiscal Country Group Codes',
      computed: true,
    }),
    invoice_incoterm_placeholder: char({ label: 'Invoice Incoterm Placeholder', computed: true }),
    taxable_supply_date_placeholder: char({ label: 'Taxable Supply Date Placeholder', computed: true }),
    move_sent_values: selection({ sent: 'Sent', not_sent: 'Not Sent' }, { label: 'Sent', computed: true }),
    no_followup: boolean({ label: 'No Follow-Up', computed: true, readonly: false }),
    need_cancel_request: shows('Need Cancel Request'),
    display_link_qr_code: shows('Display Link QR-code'),
    display_send_button: shows('Display Send Button'),
    highlight_send_button: shows('Highlight Send Button'),
    hide_post_button: shows('Hide Post Button'),
    show_journal: shows('Show Journal'),
    show_taxable_supply_date: shows('Show Taxable Supply Date'),
  },
})

declare module '#models' {
  interface AccountMove extends Of<typeof move> {}
}

const numbers = computedFields(move, ['highest_name', 'made_sequence_gap'], [], async (moves, env) => {
  const rows = await env.rows(
    sql`SELECT m.id, CASE WHEN m.sequence_number > 0 THEN (SELECT o.name FROM account_move o WHERE o.journal_id = m.journal_id
          AND o.sequence_form = m.sequence_form ORDER BY o.sequence_number DESC LIMIT 1)
        ELSE (SELECT o.name FROM account_move o WHERE o.journal_id = m.journal_id AND o.sequence_number > 0
          ORDER BY o.date DESC, o.sequence_number DESC LIMIT 1) END,
        m.state = 'posted' AND m.sequence_number > 1 AND NOT EXISTS (SELECT FROM account_move o WHERE o.journal_id = m.journal_id
          AND o.sequence_form = m.sequence_form AND o.sequence_number = m.sequence_number - 1)
      FROM account_move m WHERE m.id = ANY(${idList(moves.map(({ id }) => id))})`,
    { reads: ['account.move'], row: ['int', 'text?', 'bool?'] },
  )
  return new Map(
    rows.map(([id, highest_name, made_sequence_gap]) => [
      id,
      { highest_name, made_sequence_gap: made_sequence_gap ?? false },
    ]),
  )
})

/** The kept copy of a print, which is sealed; without one, the file that was stored as such. */
const prints = computedTogether(move, [], async (moves, env) => {
  const rows = await env.rows(
    sql`SELECT a.res_id, (array_agg(a.id ORDER BY a.sealed DESC NULLS LAST, a.id DESC))[1] FROM ir_attachment a WHERE a.res_model = 'account.move'
    AND a.res_id = ANY(${idList(moves.map(({ id }) => id))})
    AND (a.res_field = 'invoice_pdf_report_file' OR a.sealed AND a.mimetype = 'application/pdf') GROUP BY 1`,
    { reads: ['ir.attachment'], row: ['int', 'int'] },
  )
  const files = new Map(rows)
  return new Map(moves.map(({ id }) => [id, files.get(id) ?? null]))
})

/** Refusals that posting a draft would meet, in words; its day is not changed for it. */
const locked = computedTogether(
  move,
  ['state', 'date', 'move_type', 'name', 'company_id'],
  async (moves, env) => {
    const closed = await closedDays(
      env,
      moves.filter(({ state }) => state === 'draft'),
    )
    return new Map(
      moves.map(({ id }) => {
        const day = closed.get(id)
        return [id, day ? `The books are closed up to ${day}: choose a later day to post it.` : null]
      }),
    )
  },
)

const warnings = computedFields(
  move,
  ['abnormal_amount_warning', 'abnormal_date_warning'],
  ['state'],
  async (moves, env) => {
    const drafts = moves.filter(({ state }) => state === 'draft').map(({ id }) => id)
    const unusual = await unusualDocuments(env, drafts)
    return new Map(
      moves.map(({ id }) => [
        id,
        {
          abnormal_amount_warning: unusual.get(id)?.amount ?? null,
          abnormal_date_warning: unusual.get(id)?.date ?? null,
        },
      ]),
    )
  },
)

const isSent = ({ state, move_type }: { readonly state: string; readonly move_type: string }) =>
  state === 'posted' && isSale(move_type)

/** Says of all items of documents whether reminders leave them out. */
async function setFollowUp(
  moves: Records<'account.move'>,
  values: ReadonlyMap<number, unknown>,
): Promise<void> {
  const rows = await moves.browse([...values.keys()]).load(['line_ids'])
  const vals = new Map(
    rows.flatMap(({ id, line_ids: items }) =>
      items.map((item) => [item.id, { no_followup: Boolean(values.get(id)) }] as const),
    ),
  )
  await moves.env
    .model('account.move.line')
    .browse([...vals.keys()])
    .writeEach(vals)
}

const takenFields = [
  'display_type',
  'name',
  'quantity',
  'price_unit',
  'discount',
  'product_id',
  'product_uom_id',
  'account_id',
  'tax_ids',
  'analytic_distribution',
] as const

/** Copies the lines of other documents into drafts. */
async function takeLines(env: Environment, values: ReadonlyMap<number, unknown>): Promise<void> {
  const moves = env.model('account.move')
  const sources = [...values].flatMap(([id, source]) => (typeof source === 'number' ? [{ id, source }] : []))
  const documents = moves.browse([...new Set(sources.map(({ source }) => source))])
  const rows = await documents.load(takenFields.map((field) => `invoice_line_ids.${field}` as const))
  assertNoneMissing(documents, rows)
  const linesOf = new Map(rows.map((row) => [row.id, row.invoice_line_ids]))
  const commandsFrom = (source: number) =>
    (linesOf.get(source) ?? []).map(
      (line): Command => [
        0,
        0,
        {
          display_type: line.display_type,
          name: line.name,
          quantity: line.quantity,
          price_unit: line.price_unit,
          discount: line.discount,
          product_id: line.product_id?.id ?? false,
          product_uom_id: line.product_uom_id?.id ?? false,
          account_id: line.account_id?.id ?? false,
          tax_ids: [[6, 0, line.tax_ids.map((tax) => tax.id)]],
          analytic_distribution: line.analytic_distribution ?? false,
        },
      ],
    )
  await moves
    .browse(sources.map(({ id }) => id))
    .writeEach(new Map(sources.map(({ id, source }) => [id, { invoice_line_ids: commandsFrom(source) }])))
}

export default implement(move, {
  computed: {
    invoice_vendor_bill_id: computed(move, [], () => null, { inverse: takeLines }),
    ...numbers,
    ...warnings,
    invoice_pdf_report_id: prints,
    tax_lock_date_message: locked,
    account_fiscal_country_group_codes: computed(
      move,
      ['company_id.account_fiscal_country_id.country_group_ids.code'],
      ({ company_id: company }) =>
        company?.account_fiscal_country_id?.country_group_ids.flatMap(({ code }) => code ?? []) ?? [],
    ),
    invoice_incoterm_placeholder: computed(
      move,
      ['company_id.incoterm_id.display_name'],
      ({ company_id: company }) => company?.incoterm_id?.display_name ?? null,
    ),
    taxable_supply_date_placeholder: computed(
      move,
      ['invoice_date', 'delivery_date'],
      ({ invoice_date: day, delivery_date: delivered }) => delivered ?? day,
    ),
    move_sent_values: computed(move, ['is_move_sent'], ({ is_move_sent: sent }) =>
      sent ? 'sent' : 'not_sent',
    ),
    no_followup: computed(
      move,
      ['line_ids.no_followup', 'line_ids.display_type'],
      ({ line_ids: items }) => {
        const owed = items.filter((item) => item.display_type === 'payment_term')
        return owed.length > 0 && owed.every((item) => item.no_followup)
      },
      { inverse: (env, values) => setFollowUp(env.model('account.move'), values) },
    ),
    // Comes with modules that send documents to authorities, which must agree before they are cancelled.
    need_cancel_request: computed(move, [], () => false),
    display_link_qr_code: computed(
      move,
      ['move_type', 'company_id.link_qr_code'],
      (entry) => isSale(entry.move_type) && Boolean(entry.company_id?.link_qr_code),
    ),
    display_send_button: computed(move, ['state', 'move_type'], isSent),
    highlight_send_button: computed(
      move,
      ['state', 'move_type', 'is_move_sent'],
      (entry) => isSent(entry) && !entry.is_move_sent,
    ),
    hide_post_button: computed(
      move,
      ['state', 'auto_post', 'date'],
      (entry, env) =>
        entry.state !== 'draft' ||
        (entry.auto_post !== 'no' && entry.date !== null && entry.date > today(env.tz, env.now())),
    ),
    show_journal: computed(
      move,
      ['suitable_journal_ids'],
      ({ suitable_journal_ids: journals }) => journals.length > 1,
    ),
    show_taxable_supply_date: computed(
      move,
      ['taxable_supply_date'],
      ({ taxable_supply_date: day }) => day !== null,
    ),
  },
})
