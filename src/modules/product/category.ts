// Categories of products (product.category): a tree whose records are called by their whole path, "All /
// Drinks / Hot".
import {
  char,
  computed,
  computedTogether,
  implement,
  integer,
  many2one,
  model,
  type Of,
  one2many,
} from '#models'
import { idList, sql } from '../../sql/index.ts'
import { markCopies } from '../base/index.ts'

const category = model('product.category', {
  label: 'Product Category',
  dictionary: true,
  formsBySaving: true,
  order: 'complete_name, id',
  recName: 'complete_name',
  parent: 'parent_id',
  parentStore: true,
  fields: {
    name: char({ label: 'Name', required: true, index: 'trigram' }),
    complete_name: char({ label: 'Complete Name', computed: true, stored: true }),
    parent_id: many2one('product.category', { label: 'Parent Category', ondelete: 'cascade', index: true }),
    parent_path: char({ label: 'Parent Path', index: true, copy: false }),
    child_id: one2many('product.category', 'parent_id', { label: 'Child Categories' }),
    product_count: integer({
      label: '# Products',
      computed: true,
      help: 'Products of the category and all below it.',
    }),
  },
})

declare module '#models' {
  interface Models {
    'product.category': ProductCategory
  }
  interface ProductCategory extends Of<typeof category> {}
}

const flat = (context: Readonly<Record<string, unknown>>) =>
  'hierarchical_naming' in context && !context.hierarchical_naming

export default implement(category, {
  displayName: computed(
    category,
    ['name', 'complete_name'],
    (category, env) => (flat(env.context) ? category.name : (category.complete_name ?? category.name)),
    {
      context: ['hierarchical_naming'],
      sql: (scope) => scope.column(flat(scope.env.context) ? 'name' : 'complete_name'),
    },
  ),
  computed: {
    complete_name: computed(category, ['name', 'parent_id.complete_name'], (category) =>
      category.parent_id ? `${category.parent_id.complete_name} / ${category.name}` : category.name,
    ),
    product_count: computedTogether(category, [], async (categories, env) => {
      const ids = categories.map(({ id }) => id)
      const rows = await env.rows(
        sql`SELECT c.id, count(t.id)::int FROM product_category c
        JOIN product_category below ON below.parent_path LIKE c.parent_path || '%'
        JOIN product_template t ON t.categ_id = below.id AND t.active WHERE c.id = ANY(${idList(ids)}) GROUP BY c.id`,
        { reads: ['product.category', 'product.template'], row: ['int', 'int'] },
      )
      return new Map([...ids.map((id) => [id, 0] as const), ...rows.map((row) => [row[0], row[1]] as const)])
    }),
  },
  wrapGeneric: {
    copy_data: markCopies,
    // The naming field is the path; what is given is the last part of it.
    name_create:
      () =>
      async (categories, { name }) => {
        const createdCategory = await categories.create([{ name: name as string }])
        const { display_name } = await createdCategory.one(['display_name'])
        return [createdCategory.ids[0], display_name]
      },
  },
})
