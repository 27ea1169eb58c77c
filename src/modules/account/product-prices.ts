// Products (product.template, product.product): what their prices are with and without taxes, in words, and
// the accounts that they are booked on.
import {
  char,
  computedTogether,
  type Environment,
  extend,
  implement,
  type Of,
  optional,
  returns,
} from '#models'
import { present } from '../../kit/present.ts'
import { mapAccounts } from './fiscal-positions.ts'
import { documentTotals } from './tax-engine/index.ts'
import { loadTaxes } from './taxes.ts'
import { accountsOf } from './variant.ts'

const taxString = () =>
  char({ label: 'Price and Taxes', computed: true, help: 'The sales price with and without taxes.' })

const template = extend('product.template', {
  fields: { tax_string: taxString() },
  methods: {
    get_product_accounts: {
      doc: 'Returns the income, expense and other accounts of the product, mapped by a fiscal position.',
      readonly: true,
      params: { fiscal_pos: optional<unknown>('any', null, { annotation: 'int | None' }) },
      returns: returns<Record<string, string>>('object', 'dict[str, str]'),
    },
  },
})
const product = extend('product.product', { fields: { tax_string: taxString() } })

declare module '#models' {
  interface ProductTemplate extends Of<typeof template> {}
  interface ProductProduct extends Of<typeof product> {}
}

interface Priced {
  readonly id: number
  readonly price: number
  readonly taxes: readonly { readonly id: number }[]
  readonly currency: {
    readonly symbol: string
    readonly position: string | null
    readonly rounding: number
  } | null
}

/** By product: `(= $ 9.20 Incl. Taxes)`, with the price without taxes where that is another one too. */
async function taxStrings(env: Environment, products: readonly Priced[]): Promise<Map<number, string>> {
  const company = await env
    .sudo()
    .model('res.company')
    .browse([env.companyId])
    .one(['tax_calculation_rounding_method'])
  const mine = await env
    .sudo()
    .model('account.tax')
    .search([
      ['id', 'in', products.flatMap(({ taxes }) => taxes.map(({ id }) => id))],
      ['company_id', 'parent_of', [env.companyId]],
    ])
  const ofCompany = new Set(mine.ids)
  const taxesOf = await loadTaxes(env, mine.ids)
  return new Map(
    products.map(({ id, price, taxes, currency }) => {
      const productTaxes = taxesOf(taxes.filter((tax) => ofCompany.has(tax.id)).map((tax) => tax.id))
      const rounding = currency?.rounding ?? 0.01
      const { untaxed, total } = documentTotals(
        [{ priceUnit: price, quantity: 1, discount: 0, taxes: productTaxes }],
        {
          rounding,
          method: company.tax_calculation_rounding_method ?? 'round_globally',
        },
      )
      const money = (amount: number) => {
        const digits = Math.max(0, Math.round(-Math.log10(rounding)))
        const text = amount.toFixed(digits)
        const symbol = currency?.symbol ?? ''
        return currency?.position === 'after' ? `${text}\u00a0${symbol}` : `${symbol}\u00a0${text}`
      }
      const parts = [
        ...(total === price ? [] : [`${money(total)} Incl. Taxes`]),
        ...(untaxed === price ? [] : [`${money(untaxed)} Excl. Taxes`]),
      ]
      return [id, parts.length ? `(= ${parts.join(', ')})` : ' ']
    }),
  )
}

/** As clients of the recorded system see a record within an answer. */
export const recordText = (model: string, id: number | null | undefined): string =>
  id ? `${model}(${id},)` : `${model}()`

export const productPrices = [
  implement(template, {
    computed: {
      tax_string: computedTogether(
        template,
        ['list_price', 'taxes_id', 'currency_id.symbol', 'currency_id.position', 'currency_id.rounding'],
        (templates, env) =>
          taxStrings(
            env,
            templates.map((template) => ({
              id: template.id,
              price: template.list_price,
              taxes: template.taxes_id,
              currency: template.currency_id,
            })),
          ),
      ),
    },
    methods: {
      get_product_accounts: async (templates, { fiscal_pos }) => {
        const { env } = templates
        const { product_variant_ids: variants } = await templates.one(['product_variant_ids'])
        const ids = variants.slice(0, 1).map(({ id }) => id)
        const mapped = await mapAccounts(env, Number.isInteger(fiscal_pos) ? Number(fiscal_pos) : null)
        const account = async (side: 'income' | 'expense') => {
          const accountId = ids.length ? (await accountsOf(env, ids, side)).get(present(ids[0])) : undefined
          return recordText('account.account', accountId === undefined ? null : mapped(accountId))
        }
        return { income: await account('income'), expense: await account('expense') }
      },
    },
  }),
  implement(product, {
    computed: {
      tax_string: computedTogether(
        product,
        [
          'lst_price',
          'product_tmpl_id.taxes_id',
          'product_tmpl_id.currency_id.symbol',
          'product_tmpl_id.currency_id.position',
          'product_tmpl_id.currency_id.rounding',
        ],
        (products, env) =>
          taxStrings(
            env,
            products.map((product) => ({
              id: product.id,
              price: product.lst_price,
              taxes: product.product_tmpl_id.taxes_id,
              currency: product.product_tmpl_id.currency_id,
            })),
          ),
      ),
    },
  }),
] as const
