// Rules of routes (stock.rule): what is wanted in a place is pulled from another, what arrives in one is
// pushed on to the next.
import {
  boolean,
  char,
  computed,
  html,
  implement,
  integer,
  many2one,
  model,
  type Of,
  optional,
  required,
  returns,
  selection,
} from '#models'
import { html as markup } from '../../../kit/html.ts'
import { assertAllowed } from '../../base/index.ts'
import { assertSeen, needsIn } from './asked-needs.ts'
import { type Matched, meetNeeds } from './procurement.ts'
import { pullAll } from './pull.ts'
import { runScheduler } from './scheduler.ts'

const need = <T>(annotation: string) => required<T>('any', { annotation })

export const rule = model('stock.rule', {
  label: 'Stock Rule',
  order: 'sequence, id',
  fields: {
    name: char({ label: 'Name', required: true, translate: true }),
    active: boolean({ label: 'Active', default: true }),
    action: selection(
      { pull: 'Pull From', push: 'Push To', pull_push: 'Pull & Push' },
      { label: 'Action', required: true, default: 'pull', index: true },
    ),
    sequence: integer({ label: 'Sequence', default: 20 }),
    company_id: many2one('res.company', { label: 'Company', index: true, ondelete: 'cascade' }),
    location_dest_id: many2one('stock.location', {
      label: 'Destination Location',
      required: true,
      index: true,
      ondelete: 'cascade',
      checkCompany: true,
    }),
    location_src_id: many2one('stock.location', {
      label: 'Source Location',
      index: true,
      checkCompany: true,
    }),
    location_dest_from_rule: boolean({ label: 'Destination location origin from rule' }),
    route_id: many2one('stock.route', { label: 'Route', required: true, index: true, ondelete: 'cascade' }),
    route_company_id: many2one('res.company', { label: 'Route Company', related: 'route_id.company_id' }),
    route_sequence: integer({ label: 'Route Sequence', related: 'route_id.sequence', stored: true }),
    procure_method: selection(
      {
        make_to_stock: 'Take From Stock',
        make_to_order: 'Trigger Another Rule',
        mts_else_mto: 'Take From Stock, if unavailable, Trigger Another Rule',
      },
      { label: 'Supply Method', required: true, default: 'make_to_stock' },
    ),
    picking_type_id: many2one('stock.picking.type', {
      label: 'Operation Type',
      required: true,
      ondelete: 'cascade',
      checkCompany: true,
    }),
    delay: integer({ label: 'Lead Time', default: 0, help: 'Days that the goods are on their way.' }),
    partner_address_id: many2one('res.partner', { label: 'Partner Address', checkCompany: true }),
    propagate_cancel: boolean({
      label: 'Cancel Next Move',
      help: 'Moves after this one are cancelled with it.',
    }),
    warehouse_id: many2one('stock.warehouse', {
      label: 'Warehouse',
      checkCompany: true,
      index: true,
      help: 'The rule is for its needs alone.',
    }),
    propagate_warehouse_id: many2one('stock.warehouse', {
      label: 'Warehouse to Propagate',
      checkCompany: true,
      help: 'The goods become a need of this warehouse: its rules supply them.',
    }),
    push_domain: char({
      label: 'Push Applicability',
      help: 'Kept as it was typed: here rules push on whatever arrives.',
    }),
    rule_message: html({ label: 'Rule Message', computed: true, help: 'Description of the rule.' }),
    auto: selection(
      { manual: 'Manual Operation', transparent: 'Automatic No Step Added' },
      { label: 'Automatic Move', required: true, default: 'manual' },
    ),
  },
  methods: {
    Procurement: {
      doc: 'A need, in the form that `run` accepts.',
      readonly: true,
      params: {
        product_id: need<number>('int'),
        product_qty: need<number>('float'),
        product_uom: need<number>('int'),
        location_id: need<number>('int'),
        name: need<unknown>('str'),
        origin: need<unknown>('str'),
        company_id: need<number>('int'),
        values: need<unknown>('dict'),
      },
      returns: returns<unknown[]>('array', 'list'),
    },
    run: {
      doc: 'Meets needs by the rules that bring goods to their places: each is a list of product, quantity, unit, place, name, origin, company and further values (date_planned, warehouse_id, route_ids).',
      level: 'model',
      params: {
        procurements: required<unknown[]>('array', { annotation: 'list[list]' }),
        raise_user_error: optional<unknown>('any', true, { annotation: 'bool' }),
      },
      returns: returns<true>('boolean', 'bool'),
    },
    run_scheduler: {
      doc: 'Orders what reordering rules need, and reserves goods for waiting moves. It runs once a day automatically.',
      level: 'model',
      params: {
        use_new_cursor: optional<unknown>('any', false),
        company_id: optional<unknown>('any', false),
      },
    },
    carry_out: {
      doc: 'Meets needs by the rules that were found for them: modules that bring actions of their own take out theirs.',
      level: 'model',
      private: true,
      params: {
        needs: required<readonly Matched[]>('array'),
        open: optional<readonly number[] | null>('array', null),
      },
    },
  },
})

declare module '#models' {
  interface Models {
    'stock.rule': StockRule
  }
  interface StockRule extends Of<typeof rule> {}
}

export default implement(rule, {
  defaults: { company_id: (env) => env.companyId },
  displayName: computed(rule, ['name', 'route_id.name'], (rule) => `${rule.route_id.name}: ${rule.name}`, {
    context: ['lang'],
  }),
  computed: {
    rule_message: computed(
      rule,
      [
        'action',
        'location_src_id.complete_name',
        'location_dest_id.complete_name',
        'picking_type_id.display_name',
      ],
      (rule) => {
        const place = (name: string | null | undefined) => markup`<b>${name ?? 'elsewhere'}</b>`
        const [from, to] = [
          place(rule.location_src_id?.complete_name),
          place(rule.location_dest_id.complete_name),
        ]
        const by = markup`by <b>${rule.picking_type_id.display_name}</b>.`
        const pulled = markup`Goods needed in ${to} are brought from ${from} ${by}`
        const pushed = markup`Goods that arrive in ${from} are sent on to ${to} ${by}`
        const sentences = { pull: pulled, push: pushed, pull_push: markup`${pulled}<br>${pushed}` }
        return `<p>${sentences[rule.action]}</p>`
      },
    ),
  },
  methods: {
    Procurement: (_, { product_id, product_qty, product_uom, location_id, ...rest }) => [
      product_id,
      product_qty,
      product_uom,
      location_id,
      rest.name,
      rest.origin,
      rest.company_id,
      rest.values,
    ],
    run: async (rules, { procurements, raise_user_error }) => {
      await assertAllowed(rules.env.model('stock.move').browse([]), 'create')
      const needs = needsIn(rules.env, procurements)
      await assertSeen(rules.env, needs)
      await meetNeeds(rules.env, needs, !raise_user_error)
      return true as const
    },
    run_scheduler: async (rules) => {
      await assertAllowed(rules.env.model('stock.warehouse.orderpoint').browse([]), 'write')
      await runScheduler(rules.env)
      return null
    },
    carry_out: async (rules, { needs, open }) => {
      await pullAll(
        rules.env,
        needs.filter(({ rule }) => rule.action === 'pull' || rule.action === 'pull_push'),
        open,
      )
      return null
    },
  },
})
