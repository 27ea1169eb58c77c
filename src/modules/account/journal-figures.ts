// Figures of journals: their entries, gaps in their numbers, and entries that are not sealed.
import { boolean, computedFields, type Environment, extend, implement, integer, type Of } from '#models'
import { idList, sql } from '../../sql/index.ts'

const journal = extend('account.journal', {
  fields: {
    entries_count: integer({ label: 'Entries Count', computed: true }),
    has_entries: boolean({ label: 'Has Entries', computed: true }),
    has_posted_entries: boolean({ label: 'Has Posted Entries', computed: true }),
    has_unhashed_entries: boolean({
      label: 'Unhashed Entries',
      computed: true,
      help: 'The journal seals posted entries, but has entries that were posted before sealing was switched on.',
    }),
    has_sequence_holes: boolean({
      label: 'Has Sequence Holes',
      computed: true,
      help: 'Numbers are missing in a series of the journal.',
    }),
  },
})

declare module '#models' {
  interface Journal extends Of<typeof journal> {}
}

/** Entries that `account_move_mark` (move/sealing.ts) leaves out are not counted as unsealed. */
const figuresOf = (env: Environment, journals: readonly number[]) =>
  env.rows(
    sql`SELECT j.id, count(m.id)::int, count(m.id) FILTER (WHERE m.state = 'posted')::int,
      count(m.id) FILTER (WHERE m.state = 'posted' AND m.inalterable_hash IS NULL AND j.restrict_mode_hash_table
        AND (m.statement_line_id IS NULL OR j.type NOT IN ('bank', 'cash', 'credit')))::int,
      EXISTS (SELECT FROM account_move n WHERE n.journal_id = j.id AND n.sequence_number > 0 GROUP BY n.sequence_form
        HAVING max(n.sequence_number) - min(n.sequence_number) >= count(DISTINCT n.sequence_number))
    FROM account_journal j LEFT JOIN account_move m ON m.journal_id = j.id WHERE j.id = ANY(${idList([...journals])}) GROUP BY j.id`,
    { reads: ['account.journal', 'account.move'], row: ['int', 'int', 'int', 'int', 'bool'] },
  )

const figures = computedFields(
  journal,
  ['entries_count', 'has_entries', 'has_posted_entries', 'has_unhashed_entries', 'has_sequence_holes'],
  [],
  async (journals, env) => {
    const rows = await figuresOf(
      env,
      journals.map(({ id }) => id),
    )
    return new Map(
      rows.map(([id, entries, posted, unsealed, hasHoles]) => [
        id,
        {
          entries_count: entries,
          has_entries: entries > 0,
          has_posted_entries: posted > 0,
          has_unhashed_entries: unsealed > 0,
          has_sequence_holes: hasHoles,
        },
      ]),
    )
  },
)

export default implement(journal, { computed: figures })
