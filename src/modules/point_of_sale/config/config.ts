// Implementation of points of sale (pos.config). Creation: defaults.ts; checks: guards.ts; their
// sessions: sessions.ts.

import { randomUUID } from 'node:crypto'
import { computed, type Environment, idsWhere, implement, type Records } from '#models'
import { UserError, ValidationError } from '../../../errors.ts'
import { sql } from '../../../sql/index.ts'
import { assertAllowed, drawGaplessTexts, givenVals, markCopies } from '../../base/index.ts'
import { approve } from '../limits/approval.ts'
import { counterType } from '../stock/places.ts'
import { configWritable } from '../writable.ts'
import { config } from './contract.ts'
import {
  defaultMethods,
  invoiceJournal,
  offeredJournal,
  withJournals,
  withMethods,
  withNumbers,
} from './defaults.ts'
import { assertChanges, assertRemovable, assertSound } from './guards.ts'
import { currency, current, lastClosing } from './sessions.ts'

type Configs = Records<'pos.config'>

/** Fields that have to fit together. */
const joined: readonly string[] = [
  'payment_method_ids',
  'use_pricelist',
  'pricelist_id',
  'available_pricelist_ids',
  'journal_id',
  'invoice_journal_id',
  'cash_rounding',
  'rounding_method',
  'company_id',
]

/** Positions that are not in use are not kept. */
const cleared = (vals: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  vals.tax_regime_selection === false ? { ...vals, fiscal_position_ids: [[5]] } : { ...vals }

/** Throws ValidationError for a point of sale that cannot sell. */
async function assertReady(configs: Configs): Promise<void> {
  for (const config of await configs
    .sudo()
    .load(['name', 'active', 'journal_id', 'payment_method_ids', 'company_id.chart_template'])) {
    if (!config.active) throw new UserError(`${config.name} is archived.`)
    if (!config.payment_method_ids.length)
      throw new ValidationError(`${config.name} has no payment method: give it one before it sells.`)
    if (!config.journal_id || !config.company_id.chart_template)
      throw new ValidationError(
        `${config.name} needs a journal, and its company a chart of accounts, before it sells.`,
      )
  }
}

/** Opens a session. A caller that does so at the same moment starts over, and gets the open one. */
async function openSession(env: Environment, config_id: number): Promise<void> {
  await env.execute(
    sql`UPDATE pos_config SET openings = COALESCE(openings, 0) + 1 WHERE id = ${config_id}::int`,
    { reads: ['pos.config'] },
  )
  await env.model('pos.session').create([{ config_id }])
}

/** Opens the till of one point of sale; a second caller gets the open session. */
async function openUi(configs: Configs): Promise<object> {
  const id = configs.ensureOne()
  const { env } = configs
  await assertAllowed(configs, 'read')
  await assertAllowed(env.model('pos.session').browse([]), 'create')
  await assertReady(configs)
  await assertSound(env, configs.ids)
  const { current_session_id: open } = await configs.one(['current_session_id'])
  if (!open) await openSession(env, id)
  return { type: 'ir.actions.act_url', url: `/pos/ui/${id}`, target: 'self' }
}

export default implement(config, {
  writable: configWritable,
  defaults: {
    company_id: (env) => env.companyId,
    journal_id: (env) => offeredJournal(env),
    invoice_journal_id: (env) => invoiceJournal(env),
    payment_method_ids: defaultMethods,
    picking_type_id: (env) => counterType(env),
    warehouse_id: async (env) =>
      (
        await env
          .sudo()
          .model('stock.warehouse')
          .search([['company_id', '=', env.companyId]], { limit: 1, order: 'id' })
      ).ids[0] ?? null,
    tip_product_id: (env) => env.find('point_of_sale.product_product_tip'),
    uuid: () => randomUUID(),
  },
  computed: {
    ...current,
    ...lastClosing,
    currency_id: currency,
    cash_control: computed(config, ['payment_method_ids.is_cash_count'], (config) =>
      config.payment_method_ids.some((method) => method.is_cash_count),
    ),
  },
  methods: {
    open_ui: openUi,
    approve,
    register_new_device_identifier: async (configs) => {
      await assertAllowed(configs, 'write')
      const { device_seq_id: sequence } = await configs.sudo().one(['device_seq_id'])
      if (!sequence)
        throw new UserError('This point of sale has no sequence for devices: restore its device sequence.')
      const [device_identifier] =
        (await drawGaplessTexts(configs.env, new Map([[sequence.id, 1]]))).get(sequence.id) ?? []
      return { device_identifier }
    },
  },
  wrapWrite: (next) => async (configs, changes) => {
    await assertChanges(configs, changes)
    await next(
      configs,
      changes.map(({ ids, vals }) => ({ ids, vals: cleared(vals) })),
    )
    const touched = idsWhere(changes, (vals) => joined.some((name) => name in vals))
    if (touched.length) await assertSound(configs.env, touched)
  },
  wrapGeneric: {
    create: (next) => async (configs, params) => {
      const { env } = configs
      await assertAllowed(configs.browse([]), 'create')
      const valsList = givenVals(params.vals_list).map((vals) => ({ ...vals }))
      const withDefaults = await withMethods(env, await withJournals(env, valsList))
      const vals_list = await withNumbers(env, withDefaults)
      const createdConfigs = (await next(configs, { ...params, vals_list })) as Configs
      await assertSound(env, createdConfigs.ids)
      return createdConfigs
    },
    copy_data: markCopies,
    unlink: (next) => async (configs, params) => {
      await assertRemovable(configs)
      return next(configs, params)
    },
  },
})
