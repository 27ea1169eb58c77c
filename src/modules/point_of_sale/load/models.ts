// What a till loads when it starts: the models in their order, which of their records, and in which form.
import type { ModelName } from '#models'

/** The point of sale that loads, as far as that decides what is loaded. */
export interface Loading {
  readonly session: number
  readonly config: number
  readonly company: number
  readonly user: number
  readonly currency: number
  /** Categories that it is limited to, with all above and below them; null for all. */
  readonly categories: readonly number[] | null
  readonly usesPricelist: boolean
  readonly pricelists: readonly number[]
  readonly positions: readonly number[]
  readonly rounding: number | null
  readonly warehouse: number | null
}

type Domain = readonly unknown[]

interface Loaded {
  readonly fields: readonly string[]
  readonly domain: (of: Loading) => Domain
  /** Archived records too. */
  readonly archived?: boolean
  readonly order?: string
  readonly limit?: number
  /** A field without which nothing of the model is loaded: that of a module that may not be there. */
  readonly needs?: string
}

const all = (): Domain => []
const own = (id: (of: Loading) => number | null) => (of: Loading) => [['id', '=', id(of) ?? 0]]
const ofCompany = ({ company }: Loading): Domain => [
  '|',
  ['company_id', '=', false],
  ['company_id', 'in', [company]],
]
const ofSession = ({ session }: Loading, path: string): Domain => [[path, '=', session]]
/** What a till may sell. */
const sold = (of: Loading): Domain => [
  ['available_in_pos', '=', true],
  ['sale_ok', '=', true],
  ...ofCompany(of),
  ...(of.categories ? [['pos_categ_ids', 'in', [...of.categories]]] : []),
]

/** Contacts that a till knows from the start; it asks for the others by name. */
const CONTACTS = 100

