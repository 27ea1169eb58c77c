// Points of sale as lists and tills of the back office ask for them (pos.config): devices, the open session,
// open orders, contacts.
import {
  atOnce,
  boolean,
  char,
  computed,
  computedFields,
  computedTogether,
  extend,
  implement,
  json,
  type Of,
  optional,
  type Records,
  required,
  returns,
} from '#models'
import { InvalidValue, UserError } from '../../../errors.ts'
import { nowUtc } from '../../../kit/dates.ts'
import { isInteger } from '../../../kit/present.ts'
import { idList, sql } from '../../../sql/index.ts'
import { actionMethod, assertAllowed, shownRecords } from '../../base/index.ts'
import { devices, selling } from './devices.ts'
import { limitedContacts, openOrders } from './open-orders.ts'
import { addGoods, openShop, scenarios } from './scenarios.ts'
import { statisticsOf } from './statistics.ts'

const live = { computed: true } as const
const object = returns<object>('object', 'dict')
const withGoods = (preset: boolean) =>
  ({
    level: 'model',
    params: {
      with_demo_data: optional<boolean>('boolean', preset, { doc: 'Products too', annotation: 'bool' }),
    },
    returns: object,
  }) as const

/** Products that a till loads at once; the others it asks for by name. */
const PRODUCTS = 5000
/** External ids that one call may ask for. */
const REFERENCES = 100

const config = extend('pos.config', {
  fields: {
    ...devices,
    ...selling,
    pos_session_state: char({ label: 'State of the Session', ...live }),
    pos_session_username: char({ label: 'Cashier of the Session', ...live }),
    pos_session_duration: char({ label: 'Days of the Session', ...live, help: 'Days since it was opened.' }),
    company_has_template: boolean({ label: 'Company Has a Chart of Accounts', ...live }),
    statistics_for_current_session: json({ label: 'Statistics of the Session', ...live }),
  },
  methods: {
    close_ui: actionMethod('Shows the open session, to close it.'),
    get_limited_product_count: {
      doc: 'Number of products that a till should load at once.',
      readonly: true,
      params: {},
      returns: returns<number>('integer', 'int'),
    },
    get_limited_partners_loading: {
      doc: 'A page of the contacts that a till should load: those who bought most often at tills first.',
      readonly: true,
      params: { offset: optional<number | null>('offset', 0, { annotation: 'int' }) },
      returns: returns<number[][]>('array', 'list[list[int]]'),
    },
    get_pos_kanban_view_state: {
      doc: 'Whether the company has points of sale, and a chart of accounts.',
      level: 'model',
      readonly: true,
      params: {},
      returns: object,
    },
    get_record_by_ref: {
      doc: 'Ids of the records that external ids name; false where one does not exist.',
      readonly: true,
      params: { recordRefs: required<unknown[]>('array', { annotation: 'list[str]' }) },
      returns: returns<(number | false)[]>('array', 'list[int | bool]'),
    },
    get_statistics_for_session: {
      doc: 'Totals of a session of the point of sale so far; false for other sessions.',
      readonly: true,
      params: { session: required<unknown>('any', { doc: 'Its id', annotation: 'int' }) },
      returns: returns<unknown>('any', 'dict | bool'),
    },
    notify_synchronisation: {
      doc: 'Reports that a till changed records. Other tills receive them from load_changes of pos.session.',
      readonly: true,
      params: {
        session_id: required<unknown>('any', { annotation: 'int' }),
        device_identifier: required<unknown>('any', { annotation: 'str | int' }),
        records: optional<unknown>('any', {}, { annotation: 'dict' }),
      },
    },
    update_customer_display: {
      doc: 'Sets what a customer display shows. Displays poll it: nothing is sent.',
      readonly: true,
      params: {
        order: required<unknown>('any', { annotation: 'dict' }),
        device_uuid: required<unknown>('any', { annotation: 'str' }),
      },
    },
    read_config_open_orders: {
      doc: 'Returns the draft orders of the point of sale and of trusted ones with all their data, and the ids of deleted records.',
      readonly: true,
      params: {
        domain: required<unknown[]>('domain', { annotation: 'DomainType' }),
        record_ids: optional<unknown>('any', [], { annotation: 'dict[str, list[int]]' }),
      },
      returns: object,
    },
    install_pos_restaurant: {
      doc: 'Raises an error: tables and floors are not offered.',
      level: 'model',
      params: {},
    },
    load_demo_data: { doc: 'Creates sample products.', params: {}, returns: object },
    load_onboarding_bakery_scenario: { doc: 'Creates a sample bakery.', ...withGoods(true) },
    load_onboarding_clothes_scenario: { doc: 'Creates a sample clothes shop.', ...withGoods(true) },
    load_onboarding_furniture_scenario: { doc: 'Creates a sample furniture shop.', ...withGoods(true) },
    load_onboarding_retail_scenario: { doc: 'Creates a sample shop.', ...withGoods(false) },
  },
})

declare module '#models' {
  interface PosConfig extends Of<typeof config> {}
}

