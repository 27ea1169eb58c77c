// Data that tills load in addition to goods: the company, taxes, customers, places and money.
import { all, type Domain, type Loaded, type Loading, ofCompany, withId } from './load-types.ts'

/** Contacts that a till knows from the start; it asks for the others by name. */
const CONTACTS = 100

/** Taxes of what is sold. */
export const taxesOf = (company: number): Domain => [
  ['type_tax_use', 'in', ['sale', 'none']],
  ['company_id', 'in', [company]],
]

export const companyData = {
  'res.company': {
    fields: [
      'name',
      'currency_id',
      'email',
      'phone',
      'website',
      'vat',
      'street',
      'street2',
      'zip',
      'city',
      'country_id',
      'state_id',
      'company_registry',
      'tax_calculation_rounding_method',
      'account_fiscal_country_id',
      'point_of_sale_update_stock_quantities',
    ],
    domain: withId(({ company }) => company),
  },
  'account.tax': {
    fields: [
      'name',
      'price_include',
      'include_base_amount',
      'is_base_affected',
      'amount_type',
      'amount',
      'children_tax_ids',
      'has_negative_factor',
      'company_id',
      'sequence',
      'tax_group_id',
      'fiscal_position_ids',
      'original_tax_ids',
    ],
    domain: ({ company }: Loading) => taxesOf(company),
    archived: true,
  },
  'account.tax.group': {
    fields: ['name', 'sequence'],
    domain: ({ company }: Loading) => [['company_id', 'in', [company]]],
  },
  'account.fiscal.position': {
    fields: ['name', 'display_name', 'tax_ids'],
    domain: ({ positions }: Loading) => [['id', 'in', [...positions]]],
  },
  'res.partner': {
    fields: [
      'name',
      'display_name',
      'street',
      'street2',
      'city',
      'state_id',
      'country_id',
      'vat',
      'lang',
      'phone',
      'zip',
      'email',
      'barcode',
      'parent_id',
      'is_company',
      'property_account_position_id',
      'property_product_pricelist',
      'write_date',
    ],
    domain: ofCompany,
    limit: CONTACTS,
  },
  'res.country': { fields: ['name', 'code', 'vat_label'], domain: all },
  'res.country.state': { fields: ['name', 'code', 'country_id'], domain: all },
  'res.lang': { fields: ['name', 'code', 'flag_image_url', 'display_name'], domain: all },
  'res.currency': {
    fields: ['name', 'symbol', 'position', 'rounding', 'decimal_places', 'rate'],
    domain: withId(({ currency }) => currency),
  },
} as const satisfies Readonly<Record<string, Loaded>>
