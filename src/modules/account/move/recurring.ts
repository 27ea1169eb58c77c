// Entries that are posted on their date by themselves, and those of them that recur (account.move).
import { date, type Environment, extend, implement, many2one, type Of, type Records } from '#models'
import { UserError, ValidationError } from '../../../errors.ts'
import { addMonths, today } from '../../../kit/dates.ts'
import { idList, sql } from '../../../sql/index.ts'
import { assertAllowed } from '../../base/index.ts'

type Moves = Records<'account.move'>

const move = extend('account.move', {
  fields: {
    auto_post_until: date({ label: 'Auto-post until', copy: false }),
    auto_post_origin_id: many2one('account.move', {
      label: 'First recurring entry',
      readonly: true,
      copy: false,
      ondelete: 'set null',
    }),
  },
  methods: {
    autopost_draft_entries: {
      doc: 'Posts the drafts whose date has come and that are to be posted on it. Entries that lack something stay drafts.',
      level: 'model',
      params: {},
    },
  },
})

declare module '#models' {
  interface AccountMove extends Of<typeof move> {}
}

/** Months between one entry and the next. */
const intervals: Readonly<Record<string, number>> = { monthly: 1, quarterly: 3, yearly: 12 }
export const isRecurring = (autoPost: string): boolean => autoPost in intervals
/** Entries that one run posts at most: the next run goes on. */
const MOST = 500

async function postDue(env: Environment): Promise<void> {
  const due = await env.model('account.move').search(
    [
      ['state', '=', 'draft'],
      ['auto_post', '!=', 'no'],
      ['date', '<=', today(env.tz, env.now())],
    ],
    { order: 'date, id', limit: MOST },
  )
  for (const id of due.ids)
    try {
      await env.unit.savepoint(() => env.model('account.move').browse([id]).action_post({}))
    } catch (error) {
      if (!(error instanceof UserError || error instanceof ValidationError)) throw error
    }
}

const monthsOf = (date: string) => Number(date.slice(0, 4)) * 12 + Number(date.slice(5, 7))

/** Drafts of the entries that follow posted ones that recur, up to their last day, each once. */
export async function draftNext(moves: Moves): Promise<void> {
  const rows = await moves.load([
    'auto_post',
    'auto_post_until',
    'auto_post_origin_id.date',
    'date',
    'invoice_date',
  ])
  const origins = rows.map((row) => row.auto_post_origin_id?.id ?? row.id)
  const later = await moves.env.rows(
    sql`SELECT auto_post_origin_id, max(date)::text FROM account_move WHERE auto_post_origin_id = ANY(${idList(origins)}) GROUP BY 1`,
    { reads: ['account.move'], row: ['int', 'text'] },
  )
  const last = new Map(later)
  for (const row of rows) {
    const origin = row.auto_post_origin_id ?? row
    const step = intervals[row.auto_post]
    if (step === undefined || !row.date || (last.get(origin.id) ?? '') > row.date) continue
    // Counted from the first entry: one of the 31st comes back to the 31st after a short month.
    const start = origin.date ?? row.date
    const day = addMonths(start, monthsOf(row.date) - monthsOf(start) + step)
    if (row.auto_post_until && day > row.auto_post_until) continue
    await moves.browse([row.id]).copy({
      auto_post: row.auto_post,
      auto_post_until: row.auto_post_until ?? false,
      auto_post_origin_id: origin.id,
      date: day,
      invoice_date:
        row.invoice_date === row.date ? day : row.invoice_date ? addMonths(row.invoice_date, step) : false,
    })
  }
}

export default implement(move, {
  methods: {
    autopost_draft_entries: async ({ env }) => {
      await assertAllowed(env.model('account.move').browse([]), 'write')
      await postDue(env)
      return null
    },
  },
})
