// The form that numbers entries of a journal anew (account.resequence.wizard). Numbers that somebody may have
// seen stay.
import {
  char,
  computedFields,
  computedTogether,
  date,
  type Environment,
  implement,
  many2many,
  type Of,
  type Records,
  returns,
  selection,
  text,
  transient,
} from '#models'
import { UserError } from '../../../errors.ts'
import { present } from '../../../kit/present.ts'
import { assertWithin } from '../../../limits.ts'
import { idList, sql } from '../../../sql/index.ts'
import { assertAllowed, givenIds } from '../../base/index.ts'
import { isPrinted } from './guards.ts'
import { lockJournals, takeNumberTurns } from './names.ts'
import { HIGHEST_COUNTER, LONGEST_NUMBER, patternOf } from './number-pattern.ts'
import { assertNoneSealed } from './sealing.ts'

const form = transient('account.resequence.wizard', {
  label: 'Remake the sequence of Journal Entries.',
  fields: {
    move_ids: many2many('account.move', {
      label: 'Moves',
      relation: { table: 'account_resequence_move_rel', column: 'form_id', other: 'move_id' },
      help: 'Entries of one journal.',
    }),
    sequence_number_reset: char({
      label: 'Sequence Number Reset',
      computed: true,
      help: 'Period after which numbering restarts: year, month or never.',
    }),
    first_date: date({ label: 'Date (inclusive) from which the numbers are resequenced.', computed: true }),
    end_date: date({ label: 'Date (inclusive) to which the numbers are resequenced.', computed: true }),
    first_name: char({
      label: 'First New Sequence',
      computed: true,
      stored: true,
      readonly: false,
      help: 'The number of the first entry: the others go on from it, in its pattern.',
    }),
    ordering: selection(
      { keep: 'Keep current order', date: 'Reorder by accounting date' },
      { label: 'Ordering', required: true, default: 'keep' },
    ),
    new_values: text({
      label: 'New Values',
      computed: true,
      help: 'JSON: present and new numbers by entry.',
    }),
    preview_moves: text({ label: 'Preview Moves', computed: true, help: 'JSON: the same as lines.' }),
  },
  methods: {
    resequence: {
      doc: 'Renumbers the entries. Documents, payments, and entries that were printed, sent or sealed keep their numbers.',
      params: {},
      returns: returns<null>('nothing', 'None'),
    },
  },
})

declare module '#models' {
  interface Models {
    'account.resequence.wizard': Resequence
  }
  interface Resequence extends Of<typeof form> {}
}

interface Entry {
  readonly id: number
  readonly name: string | null
  readonly date: string | null
  readonly sequence_prefix: string | null
  readonly sequence_number: number
}

const entryPaths = [
  'move_ids.name',
  'move_ids.date',
  'move_ids.sequence_prefix',
  'move_ids.sequence_number',
] as const

const byText = (a: string | null, b: string | null) => (a ?? '').localeCompare(b ?? '')
const byNumber = (a: Entry, b: Entry) =>
  byText(a.sequence_prefix, b.sequence_prefix) || a.sequence_number - b.sequence_number || a.id - b.id
const orders = {
  keep: byNumber,
  date: (a: Entry, b: Entry) => byText(a.date, b.date) || byNumber(a, b),
}

/** New numbers in the pattern of the first one. Entries of another period begin its numbers with 1. */
function numbersFrom(first: string, entries: readonly Entry[]): Map<number, string> {
  if (first.length > LONGEST_NUMBER)
    throw new UserError(`The number is too long: at most ${LONGEST_NUMBER} characters.`)
  const [begin] = entries
  const pattern = patternOf(first, begin?.date ?? null)
  if (!pattern)
    throw new UserError(`${JSON.stringify(first)} has no counter: enter a number such as MISC/2025/0001.`)
  const beginForm = pattern.at(begin?.date ?? '').form
  const next = new Map([[beginForm, pattern.number]])
  return new Map(
    entries.map(({ id, date: day }) => {
      const { form: series, name } = pattern.at(present(day))
      const number = next.get(series) ?? 1
      if (number > HIGHEST_COUNTER)
        throw new UserError(
          `A counter cannot exceed ${HIGHEST_COUNTER}: start with a lower number than ${first}.`,
        )
      next.set(series, number + 1)
      return [id, name(number)]
    }),
  )
}

/** Number of the first entry: that of the lowest. */
const firstName = (entries: readonly Entry[]) => entries.toSorted(byNumber)[0]?.name ?? null

function proposedNumbers(first: string | null, entries: readonly Entry[]) {
  const dated = entries.filter((entry) => entry.date !== null)
  if (!first || first.length > LONGEST_NUMBER || !patternOf(first, dated[0]?.date ?? null)) return null
  return {
    keep: numbersFrom(first, dated.toSorted(orders.keep)),
    date: numbersFrom(first, dated.toSorted(orders.date)),
  }
}

const shown = computedFields(
  form,
  ['first_date', 'end_date', 'sequence_number_reset', 'new_values', 'preview_moves'],
  [...entryPaths, 'first_name', 'ordering'],
  (forms) =>
    new Map(
      forms.map(({ id, first_name: first, ordering, move_ids: entries }) => {
        const days = entries.flatMap((entry) => entry.date ?? []).sort()
        const numbers = proposedNumbers(first, entries)
        const lines = entries.toSorted(orders[ordering]).map((entry) => ({
          id: entry.id,
          current_name: entry.name,
          date: entry.date,
          new_by_name: numbers?.keep.get(entry.id) ?? null,
          new_by_date: numbers?.date.get(entry.id) ?? null,
        }))
        return [
          id,
          {
            first_date: days[0] ?? null,
            end_date: days.at(-1) ?? null,
            sequence_number_reset: resetOf(first, days[0] ?? null),
            new_values: JSON.stringify(Object.fromEntries(lines.map((line) => [line.id, line]))),
            preview_moves: JSON.stringify({ ordering, changeLines: lines }),
          },
        ]
      }),
    ),
)

