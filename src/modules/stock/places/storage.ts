// Where goods are put away: rules by product and category (stock.putaway.rule), and how much fits where
// (stock.storage.category, stock.storage.category.capacity).
import {
  boolean,
  char,
  computed,
  float,
  implement,
  integer,
  many2many,
  many2one,
  model,
  type Of,
  one2many,
  selection,
} from '#models'

const category = model('stock.storage.category', {
  label: 'Storage Category',
  order: 'name, id',
  fields: {
    name: char({ label: 'Storage Category', required: true }),
    max_weight: float({ label: 'Highest Weight', precision: 'Stock Weight' }),
    capacity_ids: one2many('stock.storage.category.capacity', 'storage_category_id', {
      label: 'Capacities',
      copy: true,
    }),
    allow_new_product: selection(
      { empty: 'Into empty places', same: 'With the same product', mixed: 'With any product' },
      { label: 'Allowed Contents', required: true, default: 'mixed' },
    ),
    location_ids: one2many('stock.location', 'storage_category_id', { label: 'Places' }),
    company_id: many2one('res.company', { label: 'Company' }),
  },
})

const capacity = model('stock.storage.category.capacity', {
  label: 'Storage Category Capacity',
  order: 'storage_category_id, id',
  recName: 'storage_category_id',
  rules: {
    positive: { check: 'quantity > 0', message: 'A capacity must be more than 0.' },
    of_product: {
      unique: ['product_id', 'storage_category_id'],
      message: 'The storage category already has a capacity for this product.',
    },
    of_package: {
      unique: ['package_type_id', 'storage_category_id'],
      message: 'The storage category already has a capacity for this package type.',
    },
  },
  fields: {
    storage_category_id: many2one('stock.storage.category', {
      label: 'Storage Category',
      required: true,
      ondelete: 'cascade',
      index: true,
    }),
    product_id: many2one('product.product', { label: 'Product', ondelete: 'cascade', index: true }),
    package_type_id: many2one('stock.package.type', {
      label: 'Type of Package',
      ondelete: 'cascade',
      index: true,
    }),
    quantity: float({ label: 'Quantity', required: true }),
    product_uom_id: many2one('uom.uom', { label: 'Unit', related: 'product_id.uom_id' }),
    company_id: many2one('res.company', { label: 'Company', related: 'storage_category_id.company_id' }),
  },
})

const putaway = model('stock.putaway.rule', {
  label: 'Put-away Rule',
  order: 'sequence, id',
  recName: 'location_out_id',
  fields: {
    product_id: many2one('product.product', {
      label: 'Product',
      checkCompany: true,
      ondelete: 'cascade',
      index: true,
    }),
    category_id: many2one('product.category', { label: 'Category', ondelete: 'cascade', index: true }),
    location_in_id: many2one('stock.location', {
      label: 'What Arrives In',
      required: true,
      checkCompany: true,
      ondelete: 'cascade',
      index: true,
    }),
    location_out_id: many2one('stock.location', {
      label: 'Is Stored In',
      required: true,
      checkCompany: true,
      ondelete: 'cascade',
    }),
    sequence: integer({ label: 'Priority', help: 'Rules with small numbers come first.' }),
    company_id: many2one('res.company', {
      label: 'Company',
      required: true,
      index: true,
      ondelete: 'cascade',
    }),
    package_type_ids: many2many('stock.package.type', { label: 'Types of Packages' }),
    storage_category_id: many2one('stock.storage.category', {
      label: 'Storage Category',
      ondelete: 'cascade',
    }),
    sublocation: selection(
      {
        no: 'The place itself',
        last_used: 'The place that was used last',
        closest_location: 'The closest place with room',
      },
      { label: 'Place Below', default: 'no' },
    ),
    active: boolean({ label: 'Active', default: true }),
  },
})

declare module '#models' {
  interface Models {
    'stock.storage.category': StorageCategory
    'stock.storage.category.capacity': StorageCategoryCapacity
    'stock.putaway.rule': PutawayRule
  }
  interface StorageCategory extends Of<typeof category> {}
  interface StorageCategoryCapacity extends Of<typeof capacity> {}
  interface PutawayRule extends Of<typeof putaway> {}
}

export const storage = [
  implement(category),
  implement(capacity),
  implement(putaway, {
    defaults: { company_id: (env) => env.companyId },
    checks: {
      'The storage location must be within the location where the goods arrive.': computed(
        putaway,
        ['location_in_id.parent_path', 'location_out_id.parent_path'],
        (putaway) =>
          (putaway.location_out_id.parent_path ?? '').startsWith(putaway.location_in_id.parent_path ?? ''),
      ),
    },
  }),
] as const
