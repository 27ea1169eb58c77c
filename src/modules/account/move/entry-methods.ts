// Calls on several entries at once, and questions about them (account.move): currencies, duplicates, reviews,
// series of numbers.
import { extend, implement, type Of, type Records, required, returns } from '#models'
import { UserError } from '../../../errors.ts'
import { isDate } from '../../../kit/dates.ts'
import { idList, sql } from '../../../sql/index.ts'
import { assertAllowed, assertNoneMissing, ratesOn } from '../../base/index.ts'

const nothing = { params: {} } as const

const move = extend('account.move', {
  fields: {},
  methods: {
    action_activate_currency: { doc: 'Activates the currencies of documents.', ...nothing },
    action_delete_duplicates: {
      doc: 'Deletes drafts with the same reference, date and amount as these documents.',
      ...nothing,
    },
    action_validate_moves_with_confirmation: { doc: 'Posts drafts, as `action_post` does.', ...nothing },
    check_selected_moves: { doc: 'Marks entries as reviewed.', ...nothing },
    check_move_sequence_chain: {
      doc: 'Whether the numbers of entries follow the previous ones without a gap.',
      readonly: true,
      params: {},
      returns: returns<boolean>('boolean', 'bool'),
    },
    compute_move_sent_values: { doc: 'Has no effect: the value is computed automatically.', ...nothing },
    get_currency_rate: {
      doc: "Returns the value of one unit of a company's currency in another currency on a date.",
      readonly: true,
      params: {
        company_id: required<number>('integer', { annotation: 'int' }),
        to_currency_id: required<number>('integer', { annotation: 'int' }),
        date: required<string>('string', { doc: 'YYYY-MM-DD', annotation: 'str' }),
      },
      returns: returns<number>('number', 'float'),
    },
    get_extra_print_items: {
      doc: 'Files that are printed in addition to the reports. Modules add theirs.',
      readonly: true,
      params: {},
      returns: returns<object[]>('array', 'list[dict]'),
    },
    get_invoice_localisation_fields_required_to_invoice: {
      doc: 'Returns the names of fields of invoices that a country requires: none.',
      level: 'model',
      readonly: true,
      params: { country_id: required<unknown>('any', { annotation: 'int' }) },
      returns: returns<string[]>('array', 'list[str]'),
    },
    button_request_cancel: {
      doc: 'Requests the cancellation from an authority, where one has to agree.',
      ...nothing,
    },
  },
})

declare module '#models' {
  interface AccountMove extends Of<typeof move> {}
}

type Moves = Records<'account.move'>

async function activateCurrencies(moves: Moves): Promise<null> {
  await assertAllowed(moves, 'write')
  const rows = await moves.load(['currency_id.active'])
  const asleep = rows.flatMap(({ currency_id: currency }) => (currency.active ? [] : currency.id))
  if (asleep.length)
    await moves.env
      .model('res.currency')
      .browse([...new Set(asleep)])
      .write({ active: true })
  return null
}

async function removeDuplicates(moves: Moves): Promise<null> {
  await assertAllowed(moves, 'unlink')
  const rows = await moves.load(['duplicated_ref_ids.state'])
  const drafts = rows.flatMap(({ duplicated_ref_ids: others }) =>
    others.flatMap(({ id, state }) => (state === 'draft' && !moves.ids.includes(id) ? id : [])),
  )
  if (drafts.length) await moves.browse([...new Set(drafts)]).unlink()
  return null
}

async function isUnbroken(moves: Moves): Promise<boolean> {
  await assertAllowed(moves, 'read')
  const rows = await moves.env.rows(
    sql`SELECT m.id FROM account_move m WHERE m.id = ANY(${idList(moves.ids)}) AND m.sequence_number > 1 AND NOT EXISTS (
      SELECT FROM account_move o WHERE o.journal_id = m.journal_id AND o.sequence_form = m.sequence_form
        AND o.sequence_number = m.sequence_number - 1) LIMIT 1`,
    { reads: ['account.move'], row: ['int'] },
  )
  return rows.length === 0
}

/** Throws UserError for texts that are not a day, AccessError for companies that the caller may not read. */
async function rateOf(moves: Moves, company: number, currency: number, day: string): Promise<number> {
  await assertAllowed(moves, 'read')
  await assertAllowed(moves.env.model('res.company').browse([company]), 'read')
  if (!isDate(day)) throw new UserError('Enter a date as YYYY-MM-DD, such as 2025-03-31.')
  const [rate] = await ratesOn(moves.env, [{ company, currency, day }])
  return rate ?? 1
}

export default implement(move, {
  methods: {
    action_activate_currency: activateCurrencies,
    action_delete_duplicates: removeDuplicates,
    action_validate_moves_with_confirmation: async (moves) => {
      await moves.action_post()
      return null
    },
    check_selected_moves: async (moves) => {
      await moves.set_moves_checked()
      return null
    },
    check_move_sequence_chain: isUnbroken,
    compute_move_sent_values: async (moves) => {
      assertNoneMissing(moves, await moves.load(['is_move_sent']))
      return null
    },
    get_currency_rate: (moves, { company_id, to_currency_id, date }) =>
      rateOf(moves, company_id, to_currency_id, date),
    get_extra_print_items: async (moves) => {
      await assertAllowed(moves, 'read')
      return []
    },
    get_invoice_localisation_fields_required_to_invoice: () => [],
    button_request_cancel: async (moves) => {
      await assertAllowed(moves, 'write')
      throw new UserError('No approval of an authority is required: cancel the entry directly.')
    },
  },
})