/** The period that a number names, after which its counter begins again. */
function resetOf(name: string | null, day: string | null): string | null {
  const pattern = name ? patternOf(name, day) : null
  if (!pattern || !day) return null
  const year = day.slice(0, 4)
  const series = [`${year}-01-15`, `${year}-02-15`, `${Number(year) + 1}-01-15`].map(
    (moment) => pattern.at(moment).form,
  )
  return series[0] !== series[1] ? 'month' : series[0] !== series[2] ? 'year' : 'never'
}

/** Throws UserError for numbers that stay: somebody may have them on paper, or in books of their own. */
async function assertRenumberable(env: Environment, moves: readonly number[]): Promise<void> {
  const rows = await env.rows(
    sql`SELECT m.name, m.inalterable_hash, j.restrict_mode_hash_table, m.posted_before AND m.move_type <> 'entry',
      m.origin_payment_id IS NOT NULL OR m.statement_line_id IS NOT NULL, m.is_move_sent, ${isPrinted}
    FROM account_move m JOIN account_journal j ON j.id = m.journal_id WHERE m.id = ANY(${idList(moves)}) ORDER BY m.id`,
    {
      reads: ['account.move', 'account.journal', 'ir.attachment'],
      row: ['text?', 'text?', 'bool?', 'bool?', 'bool', 'bool?', 'bool'],
    },
  )
  assertNoneSealed(
    rows.map(([name, inalterable_hash]) => ({ name, inalterable_hash })),
    'given another number',
  )
  for (const [name, , isSealing, isIssued, isPayment, isSent, wasPrinted] of rows) {
    const reason = isSealing
      ? 'is in a sealed journal'
      : isIssued
        ? 'was issued'
        : isPayment
          ? 'belongs to a payment or to the bank'
          : isSent
            ? 'was sent'
            : wasPrinted && 'was printed'
    if (reason)
      throw new UserError(
        `${name ?? 'The entry'} ${reason}, so its number cannot change: remove it from the selection.`,
      )
  }
}

/** Throws UserError for numbers of other entries of the journal. */
async function assertFree(
  env: Environment,
  journal: number,
  names: ReadonlyMap<number, string>,
): Promise<void> {
  const rows = await env.rows(
    sql`SELECT m.name FROM account_move m WHERE m.journal_id = ${journal}::int AND m.name = ANY(${[...names.values()]}::text[])
      AND m.id <> ALL(${idList([...names.keys()])}) LIMIT 1`,
    { reads: ['account.move'], row: ['text'] },
  )
  if (rows[0]) throw new UserError(`Another entry has the number ${rows[0][0]}: start with a higher number.`)
}

/** Posted entries are drafts while they get their numbers: those are swapped without two being the same. */
async function resequence(forms: Records<'account.resequence.wizard'>): Promise<null> {
  const { env } = forms
  const row = await forms.one([
    ...entryPaths,
    'move_ids.state',
    'move_ids.journal_id',
    'first_name',
    'ordering',
  ])
  const { move_ids: entries } = row
  const moves = env.model('account.move').browse(entries.map(({ id }) => id))
  await takeNumberTurns(env, moves.ids)
  await assertAllowed(moves, 'write')
  assertWithin('records', entries.length)
  const [journal, ...others] = new Set(entries.map(({ journal_id: of }) => of.id))
  if (journal === undefined) throw new UserError('No entries selected: choose the entries to renumber.')
  if (others.length)
    throw new UserError(
      'Entries of several journals cannot be renumbered together: choose the entries of one journal.',
    )
  await lockJournals(env, moves.ids)
  await assertRenumberable(env, moves.ids)
  const undated = entries.find((entry) => entry.date === null)
  if (undated)
    throw new UserError(
      `${undated.name ?? 'An entry'} has no date: set a date, or remove it from the selection.`,
    )
  const names = numbersFrom(row.first_name ?? '', entries.toSorted(orders[row.ordering]))
  await assertFree(env, journal, names)
  const posted = moves.browse(entries.flatMap(({ id, state }) => (state === 'posted' ? id : [])))
  if (posted.length) await posted.button_draft()
  await moves.writeEach(new Map([...names].map(([id, name]) => [id, { name }])))
  if (posted.length) await posted.action_post()
  return null
}

export default implement(form, {
  defaults: {
    move_ids: ({ context }) => (context.active_model === 'account.move' ? givenIds(context.active_ids) : []),
  },
  computed: {
    ...shown,
    // Entries are read here: as dependencies, each posting would look for forms.
    first_name: computedTogether(form, ['move_ids'], async (forms, env) => {
      const rows = await env
        .model('account.move')
        .browse([...new Set(forms.flatMap(({ move_ids: entries }) => entries.map(({ id }) => id)))])
        .load(['name', 'date', 'sequence_prefix', 'sequence_number'])
      const byId = new Map(rows.map((entry) => [entry.id, entry]))
      return new Map(
        forms.map(({ id, move_ids: entries }) => [
          id,
          firstName(entries.flatMap((entry) => byId.get(entry.id) ?? [])),
        ]),
      )
    }),
  },
  methods: { resequence },
})
