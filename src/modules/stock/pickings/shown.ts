// Transfers as forms and lists show them (stock.picking): what may still be changed, what they carry, and
// views of what hangs on them.
import { zoneOf } from '#engine'
import { computed, computedTogether, type Environment, implement } from '#models'
import { today } from '../../../kit/dates.ts'
import { idList, sql } from '../../../sql/index.ts'
import { assertAllowed, shownRecords, shownWindow } from '../../base/index.ts'
import { packLines } from '../quants/packing.ts'
import { categoryOf, domainOf, searchByDay, type Today } from './date-categories.ts'
import { picking } from './shown.contract.ts'
import { addPackages, followingTransfers, isOpen, over, splitTransfers } from './shown-actions.ts'
import { weights } from './weights.ts'

const dayOf = (env: Environment): Today => ({ zone: zoneOf(env), day: today(zoneOf(env), env.now()) })

export default implement(picking, {
  computed: {
    ...weights,
    reference_ids: computed(picking, ['move_ids.reference_ids'], (picking) => [
      ...new Set(picking.move_ids.flatMap((move) => move.reference_ids.map(({ id }) => id))),
    ]),
    delay_alert_date: computed(
      picking,
      ['move_ids.delay_alert_date'],
      (picking) =>
        picking.move_ids
          .flatMap((move) => move.delay_alert_date ?? [])
          .toSorted()
          .at(-1) ?? null,
    ),
    has_scrap_move: computedTogether(picking, [], async (pickings, env) => {
      const rows = await env.rows(
        sql`SELECT DISTINCT picking_id FROM stock_scrap WHERE state = 'done' AND picking_id = ANY(${idList(pickings.map(({ id }) => id))})`,
        { reads: ['stock.scrap'], row: ['int'] },
      )
      const scrapped = new Set(rows.map((row) => row[0]))
      return new Map(pickings.map(({ id }) => [id, scrapped.has(id)]))
    }),
    has_tracking: computed(picking, ['move_ids.has_tracking'], (picking) =>
      picking.move_ids.some((move) => move.has_tracking !== 'none'),
    ),
    is_date_editable: computed(picking, ['state'], (picking) => isOpen(picking.state)),
    is_signed: computed(picking, ['signature'], (picking) => picking.signature !== null),
    lot_id: computed(
      picking,
      ['move_line_ids.lot_id'],
      (picking) => picking.move_line_ids.find((line) => line.lot_id)?.lot_id ?? null,
    ),
    product_id: computed(
      picking,
      ['move_ids.product_id'],
      (picking) => picking.move_ids[0]?.product_id ?? null,
    ),
    picking_warning_text: computed(
      picking,
      ['partner_id.picking_warn_msg', 'partner_id.parent_id.picking_warn_msg'],
      ({ partner_id: partner }) =>
        [partner?.picking_warn_msg, partner?.parent_id?.picking_warn_msg].filter(Boolean).join('\n') || null,
    ),
    show_check_availability: computed(
      picking,
      ['move_ids.state', 'move_ids.product_uom_qty', 'state'],
      (picking) =>
        isOpen(picking.state) &&
        picking.state !== 'draft' &&
        picking.move_ids.some(
          (move) =>
            ['waiting', 'confirmed', 'partially_available'].includes(move.state ?? '') &&
            move.product_uom_qty > 0,
        ),
    ),
    show_allocation: computedTogether(
      picking,
      ['picking_type_id.code', 'move_ids.product_id', 'location_dest_id'],
      async (pickings, env) => {
        const incoming = pickings.filter((picking) => picking.picking_type_id.code === 'incoming')
        const rows = await env.rows(
          sql`SELECT DISTINCT m.picking_id FROM stock_move m JOIN stock_move w ON w.product_id = m.product_id
            AND w.location_id = m.location_dest_id AND w.state IN ('confirmed', 'partially_available')
          WHERE m.picking_id = ANY(${idList(incoming.map(({ id }) => id))}) AND m.state <> 'cancel'`,
          { reads: ['stock.move'], row: ['int?'] },
        )
        const waited = new Set(rows.map((row) => row[0]))
        return new Map(pickings.map(({ id }) => [id, waited.has(id)]))
      },
    ),
    show_next_pickings: computed(picking, ['move_ids.move_dest_ids.picking_id'], (picking) =>
      picking.move_ids.some((move) =>
        move.move_dest_ids.some(({ picking_id: next }) => next !== null && next.id !== picking.id),
      ),
    ),
    show_lots_text: computed(
      picking,
      ['state', 'use_create_lots', 'use_existing_lots'],
      (picking) => picking.use_create_lots && !picking.use_existing_lots && picking.state !== 'done',
    ),
    search_date_category: computed(picking, [], () => null, {
      search: (operator, value, env) => searchByDay(operator, value, dayOf(env)),
    }),
  },
  methods: {
    action_add_entire_packs: (pickings, { package_ids }) => addPackages(pickings, package_ids),
    action_put_in_pack: async (pickings, params) => {
      await assertAllowed(pickings, 'write')
      const rows = await pickings.sudo().load(['move_line_ids'])
      return packLines(
        pickings.env,
        rows.flatMap(({ move_line_ids: lines }) => lines.map(({ id }) => id)),
        params,
      )
    },
    action_split_transfer: splitTransfers,
    action_detailed_operations: over('Detailed Operations', 'stock.move.line', 'picking_id'),
    action_picking_move_tree: over('Stock Moves', 'stock.move', 'picking_id'),
    action_next_transfer: async (pickings) =>
      shownRecords('Next Transfers', 'stock.picking', await followingTransfers(pickings)),
    action_see_packages: async (pickings) => {
      const rows = await pickings.load(['move_line_ids.result_package_id'])
      const ids = rows.flatMap(({ move_line_ids: lines }) =>
        lines.flatMap(({ result_package_id: packageRow }) => packageRow?.id ?? []),
      )
      return shownWindow({
        name: 'Packages',
        res_model: 'stock.package',
        view_mode: 'list,form',
        domain: [['id', 'in', [...new Set(ids)]]],
      })
    },
    action_see_returns: over('Returns', 'stock.picking', 'return_id'),
    button_scrap: async (pickings) => {
      await assertAllowed(pickings, 'read')
      return shownWindow({
        name: 'Scrap Products',
        res_model: 'stock.scrap',
        view_mode: 'form',
        target: 'new',
        context: { default_picking_id: pickings.ensureOne() },
      })
    },
    do_print_picking: async (pickings) => {
      await pickings.write({ printed: true })
      return true as const
    },
    should_print_delivery_address: async (pickings) => {
      const { partner_id: partner, picking_type_id: kind } = await pickings.one([
        'partner_id',
        'picking_type_id.code',
      ])
      return partner !== null && kind.code === 'outgoing'
    },
    calculate_date_category: (pickings, { datetime: moment }) =>
      typeof moment === 'string' && moment !== '' ? categoryOf(moment, dayOf(pickings.env)) : '',
    date_category_to_domain: (pickings, { field_name, date_category }) =>
      domainOf(field_name, date_category, dayOf(pickings.env)),
  },
})
