// Records next to moves that other systems keep: references between documents and their moves
// (stock.reference), the history of packages (stock.package.history), reasons of scrap
// (stock.scrap.reason.tag).
import {
  char,
  computed,
  extend,
  implement,
  integer,
  many2many,
  many2one,
  model,
  type Of,
  one2many,
} from '#models'
import { referenceWritable } from '../writable.ts'

const moves = { table: 'stock_reference_move_rel', column: 'reference_id', other: 'move_id' } as const

const reference = model('stock.reference', {
  label: 'Reference of Stock Documents',
  order: 'id desc',
  fields: {
    name: char({ label: 'Reference', required: true, index: true }),
    move_ids: many2many('stock.move', { label: 'Stock Moves', relation: moves }),
    picking_ids: many2many('stock.picking', { label: 'Transfers', computed: true }),
  },
})

const history = model('stock.package.history', {
  label: 'Package History',
  order: 'id',
  recName: 'package_name',
  fields: {
    company_id: many2one('res.company', { label: 'Company', required: true, index: true }),
    package_id: many2one('stock.package', {
      label: 'Package',
      required: true,
      ondelete: 'cascade',
      index: true,
    }),
    package_name: char({ label: 'Name of the Package', required: true }),
    package_type_id: many2one('stock.package.type', {
      label: 'Type of Package',
      related: 'package_id.package_type_id',
    }),
    location_id: many2one('stock.location', { label: 'From' }),
    location_dest_id: many2one('stock.location', { label: 'To' }),
    parent_orig_id: many2one('stock.package', { label: 'Container Before', ondelete: 'set null' }),
    parent_orig_name: char({ label: 'Name of the Container Before' }),
    parent_dest_id: many2one('stock.package', { label: 'Container After', ondelete: 'set null' }),
    parent_dest_name: char({ label: 'Name of the Container After' }),
    outermost_dest_id: many2one('stock.package', { label: 'Outermost Container', ondelete: 'set null' }),
    move_line_ids: one2many('stock.move.line', 'package_history_id', { label: 'Details of Moves' }),
    picking_ids: many2many('stock.picking', { label: 'Transfers' }),
  },
})

const reason = model('stock.scrap.reason.tag', {
  label: 'Reason for Scrap',
  order: 'sequence, id',
  rules: { name_uniq: { unique: ['name'], message: 'A reason with this name already exists.' } },
  fields: {
    name: char({ label: 'Name', required: true, translate: true }),
    sequence: integer({ label: 'Sequence', default: 10 }),
    color: char({ label: 'Color', default: '#3C3C3C' }),
  },
})

const move = extend('stock.move', {
  fields: {
    reference_ids: many2many('stock.reference', {
      label: 'References',
      relation: { table: moves.table, column: moves.other, other: moves.column },
    }),
  },
})

declare module '#models' {
  interface Models {
    'stock.reference': StockReference
    'stock.package.history': StockPackageHistory
    'stock.scrap.reason.tag': StockScrapReasonTag
  }
  interface StockReference extends Of<typeof reference> {}
  interface StockPackageHistory extends Of<typeof history> {}
  interface StockScrapReasonTag extends Of<typeof reason> {}
  interface StockMove extends Of<typeof move> {}
}

export const references = [
  implement(reference, {
    writable: referenceWritable,
    computed: {
      picking_ids: computed(reference, ['move_ids.picking_id'], (reference) => [
        ...new Set(reference.move_ids.flatMap((each) => each.picking_id?.id ?? [])),
      ]),
    },
  }),
  implement(history),
  implement(reason),
  implement(move),
] as const
