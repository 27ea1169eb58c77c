// Categories of the till (pos.category): the tree of buttons that a till shows, each within its hours of the
// day.
import {
  binary,
  boolean,
  char,
  computed,
  computedTogether,
  float,
  implement,
  integer,
  many2one,
  model,
  type Of,
  one2many,
  returns,
} from '#models'
import { UserError } from '../../../errors.ts'
import { idList, sql } from '../../../sql/index.ts'
import { markCopies } from '../../base/index.ts'

const category = model('pos.category', {
  label: 'Point of Sale Category',
  dictionary: true,
  formsBySaving: true,
  order: 'sequence, name, id',
  parent: 'parent_id',
  fields: {
    name: char({ label: 'Category Name', required: true, translate: true }),
    parent_id: many2one('pos.category', { label: 'Parent Category', index: true, ondelete: 'restrict' }),
    child_ids: one2many('pos.category', 'parent_id', { label: 'Children Categories' }),
    sequence: integer({ label: 'Sequence', help: 'Records with lower numbers come first.' }),
    image_512: binary({ label: 'Image', image: true, maxWidth: 512 }),
    image_128: binary({
      label: 'Image 128',
      asStored: true,
      image: true,
      maxWidth: 128,
      related: 'image_512',
    }),
    color: integer({ label: 'Color', default: 0 }),
    hour_after: float({
      label: 'Availability After',
      default: 0,
      help: 'The hour of the day from which it is shown.',
    }),
    hour_until: float({
      label: 'Availability Until',
      default: 24,
      help: 'The hour of the day until which it is shown.',
    }),
    has_image: boolean({ label: 'Has Image', computed: true }),
  },
  methods: {
    get_default_color: {
      doc: 'A color for a new category: the next one after the categories that there are.',
      readonly: true,
      params: {},
      returns: returns<number>('integer', 'int'),
    },
  },
})

declare module '#models' {
  interface Models {
    'pos.category': PosCategory
  }
  interface PosCategory extends Of<typeof category> {}
}

/** Colors that clients tell apart. */
const COLORS = 11
const HOURS = 'The hours of a category must be between 0 and 24, the first before the second.'

export default implement(category, {
  displayName: computedTogether(category, ['name'], async (categories, env) => {
    const rows = await env.rows(
      sql`WITH RECURSIVE up(id, parent, depth, name) AS (
        SELECT c.id, c.parent_id, 0, COALESCE(c.name->>${env.lang}, c.name->>'en_US') FROM pos_category c
        WHERE c.id = ANY(${idList(categories.map(({ id }) => id))})
        UNION ALL SELECT u.id, c.parent_id, u.depth + 1, COALESCE(c.name->>${env.lang}, c.name->>'en_US')
        FROM up u JOIN pos_category c ON c.id = u.parent WHERE u.depth < 100)
      SELECT id, string_agg(name, ' / ' ORDER BY depth DESC) FROM up GROUP BY id`,
      { reads: ['pos.category'], row: ['int', 'text'] },
    )
    return new Map(rows.map((row) => [row[0], row[1]]))
  }),
  computed: {
    has_image: computedTogether(category, [], async (categories, env) => {
      const rows = await env.rows(
        sql`SELECT res_id FROM ir_attachment WHERE res_model = 'pos.category' AND res_field = 'image_512'
        AND res_id = ANY(${idList(categories.map(({ id }) => id))})`,
        { reads: ['ir.attachment'], row: ['int'] },
      )
      const pictured = new Set(rows.map((row) => row[0]))
      return new Map(categories.map(({ id }) => [id, pictured.has(id)]))
    }),
  },
  methods: {
    get_default_color: async (categories) => (await categories.searchCount([])) % COLORS,
  },
  checks: {
    [HOURS]: computed(
      category,
      ['hour_after', 'hour_until'],
      (category) =>
        category.hour_after >= 0 && category.hour_until <= 24 && category.hour_after < category.hour_until,
    ),
  },
  wrapGeneric: {
    copy_data: markCopies,
    unlink: (next) => async (categories, params) => {
      const open = await categories.env.rows(sql`SELECT 1 FROM pos_session WHERE state <> 'closed' LIMIT 1`, {
        reads: ['pos.session'],
        row: ['int'],
      })
      if (open.length)
        throw new UserError('Categories cannot be deleted while a session is open: close all sessions first.')
      return next(categories, params)
    },
  },
})
