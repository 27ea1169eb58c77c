// Contacts have a pricelist: given to the commercial entity, shared by its people, and shown only while
// pricelists are in use.
import { computedTogether, type Environment, extend, implement, many2one, type Of } from '#models'
import { ValidationError } from '../../errors.ts'
import { listsOf } from './pricelist-choice.ts'

const partner = extend('res.partner', {
  fields: {
    specific_property_product_pricelist: many2one('product.pricelist', {
      label: 'Specific Pricelist',
      companyDependent: true,
      copy: false,
      help: 'Pricelist that was chosen for the contact; without a choice its country decides.',
    }),
    property_product_pricelist: many2one('product.pricelist', { label: 'Pricelist', computed: true }),
  },
})

declare module '#models' {
  interface Partner extends Of<typeof partner> {}
}

/** A chosen list is kept by the commercial entity. */
async function writeChoice(env: Environment, values: ReadonlyMap<number, unknown>): Promise<void> {
  const partners = await env
    .model('res.partner')
    .browse([...values.keys()])
    .load(['commercial_partner_id'])
  const byList = Map.groupBy(partners, (partner) => values.get(partner.id))
  for (const [list, group] of byList) {
    const entities = [...new Set(group.map((member) => member.commercial_partner_id?.id ?? member.id))]
    if (
      typeof list === 'number' &&
      (await env.model('product.pricelist').browse([list]).exists()).length === 0
    ) {
      throw new ValidationError('The selected pricelist does not exist.')
    }
    await env
      .model('res.partner')
      .browse(entities)
      .write({ specific_property_product_pricelist: typeof list === 'number' ? list : false })
  }
}

export default implement(partner, {
  computed: {
    property_product_pricelist: computedTogether(
      partner,
      ['country_id', 'commercial_partner_id.specific_property_product_pricelist'],
      async (partners, env) => {
        const customers = partners.map((partner) => ({
          id: partner.id,
          own: partner.commercial_partner_id?.specific_property_product_pricelist?.id ?? null,
          country: partner.country_id?.id ?? null,
        }))
        const lists = await listsOf(env, customers)
        return new Map([...lists].map(([id, list]) => [id, list === null ? null : { id: list }]))
      },
      { context: ['allowed_company_ids'], inverse: writeChoice },
    ),
  },
})