/** Of the session that is open: its state, its opener, and for how many days. */
const openSession = computedFields(
  config,
  ['pos_session_state', 'pos_session_username', 'pos_session_duration'],
  [],
  async (configs, env) => {
    const rows = await env.rows(
      sql`SELECT s.config_id, s.state, p.name, GREATEST(0, floor(extract(epoch FROM ${nowUtc(env.now())}::timestamp
        - COALESCE(s.start_at, s.create_date)) / 86400))::int::text
      FROM pos_session s LEFT JOIN res_users u ON u.id = s.user_id LEFT JOIN res_partner p ON p.id = u.partner_id
      WHERE s.config_id = ANY(${idList(configs.map(({ id }) => id))}) AND s.state <> 'closed' AND s.rescue IS NOT TRUE`,
      {
        reads: ['pos.session', 'res.users', 'res.partner'],
        row: ['int', 'text', 'text?', 'text'],
      },
    )
    const byConfig = new Map(rows.map((row) => [row[0], row]))
    return new Map(
      configs.map(({ id }) => {
        const [, state, username, days] = byConfig.get(id) ?? []
        return [
          id,
          {
            pos_session_state: state ?? null,
            pos_session_username: username ?? null,
            pos_session_duration: days ?? '0',
          },
        ]
      }),
    )
  },
)

async function idsOf(configs: Records<'pos.config'>, references: readonly unknown[]) {
  if (references.length > REFERENCES)
    throw new InvalidValue(`Too many external ids: at most ${REFERENCES} per call.`)
  await assertAllowed(configs, 'read')
  const { env } = configs
  return atOnce(
    env,
    ...references.map(
      (reference) => async () => (typeof reference === 'string' && (await env.find(reference))) || false,
    ),
  )
}

export default implement(config, {
  defaults: {
    group_pos_manager_id: (env) => env.find('point_of_sale.group_pos_manager'),
    group_pos_user_id: (env) => env.find('point_of_sale.group_pos_user'),
    last_data_change: (env) => nowUtc(env.now()),
  },
  computed: {
    ...openSession,
    company_has_template: computed(config, ['company_id.chart_template'], (config) =>
      Boolean(config.company_id.chart_template),
    ),
    statistics_for_current_session: computedTogether(config, ['current_session_id'], (configs, env) =>
      statisticsOf(
        env,
        new Map(
          configs.flatMap(({ id, current_session_id: session }) => (session ? [[id, session.id]] : [])),
        ),
      ),
    ),
  },
  methods: {
    close_ui: async (configs) => {
      const { current_session_id: session } = await configs.one(['current_session_id'])
      if (!session) throw new UserError('This point of sale has no open session: open one first.')
      return shownRecords('Session', 'pos.session', [session.id])
    },
    get_limited_product_count: async (configs) => {
      await assertAllowed(configs, 'read')
      return PRODUCTS
    },
    get_limited_partners_loading: limitedContacts,
    get_pos_kanban_view_state: async (configs) => {
      const { env } = configs
      const { chart_template } = await env
        .sudo()
        .model('res.company')
        .browse([env.companyId])
        .one(['chart_template'])
      const configCount = await configs.searchCount([['company_id', '=', env.companyId]])
      return { has_pos_config: configCount > 0, has_chart_template: Boolean(chart_template) }
    },
    get_record_by_ref: (configs, { recordRefs }) => idsOf(configs, recordRefs),
    get_statistics_for_session: async (configs, { session }) => {
      const id = configs.ensureOne()
      if (!isInteger(session)) throw new InvalidValue('Pass the id of the session.')
      const [theirs] = (
        await configs.env.model('pos.session').search([
          ['id', '=', session],
          ['config_id', '=', id],
        ])
      ).ids
      return theirs ? ((await statisticsOf(configs.env, new Map([[id, theirs]]))).get(id) ?? false) : false
    },
    notify_synchronisation: async (configs) => {
      await assertAllowed(configs, 'read')
      return null
    },
    update_customer_display: async (configs) => {
      await assertAllowed(configs, 'read')
      return null
    },
    read_config_open_orders: (configs, { domain, record_ids }) => openOrders(configs, domain, record_ids),
    install_pos_restaurant: () => {
      throw new UserError('This server has no module for restaurants: tables and floors are not offered.')
    },
    load_demo_data: (configs) => addGoods(configs, scenarios.retail),
    load_onboarding_bakery_scenario: (configs, { with_demo_data }) =>
      openShop(configs, scenarios.bakery, with_demo_data),
    load_onboarding_clothes_scenario: (configs, { with_demo_data }) =>
      openShop(configs, scenarios.clothes, with_demo_data),
    load_onboarding_furniture_scenario: (configs, { with_demo_data }) =>
      openShop(configs, scenarios.furniture, with_demo_data),
    load_onboarding_retail_scenario: (configs, { with_demo_data }) =>
      openShop(configs, scenarios.retail, with_demo_data),
  },
  wrapWrite: (next) => (configs, changes) => {
    const last_data_change = nowUtc(configs.env.now())
    return next(
      configs,
      changes.map(({ ids, vals }) => ({ ids, vals: { ...vals, last_data_change } })),
    )
  },
})
