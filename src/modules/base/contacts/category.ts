// Tags of contacts (res.partner.category): a tree whose records are called by their whole path, "A / B / C".
import { randomInt } from 'node:crypto'
import {
  boolean,
  char,
  computed,
  implement,
  integer,
  many2many,
  many2one,
  model,
  type Of,
  one2many,
} from '#models'
import { sql } from '../../../sql/index.ts'
import { isNegative, isPattern, positive } from './search-names.ts'

const category = model('res.partner.category', {
  label: 'Partner Tags',
  formsBySaving: true,
  dictionary: true,
  order: 'name, id',
  parent: 'parent_id',
  parentStore: true,
  fields: {
    name: char({ label: 'Name', required: true, translate: true }),
    color: integer({ label: 'Color', default: 0 }),
    parent_id: many2one('res.partner.category', { label: 'Category', ondelete: 'cascade', index: true }),
    child_ids: one2many('res.partner.category', 'parent_id', { label: 'Child Tags' }),
    active: boolean({
      label: 'Active',
      default: true,
      help: 'Archived tags stay on records but can no longer be selected.',
    }),
    parent_path: char({ label: 'Parent Path', index: true, copy: false }),
    partner_ids: many2many('res.partner', { label: 'Partners', copy: false }),
  },
})

declare module '#models' {
  interface Models {
    'res.partner.category': Category
  }
  interface Category extends Of<typeof category> {}
}

const wholeName = computed(
  category,
  ['name', 'parent_id.display_name'],
  (tag) => (tag.parent_id ? `${tag.parent_id.display_name} / ${tag.name}` : tag.name),
  {
    // Ancestors stand in the stored path; the shorter their own path, the higher they are.
    sql: (scope) => {
      const name = scope.model.fields.get('name')
      const above = scope.nested(scope.model)
      const value = name && above.value(name)
      if (!value) return null
      const path = above.column('parent_path')
      return sql`(SELECT string_agg(${value}, ' / ' ORDER BY length(${path})) FROM ${above.from()} WHERE ${above.id} = ANY(string_to_array(rtrim(${scope.column('parent_path')}, '/'), '/')::int[]))`
    },
    /**
     * By the tag's own name; patterns find everything below a match too (spec/models-api.md section 2,
     * "Display names").
     */
    search: async (operator, value, env) => {
      const domain = [['name', positive(operator), value]]
      if (!isPattern(operator)) return isNegative(operator) ? ['!', ...domain] : domain
      const categories = await env
        .model('res.partner.category')
        .withContext({ active_test: false })
        .search(domain as never)
      const below = [['id', 'child_of', categories.ids]]
      return isNegative(operator) ? ['!', ...below] : below
    },
  },
)

export default implement(category, {
  displayName: wholeName,
  // One of the eleven colours that clients paint tags with.
  defaults: { color: () => randomInt(1, 12) },
})
