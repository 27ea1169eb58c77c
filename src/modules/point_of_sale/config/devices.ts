// Devices, screens and printouts of points of sale (pos.config): what tills go by, kept for them.
import { binary, boolean, char, datetime, many2many, many2one } from '#models'

/** A switch that tills go by. */
const toggle = (label: string, help?: string, on = false) =>
  boolean({ label, ...(help === undefined ? {} : { help }), ...(on ? { default: true } : {}) })

export const devices = {
  is_posbox: toggle('Hardware Proxy', 'Devices are reached by way of a proxy.'),
  proxy_ip: char({ label: 'Proxy Address', size: 45 }),
  iface_electronic_scale: toggle('Electronic Scale'),
  iface_print_via_proxy: toggle('Print by the Proxy'),
  iface_scan_via_proxy: toggle('Scan by the Proxy'),
  other_devices: toggle('Other Devices', 'Devices are reached without a proxy.'),
  epson_printer_ip: char({ label: 'Address of the Epson Printer' }),
  is_order_printer: toggle('Order Printer'),
  iface_print_skip_screen: toggle('Skip the Preview', 'Receipts print without being shown first.', true),
  basic_receipt: toggle('Basic Receipt', 'Receipts can be printed without prices.'),
  is_header_or_footer: toggle('Header and Footer', 'Receipts carry a text above or below.'),
  customer_display_bg_img: binary({
    label: 'Background of the Customer Display',
    image: true,
    maxWidth: 1920,
  }),
  customer_display_bg_img_name: char({ label: 'Name of the Background' }),
  show_product_images: toggle('Show Pictures of Products', undefined, true),
  show_category_images: toggle('Show Pictures of Categories', undefined, true),
  iface_group_by_categ: toggle('Group Products by Category'),
} as const

export const selling = {
  auto_validate_terminal_payment: toggle(
    'Validate Terminal Payments',
    'An order is done once the terminal took the money.',
    true,
  ),
  use_fast_payment: toggle('Fast Payment'),
  fast_payment_method_ids: many2many('pos.payment.method', {
    label: 'Fast Payment Methods',
    help: 'Payment methods that take one touch.',
    relation: {
      table: 'pos_config_fast_payment_method_rel',
      column: 'pos_config_id',
      other: 'pos_payment_method_id',
    },
  }),
  fallback_nomenclature_id: many2one('barcode.nomenclature', {
    label: 'Second Nomenclature',
    ondelete: 'set null',
    help: 'Nomenclature for barcodes that the first one does not recognize.',
  }),
  order_edit_tracking: toggle('Track Changes of Orders', 'Orders note that lines of them were changed.'),
  trusted_config_ids: many2many('pos.config', {
    label: 'Trusted Points of Sale',
    help: 'Points of sale that share their open orders with this one.',
    relation: { table: 'pos_config_trust_relation', column: 'is_trusting', other: 'is_trusted' },
  }),
  route_id: many2one('stock.route', {
    label: 'Route of Goods Delivered Later',
    ondelete: 'set null',
  }),
  group_pos_manager_id: many2one('res.groups', {
    label: 'Group of Managers',
    ondelete: 'set null',
  }),
  group_pos_user_id: many2one('res.groups', { label: 'Group of Cashiers', ondelete: 'set null' }),
  module_pos_discount: toggle('Global Discounts'),
  module_pos_hr: toggle('Log in with Employees'),
  module_pos_appointment: toggle('Online Booking'),
  module_pos_avatax: toggle('AvaTax at Tills'),
  module_pos_sms: toggle('Receipts by Text Message'),
  last_data_change: datetime({
    label: 'Last Change',
    readonly: true,
    copy: false,
    help: 'When the set-up changed last: tills that loaded before load again.',
  }),
} as const
