// Scrap (stock.scrap): goods that are broken or lost leave for a place of their own.
import {
  boolean,
  char,
  computed,
  datetime,
  type Environment,
  float,
  implement,
  many2one,
  model,
  type Of,
  one2many,
  optional,
  type Records,
  returns,
  selection,
} from '#models'
import { UserError } from '../../../errors.ts'
import { nowUtc } from '../../../kit/dates.ts'
import { assertAllowed, givenVals, nextNumbers } from '../../base/index.ts'
import { type MoveSpec, moveNow } from '../engine.ts'
import { meetNeeds } from '../rules/procurement.ts'
import { scrapWritable } from '../writable.ts'
import { firstLacking, openScrapForm } from './scrap-form.ts'

const scrap = model('stock.scrap', {
  label: 'Scrap',
  formsBySaving: true,
  order: 'id desc',
  rules: { some: { check: 'scrap_qty > 0', message: 'The quantity to scrap must be more than 0.' } },
  fields: {
    name: char({ label: 'Reference', required: true, default: 'New', copy: false, readonly: true }),
    company_id: many2one('res.company', { label: 'Company', required: true }),
    origin: char({ label: 'Source Document' }),
    product_id: many2one('product.product', {
      label: 'Product',
      required: true,
      checkCompany: true,
      ondelete: 'restrict',
    }),
    product_uom_id: many2one('uom.uom', {
      label: 'Unit',
      required: true,
      mustSend: false,
      computed: true,
      stored: true,
      precompute: true,
      ondelete: 'restrict',
    }),
    lot_id: many2one('stock.lot', { label: 'Lot/Serial', checkCompany: true, ondelete: 'restrict' }),
    package_id: many2one('stock.package', { label: 'Package', checkCompany: true }),
    move_ids: one2many('stock.move', 'scrap_id', { label: 'Scrap Move' }),
    owner_id: many2one('res.partner', { label: 'Owner' }),
    picking_id: many2one('stock.picking', { label: 'Picking', checkCompany: true }),
    location_id: many2one('stock.location', {
      label: 'Source Location',
      required: true,
      mustSend: false,
      checkCompany: true,
    }),
    scrap_location_id: many2one('stock.location', {
      label: 'Scrap Location',
      required: true,
      mustSend: false,
      checkCompany: true,
    }),
    scrap_qty: float({ label: 'Quantity', precision: 'Product Unit', required: true, default: 1 }),
    state: selection(
      { draft: 'Draft', done: 'Done' },
      { label: 'Status', default: 'draft', readonly: true, copy: false },
    ),
    date_done: datetime({ label: 'Date', readonly: true, copy: false }),
    should_replenish: boolean({ label: 'Replace', help: 'The same quantity is asked for again.' }),
    replenished: boolean({ label: 'Was Asked for Again', readonly: true, copy: false }),
  },
  methods: {
    do_replenish: {
      doc: 'Replenishes the scrapped goods by the rules of their location, once for each scrap.',
      params: { values: optional<unknown>('any', false, { doc: 'Not needed', annotation: 'dict | bool' }) },
    },
    do_scrap: { doc: 'Scraps the goods.', params: {}, returns: returns<true>('boolean', 'bool') },
    action_validate: {
      doc: 'Scraps the goods if the stock is sufficient; otherwise returns a form that asks for confirmation.',
      params: {},
      returns: returns<true | object>('any', 'bool | dict'),
    },
  },
})

declare module '#models' {
  interface Models {
    'stock.scrap': StockScrap
  }
  interface StockScrap extends Of<typeof scrap> {}
}

/** Facts of scraps: of each once, however often a call names it. */
const loadScraps = (scraps: Records<'stock.scrap'>) =>
  scraps
    .browse([...new Set(scraps.ids)])
    .load([
      'name',
      'state',
      'product_id.display_name',
      'product_id.product_tmpl_id.tracking',
      'product_id.product_tmpl_id.is_storable',
      'product_id.product_tmpl_id.uom_id.factor',
      'product_uom_id.factor',
      'product_uom_id.name',
      'lot_id',
      'package_id',
      'owner_id',
      'location_id',
      'scrap_location_id.usage',
      'scrap_location_id.display_name',
      'scrap_qty',
      'company_id',
      'origin',
      'picking_id',
      'should_replenish',
      'replenished',
    ])

type Loaded = Awaited<ReturnType<typeof loadScraps>>[number]