/** Models that this module and those below it load; others add theirs by `loadWithTills`. */
export const loaded = new Map<string, Loaded>(
  Object.entries({
    'pos.config': {
      fields: [
        'name',
        'company_id',
        'uuid',
        'currency_id',
        'journal_id',
        'invoice_journal_id',
        'payment_method_ids',
        'use_pricelist',
        'pricelist_id',
        'available_pricelist_ids',
        'tax_regime_selection',
        'fiscal_position_ids',
        'default_fiscal_position_id',
        'cash_control',
        'cash_rounding',
        'rounding_method',
        'only_round_cash_method',
        'set_maximum_difference',
        'amount_authorized_diff',
        'price_check',
        'limit_categories',
        'iface_available_categ_ids',
        'iface_tax_included',
        'iface_tipproduct',
        'tip_product_id',
        'iface_cashdrawer',
        'iface_print_auto',
        'manual_discount',
        'restrict_price_control',
        'is_margins_costs_accessible_to_every_user',
        'ship_later',
        'picking_policy',
        'picking_type_id',
        'warehouse_id',
        'module_pos_restaurant',
        'default_bill_ids',
        'note_ids',
        'printer_ids',
        'use_presets',
        'default_preset_id',
        'available_preset_ids',
        'receipt_header',
        'receipt_footer',
        'current_session_id',
        'current_session_state',
        'has_active_session',
        'last_session_closing_cash',
        'last_session_closing_date',
        'down_payment_product_id',
        'write_date',
      ],
      domain: own(({ config }) => config),
    },
    'pos.preset': {
      fields: ['name', 'pricelist_id', 'fiscal_position_id', 'identification', 'is_return', 'color'],
      domain: all,
    },
    'pos.payment.method': {
      fields: [
        'name',
        'sequence',
        'active',
        'company_id',
        'journal_id',
        'type',
        'is_cash_count',
        'split_transactions',
        'payment_method_type',
        'use_payment_terminal',
        'qr_code_method',
        'config_ids',
      ],
      domain: ({ config }: Loading) => [['config_ids', 'in', [config]]],
      archived: true,
    },
    'pos.printer': {
      fields: ['name', 'printer_type', 'proxy_ip', 'product_categories_ids'],
      domain: ({ config }: Loading) => [['pos_config_ids', 'in', [config]]],
    },
    'pos.category': {
      fields: [
        'name',
        'parent_id',
        'child_ids',
        'sequence',
        'color',
        'hour_after',
        'hour_until',
        'has_image',
        'write_date',
      ],
      domain: ({ categories }: Loading) => (categories ? [['id', 'in', [...categories]]] : []),
    },
    'pos.bill': {
      fields: ['name', 'value', 'for_all_config', 'pos_config_ids'],
      domain: ({ config }: Loading) => [
        '|',
        ['for_all_config', '=', true],
        ['pos_config_ids', 'in', [config]],
      ],
    },
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
      domain: own(({ company }) => company),
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
      domain: ({ company }: Loading) => [
        ['type_tax_use', 'in', ['sale', 'none']],
        ['company_id', 'in', [company]],
      ],
      archived: true,
    },
    'account.tax.group': {
      fields: ['name', 'sequence'],
      domain: ({ company }: Loading) => [['company_id', 'in', [company]]],
    },
    'product.template': {
      fields: [
        'display_name',
        'name',
        'type',
        'list_price',
        'standard_price',
        'default_code',
        'barcode',
        'categ_id',
        'pos_categ_ids',
        'taxes_id',
        'uom_id',
        'active',
        'available_in_pos',
        'to_weight',
        'pos_sequence',
        'is_favorite',
        'color',
        'description_sale',
        'public_description',
        'product_variant_ids',
        'attribute_line_ids',
        'combo_ids',
        'product_tag_ids',
        'pos_optional_product_ids',
        'tracking',
        'company_id',
        'write_date',
      ],
      domain: sold,
    },
    'product.product': {
      fields: [
        'display_name',
        'lst_price',
        'standard_price',
        'product_tmpl_id',
        'barcode',
        'default_code',
        'product_template_variant_value_ids',
        'product_template_attribute_value_ids',
        'active',
        'write_date',
      ],
      domain: sold,
    },
    'product.attribute': { fields: ['name', 'display_type', 'create_variant', 'sequence'], domain: all },
    'product.attribute.value': {
      fields: ['name', 'attribute_id', 'is_custom', 'html_color', 'sequence'],
      domain: all,
    },
    'product.template.attribute.line': {
      fields: ['product_tmpl_id', 'attribute_id', 'product_template_value_ids', 'sequence'],
      domain: () => [['product_tmpl_id.available_in_pos', '=', true]],
    },
    'product.template.attribute.value': {
      fields: [
        'name',
        'attribute_id',
        'attribute_line_id',
        'product_attribute_value_id',
        'price_extra',
        'is_custom',
        'html_color',
        'product_tmpl_id',
      ],
      domain: () => [['product_tmpl_id.available_in_pos', '=', true]],
    },
    'product.combo': { fields: ['name', 'combo_item_ids', 'base_price', 'sequence'], domain: ofCompany },
    'product.combo.item': { fields: ['combo_id', 'product_id', 'extra_price'], domain: all },
    'res.users': { fields: ['name', 'partner_id', 'login'], domain: own(({ user }) => user) },
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
    'product.uom': { fields: ['barcode', 'product_id', 'uom_id'], domain: all },
    'decimal.precision': { fields: ['name', 'digits'], domain: all },
    'uom.uom': {
      fields: ['name', 'factor', 'relative_factor', 'relative_uom_id', 'rounding', 'active'],
      domain: all,
      archived: true,
    },
    'res.country': { fields: ['name', 'code', 'vat_label'], domain: all },
    'res.country.state': { fields: ['name', 'code', 'country_id'], domain: all },
    'res.lang': { fields: ['name', 'code', 'flag_image_url', 'display_name'], domain: all },
    'product.category': { fields: ['name', 'display_name', 'parent_id'], domain: all },
    'product.pricelist': {
      fields: ['name', 'display_name', 'currency_id', 'item_ids'],
      domain: ({ pricelists }: Loading) => [['id', 'in', [...pricelists]]],
    },
    'product.pricelist.item': {
      fields: [
        'pricelist_id',
        'product_tmpl_id',
        'product_id',
        'categ_id',
        'applied_on',
        'compute_price',
        'fixed_price',
        'percent_price',
        'price_discount',
        'price_surcharge',
        'price_round',
        'price_min_margin',
        'price_max_margin',
        'base',
        'base_pricelist_id',
        'min_quantity',
        'date_start',
        'date_end',
        'currency_id',
        'company_id',
      ],
      domain: ({ pricelists }: Loading) => [['pricelist_id', 'in', [...pricelists]]],
    },
    'account.cash.rounding': {
      fields: ['name', 'rounding', 'rounding_method', 'strategy'],
      domain: own(({ rounding }) => rounding),
    },
    'account.fiscal.position': {
      fields: ['name', 'display_name', 'tax_ids'],
      domain: ({ positions }: Loading) => [['id', 'in', [...positions]]],
    },
    'stock.warehouse': { fields: ['name', 'code'], domain: own(({ warehouse }) => warehouse) },
    'stock.picking.type': {
      fields: ['name', 'use_create_lots', 'use_existing_lots', 'code'],
      domain: ({ company }: Loading) => [
        ['company_id', '=', company],
        ['code', '=', 'outgoing'],
      ],
    },
    'res.currency': {
      fields: ['name', 'symbol', 'position', 'rounding', 'decimal_places', 'rate'],
      domain: own(({ currency }) => currency),
    },
    'pos.note': { fields: ['name', 'sequence', 'color'], domain: all },
    'product.tag': { fields: ['name', 'color', 'sequence'], domain: all },
    'ir.module.module': {
      fields: ['name', 'state'],
      domain: () => [['name', 'in', ['pos_settle_due', 'pos_restaurant', 'pos_hr']]],
    },
    'pos.order': {
      fields: [],
      domain: (of: Loading) => [...ofSession(of, 'session_id'), ['state', '=', 'draft']],
    },
    'pos.order.line': {
      fields: [],
      domain: (of: Loading) => [...ofSession(of, 'order_id.session_id'), ['order_id.state', '=', 'draft']],
    },
    'pos.payment': {
      fields: [],
      domain: (of: Loading) => [...ofSession(of, 'session_id'), ['pos_order_id.state', '=', 'draft']],
    },
    'pos.pack.operation.lot': {
      fields: [],
      domain: (of: Loading) => [
        ...ofSession(of, 'pos_order_line_id.order_id.session_id'),
        ['pos_order_line_id.order_id.state', '=', 'draft'],
      ],
    },
  } satisfies Record<string, Loaded>),
)

/**
 * Tills load records of a further model: for modules that add to them. Its name is checked where it is
 * loaded.
 */
export function loadWithTills(model: ModelName, how: Loaded): void {
  loaded.set(model, how)
}
