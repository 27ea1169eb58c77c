// Products as a till asks for one of them (product.template): its price with taxes, its places and vendors;
// and variants that are made as they are sold.
import { atOnce, extend, implement, type Of, optional, type Records, required, returns, set } from '#models'
import { UserError } from '../../../errors.ts'
import { documentTotals, loadTaxes } from '../../account/index.ts'
import { assertAllowed, givenIds } from '../../base/index.ts'
import { quantitiesOf } from '../../stock/index.ts'
import { loadProducts } from '../load/load.ts'

type Templates = Records<'product.template'>

const object = returns<object>('object', 'dict')

const template = extend('product.template', {
  fields: {},
  methods: {
    get_product_info_pos: {
      doc: 'Details of a product for a till: price with and without taxes, quantities by warehouse, vendors, variants.',
      readonly: true,
      params: {
        price: required<number>('number'),
        quantity: required<number>('number'),
        pos_config_id: required<number>('integer'),
        product_variant_id: optional<unknown>('any', false, { annotation: 'int | bool' }),
      },
      returns: object,
    },
    create_product_variant_from_pos: {
      doc: 'The variant of a product with these values, as tills load it; created if it does not exist.',
      params: {
        attribute_value_ids: required<unknown[]>('array', {
          doc: 'Values of the product (product.template.attribute.value)',
          annotation: 'list[int]',
        }),
        config_id: required<number>('integer'),
      },
      returns: object,
    },
  },
})

declare module '#models' {
  interface ProductTemplate extends Of<typeof template> {}
}

interface Asked {
  readonly price: number
  readonly quantity: number
  readonly pos_config_id: number
  readonly product_variant_id: unknown
}

interface Offer {
  readonly id: number
  readonly partner_id: { readonly display_name: string | null }
  readonly delay: number
  readonly price: number
}

const supplierOf = ({ id, partner_id: vendor, delay, price }: Offer): object => ({
  id,
  name: vendor.display_name,
  delay,
  price,
})

async function infoOf(templates: Templates, request: Asked): Promise<object> {
  const configs = templates.env.model('pos.config').browse([request.pos_config_id])
  await assertAllowed(configs, 'read')
  await assertAllowed(templates, 'read')
  const { company_id: company } = await configs
    .sudo()
    .one(['company_id.tax_calculation_rounding_method', 'company_id.currency_id.rounding'])
  const env = templates.sudo().env.withCompany(company.id)
  const row = await env
    .model('product.template')
    .browse([templates.ensureOne()])
    .one([
      'taxes_id.company_id',
      'taxes_id.name',
      'uom_name',
      'product_variant_ids.display_name',
      'seller_ids.partner_id.display_name',
      'seller_ids.price',
      'seller_ids.delay',
      'seller_ids.company_id',
      'attribute_line_ids.attribute_id.name',
      'attribute_line_ids.value_ids.name',
    ])
  const companyTaxes = row.taxes_id.filter((tax) => tax.company_id.id === company.id)
  const taxesOf = await loadTaxes(
    env,
    companyTaxes.map(({ id }) => id),
  )
  const line = {
    priceUnit: request.price,
    quantity: request.quantity,
    discount: 0,
    taxes: taxesOf(companyTaxes.map(({ id }) => id)),
  }
  const totals = documentTotals([line], {
    rounding: company.currency_id.rounding,
    method: company.tax_calculation_rounding_method ?? 'round_globally',
  })
  const variants = row.product_variant_ids
  const variant = (variants.find(({ id }) => id === request.product_variant_id) ?? variants[0])?.id
  return {
    all_prices: {
      price_without_tax: totals.untaxed,
      price_with_tax: totals.total,
      tax_details: totals.taxes.map(({ taxId, amount }) => ({
        name: row.taxes_id.find(({ id }) => id === taxId)?.name ?? '',
        amount,
      })),
    },
    warehouses: variant === undefined ? [] : await stockOf(env, variant, company.id, row.uom_name),
    suppliers: row.seller_ids
      .filter(({ company_id: its }) => its === null || its.id === company.id)
      .map(supplierOf),
    variants: row.attribute_line_ids.map((each) => ({
      name: each.attribute_id.name,
      values: each.value_ids.map(({ name }) => ({ name, search: `${name}` })),
    })),
  }
}

/** Quantities of a variant in each warehouse of the company. */
async function stockOf(env: Templates['env'], variant: number, company: number, uom: string | null) {
  const houses = await env
    .model('stock.warehouse')
    .search([['company_id', '=', company]])
    .then((warehouses) => warehouses.load(['name']))
  const figures = await atOnce(
    env,
    ...houses.map(
      ({ id }) =>
        () =>
          quantitiesOf(env.withContext({ warehouse_id: id }), [variant]),
    ),
  )
  return houses.map(({ id, name }, i) => {
    const held = figures[i]?.get(variant)
    return {
      id,
      name,
      available_quantity: held?.onHand ?? 0,
      free_qty: held?.free ?? 0,
      forecasted_quantity: held?.forecast ?? 0,
      uom,
    }
  })
}

/** Throws UserError for values of another product, and for several of one line. */
async function variantFor(
  templates: Templates,
  valueIds: readonly unknown[],
  config: number,
): Promise<object> {
  const id = templates.ensureOne()
  const { env } = templates
  await assertAllowed(env.model('pos.config').browse([config]), 'read')
  const ids = givenIds([...valueIds])
  const values = await env.model('product.template.attribute.value').search([
    ['id', 'in', ids],
    ['product_tmpl_id', '=', id],
  ])
  const lines = new Set((await values.load(['attribute_line_id'])).map((row) => row.attribute_line_id.id))
  if (ids.length === 0 || lines.size < new Set(ids).size)
    throw new UserError('Invalid values: pass one value of each attribute line of the product.')
  const products = env.model('product.product')
  const variants = await (await products.search([['product_tmpl_id', '=', id]])).load([
    'product_template_attribute_value_ids',
  ])
  const wanted = new Set(ids)
  const sameVariant = variants.find(({ product_template_attribute_value_ids: variantValues }) => {
    const has = new Set(variantValues.map((value) => value.id))
    return has.size === wanted.size && [...wanted].every((value) => has.has(value))
  })
  if (!sameVariant)
    await products.create([{ product_tmpl_id: id, product_template_attribute_value_ids: set(ids) }])
  return loadProducts(env, config, [['id', '=', id]], { offset: 0, limit: 0 })
}

export default implement(template, {
  methods: {
    get_product_info_pos: infoOf,
    create_product_variant_from_pos: (templates, { attribute_value_ids, config_id }) =>
      variantFor(templates, attribute_value_ids, config_id),
  },
})