/** The move by which the goods leave. */
const moveOf = (scrapped: Loaded): MoveSpec => ({
  scrap_id: scrapped.id,
  origin: scrapped.origin ?? scrapped.name,
  company_id: scrapped.company_id.id,
  product_id: scrapped.product_id.id,
  product_uom: scrapped.product_uom_id.id,
  product_uom_qty: scrapped.scrap_qty,
  location_id: scrapped.location_id.id,
  location_dest_id: scrapped.scrap_location_id.id,
  picking_id: scrapped.picking_id?.id ?? null,
  lines: [
    {
      quantity: scrapped.scrap_qty,
      lot: scrapped.lot_id?.id ?? null,
      package: scrapped.package_id?.id ?? null,
      owner: scrapped.owner_id?.id ?? null,
    },
  ],
})

/**
 * Asks for the same goods again, once: a call that is repeated asks for nothing more. Throws UserError where
 * no rule brings them.
 */
async function replace(env: Environment, scraps: readonly Loaded[]): Promise<void> {
  const scrapped = scraps.filter((row) => !row.replenished)
  if (scrapped.length === 0) return
  await env
    .sudo()
    .model('stock.scrap')
    .browse(scrapped.map(({ id }) => id))
    .write({ replenished: true })
  await meetNeeds(
    env,
    scrapped.map((scrap) => ({
      product: scrap.product_id.id,
      quantity: scrap.scrap_qty,
      unit: scrap.product_uom_id.id,
      location: scrap.location_id.id,
      company: scrap.company_id.id,
      origin: scrap.name,
      date: nowUtc(env.now()),
    })),
  )
}

async function scrapAll(scraps: Records<'stock.scrap'>): Promise<true> {
  const { env } = scraps
  await assertAllowed(scraps, 'write')
  const rows = await loadScraps(scraps)
  const open = rows.filter((row) => row.state === 'draft')
  for (const { scrap_location_id: place } of open)
    if (place.usage !== 'inventory')
      throw new UserError(
        `${place.display_name} is not a scrap location: choose a location of the type "Inventory Loss".`,
      )
  for (const row of open)
    if (row.product_id.product_tmpl_id.tracking !== 'none' && !row.lot_id)
      throw new UserError(`The lot or serial number of ${row.product_id.display_name} to scrap is required.`)
  await moveNow(env, open.map(moveOf))
  const nameless = open.filter((row) => row.name === 'New')
  const names = nameless.length ? await nextNumbers(env.sudo(), 'stock.scrap', nameless.length) : []
  await scraps.sudo().writeEach(
    new Map(
      open.map((row) => [
        row.id,
        {
          state: 'done',
          date_done: nowUtc(env.now()),
          name: row.name === 'New' ? (names?.[nameless.indexOf(row)] ?? 'New') : row.name,
        },
      ]),
    ),
  )
  // Needs name the scrap by the number that it has from now on.
  const replaced = open.filter((row) => row.should_replenish).map(({ id }) => id)
  if (replaced.length) await replace(env, await loadScraps(scraps.browse(replaced)))
  return true
}

/** Scraps what is there; asks before a place goes below zero. */
async function validate(scraps: Records<'stock.scrap'>): Promise<true | object> {
  await assertAllowed(scraps, 'write')
  const open = (await loadScraps(scraps)).filter((scrap) => scrap.state === 'draft')
  const lacking = await firstLacking(scraps.env, open)
  return lacking ? openScrapForm(scraps.env, lacking) : scrapAll(scraps)
}

export default implement(scrap, {
  writable: scrapWritable,
  defaults: { company_id: (env) => env.companyId },
  computed: {
    product_uom_id: computed(
      scrap,
      ['product_id.product_tmpl_id.uom_id'],
      (scrap) => scrap.product_id.product_tmpl_id.uom_id,
      {
        editable: true,
      },
    ),
  },
  methods: {
    do_replenish: async (scraps) => {
      await assertAllowed(scraps, 'write')
      await replace(scraps.env, await loadScraps(scraps))
      return null
    },
    do_scrap: scrapAll,
    action_validate: validate,
  },
  wrapCreate: (next) => async (scraps, list) => {
    const { env } = scraps
    const valsList = givenVals(list as readonly unknown[])
    const placeless = valsList.some((vals) => vals.location_id === undefined)
    const [warehouse] = placeless
      ? await (
          await env
            .sudo()
            .model('stock.warehouse')
            .search([['company_id', '=', env.companyId]], { limit: 1 })
        ).load(['lot_stock_id'])
      : []
    return next(
      scraps,
      valsList.map((vals) => ({
        ...(warehouse?.lot_stock_id ? { location_id: warehouse.lot_stock_id.id } : {}),
        ...vals,
      })) as typeof list,
    )
  },
  wrapGeneric: {
    unlink: (next) => async (scraps, params) => {
      const rows = await scraps.sudo().load(['state'])
      if (rows.some((row) => row.state === 'done')) throw new UserError('A done scrap cannot be deleted.')
      return next(scraps, params)
    },
  },
})
