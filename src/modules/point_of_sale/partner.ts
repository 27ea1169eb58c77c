// Contacts (res.partner): what they bought at tills, and what receipts and invoices of tills ask of them.
import {
  char,
  computed,
  computedTogether,
  extend,
  implement,
  integer,
  many2one,
  type Of,
  one2many,
  optional,
  required,
  returns,
} from '#models'
import { present } from '../../kit/present.ts'
import { positionsFor } from '../account/index.ts'
import { assertAllowed, countUpwards, readonlyActionMethod, shownWindow } from '../base/index.ts'
import { loadedFields, modelsOf } from './load/read-models.ts'

const object = returns<object>('object', 'dict')
/** Contacts of one page. */
const PAGE = 100

const partner = extend('res.partner', {
  fields: {
    pos_order_ids: one2many('pos.order', 'partner_id', { label: 'Till Orders', readonly: true }),
    pos_order_count: integer({
      label: 'Number of Till Orders',
      computed: true,
      groups: 'point_of_sale.group_pos_user',
    }),
    pos_contact_address: char({ label: 'Address on Receipts', computed: true }),
    invoice_emails: char({
      label: 'Addresses for Invoices',
      computed: true,
      help: 'Of the contact and of those below it that invoices go to.',
    }),
    fiscal_position_id: many2one('account.fiscal.position', {
      label: 'Fiscal Position Found',
      computed: true,
      help: "The contact's own one, or the one that its address leads to.",
    }),
  },
  methods: {
    action_view_pos_order: readonlyActionMethod('Shows what contacts and those below them bought at tills.'),
    get_new_partner: {
      doc: 'Contacts that a till asks for later, a page of a hundred.',
      level: 'model',
      readonly: true,
      params: {
        config_id: required<number>('integer'),
        domain: required<unknown[]>('domain', { annotation: 'DomainType' }),
        offset: optional<number | null>('offset', 0, { annotation: 'int' }),
      },
      returns: object,
    },
  },
})

declare module '#models' {
  interface Partner extends Of<typeof partner> {}
}

export default implement(partner, {
  computed: {
    pos_order_count: computedTogether(partner, [], async (partners, env) => {
      const ids = partners.map(({ id }) => id)
      const partnerOrders = await env.model('pos.order').search([['partner_id', 'child_of', ids]])
      return countUpwards(env, ids, { ids: partnerOrders.ids, model: 'pos.order' })
    }),
    pos_contact_address: computed(
      partner,
      ['street', 'street2', 'city', 'state_id.code', 'zip', 'country_id.name'],
      ({ street, street2, city, state_id: state, zip, country_id: country }) =>
        [
          street ?? '',
          street2 ?? '',
          `${city ?? ''} ${state?.code ?? ''} ${zip ?? ''}`,
          country?.name ?? '',
        ].join('\n'),
    ),
    invoice_emails: computed(
      partner,
      ['email', 'child_ids.email', 'child_ids.type'],
      ({ email, child_ids: children }) =>
        [email, ...children.filter(({ type }) => type === 'invoice').map((child) => child.email)]
          .filter((address) => address !== null && address !== '')
          .join(', ') || null,
    ),
    fiscal_position_id: computedTogether(
      partner,
      ['property_account_position_id', 'country_id', 'state_id', 'zip', 'vat'],
      async (partners, env) => {
        const positions = await positionsFor(
          env,
          env.companyId,
          partners.map(({ id }) => ({ partner: id, delivery: null })),
        )
        return new Map(partners.map(({ id }, i) => [id, positions[i] ?? null]))
      },
    ),
  },
  methods: {
    action_view_pos_order: async (partners) => {
      await assertAllowed(partners, 'read')
      return shownWindow({
        name: 'Till Orders',
        res_model: 'pos.order',
        view_mode: 'list,form',
        domain: [['partner_id', 'child_of', partners.ids]],
      })
    },
    get_new_partner: async (partners, { config_id, domain, offset }) => {
      const { env } = partners
      const configs = env.model('pos.config').browse([config_id])
      await assertAllowed(configs, 'read')
      const { company_id: company } = await configs.one(['company_id'])
      const page = await partners.search([...domain, ['company_id', 'in', [false, company.id]]] as never, {
        offset: offset ?? 0,
        limit: PAGE,
      })
      const how = present((await modelsOf(env)).get('res.partner'))
      const fields = loadedFields(env, 'res.partner', how)
      return { 'res.partner': await page.read(fields, null) }
    },
  },
})
