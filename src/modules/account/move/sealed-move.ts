// Fields and buttons of entries for sealing and reviewing them; sealing.ts and states.ts do the work.
import { boolean, char, computed, extend, implement, integer, type Of, optional } from '#models'
import { sql } from '../../../sql/index.ts'
import { sealByHand, setChecked } from './states.ts'

const move = extend('account.move', {
  rules: {
    sealing: {
      index: ['journal_id', 'sequence_form', 'sequence_number'],
      where: "inalterable_hash = 'pending'",
    },
  },
  fields: {
    checked: boolean({ label: 'Reviewed', copy: false }),
    always_tax_exigible: boolean({ label: 'Always Tax Exigible' }),
    is_storno: boolean({
      label: 'Is Storno',
      computed: true,
      help: 'Items of it are booked by storno: with negative amounts on the sides that they take back.',
    }),
    restrict_mode_hash_table: boolean({
      label: 'Secure Posted Entries with Hash',
      related: 'journal_id.restrict_mode_hash_table',
    }),
    inalterable_hash: char({
      label: 'Inalterability Hash',
      readonly: true,
      copy: false,
      help: 'The hash of a sealed entry in the chain of its journal and series.',
    }),
    secure_sequence_number: integer({
      label: 'Inalterability No Gap Sequence #',
      readonly: true,
      copy: false,
      aggregator: null,
    }),
    secured: boolean({ label: 'Secured', computed: true }),
    show_reset_to_draft_button: boolean({ label: 'Show Reset To Draft Button', computed: true }),
  },
  methods: {
    button_hash: {
      doc: 'Seals posted entries: from then on they cannot be reset to draft, cancelled or changed.',
      params: {},
    },
    button_set_checked: { doc: 'Marks entries as reviewed.', params: {} },
    set_moves_checked: {
      doc: 'Marks entries as reviewed or not.',
      params: { is_checked: optional<boolean>('boolean', true, { annotation: 'bool' }) },
    },
  },
})

declare module '#models' {
  interface AccountMove extends Of<typeof move> {}
}

export default implement(move, {
  computed: {
    secured: computed(move, ['inalterable_hash'], (entry) => entry.inalterable_hash !== null, {
      sql: (scope) => sql`(${scope.column('inalterable_hash')} IS NOT NULL)`,
    }),
    show_reset_to_draft_button: computed(
      move,
      ['state', 'inalterable_hash'],
      (entry) => entry.state !== 'draft' && entry.inalterable_hash === null,
    ),
    is_storno: computed(
      move,
      ['line_ids.is_storno'],
      (entry) => entry.line_ids.some((item) => item.is_storno),
      {
        sql: (scope) =>
          sql`EXISTS (SELECT FROM account_move_line i WHERE i.move_id = ${scope.column('id')} AND i.is_storno)`,
      },
    ),
  },
  methods: {
    button_hash: sealByHand,
    button_set_checked: (moves) => setChecked(moves, true),
    set_moves_checked: (moves, { is_checked }) => setChecked(moves, is_checked),
  },
})
