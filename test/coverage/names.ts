// Compares the names that clients of the recorded system use (names.json) with those that the modules
// declare.
import { readFileSync } from 'node:fs'
import { composeRegistry } from '../../src/models/registry/registry.ts'
import { modules } from '../../src/modules/index.ts'

/** A: clients read or call it. B: data that a migration keeps. C: helpers of a user interface. */
const priorities = ['A', 'B', 'C'] as const
type Priority = (typeof priorities)[number]

/** Fields and methods of a model, as words of a line. */
export interface Names {
  readonly fields?: string
  readonly methods?: string
}

const kinds = ['fields', 'methods'] as const
/** Models → names. */
export type ByModel = Record<string, Names>

export const recorded: Record<string, Partial<Record<Priority, Names>>> = JSON.parse(
  readFileSync(new URL('names.json', import.meta.url), 'utf8'),
)

/** Names of priorities A and B that are not offered on purpose, with the reason. */
export const reasons: Record<string, string> = {
  'ir.actions.report.barcode': 'clients draw barcodes',
  'ir.actions.report.get_available_barcode_masks': 'clients draw barcodes',
  'ir.actions.server.resource_ref': 'records are created by calls, not by server actions',
  'ir.attachment.db_datas': 'the content is in datas and raw, wherever it is kept',
  'ir.attachment.force_storage': 'contents are moved by the command line, while the server runs',
  'ir.default.discard_records': 'records cannot be sent; discard_values removes defaults by their values',
  'ir.mail_server.action_retrieve_max_email_size': 'the size is typed in max_email_size',
  'ir.mail_server.send_email': 'a message is an object of Python; mail.mail and message_post send mails',
  'ir.module.module.get_values_from_terp': 'a manifest of Python; get_module_info answers the values',
  'ir.ui.view.apply_inheritance_specs': 'nodes of a parsed view cannot be sent',
  'ir.ui.view.distribute_branding': 'nodes of a parsed view cannot be sent',
  'ir.ui.view.inherit_branding': 'nodes of a parsed view cannot be sent',
  'ir.ui.view.is_node_branded': 'nodes of a parsed view cannot be sent',
  'ir.ui.view.locate_node': 'nodes of a parsed view cannot be sent',
  'ir.ui.view.postprocess_and_fields': 'nodes of a parsed view cannot be sent',
  'ir.ui.view.render_public_asset': 'no views are rendered',
  'mail.message.author_guest_id': 'people who write have a contact: there are no guests',
  'mail.message.call_history_ids': 'there are no calls',
  'mail.message.message_link_preview_ids': 'links are not fetched',
  'mail.message.record_alias_domain_id': 'mails do not come in by aliases',
  'pos.confirmation.wizard.action_confirm':
    'a question of a user interface before a call on orders, which is offered itself',
  'pos.confirmation.wizard.get_selected_orders': 'the orders are those that a client selected',
  'res.users.res_users_settings_ids': 'settings of screens are kept by clients',
  'stock.move.line.get_move_line_quant_match':
    'for a form with changes that are not saved; quant_id takes over what lies somewhere',
}

/** Fields that are offered and have one value only, as this server has no situation for another one. */
export const constants: Record<string, string> = {
  'account.account.non_trade': 'kept for reports of other systems',
  'account.journal.incoming_einvoice_notification_email': 'no electronic invoices come in',
  'account.journal.show_fetch_in_einvoices_button': 'no electronic invoices come in',
  'account.journal.show_refresh_out_einvoices_status_button': 'no electronic invoices are sent',
  'account.move.always_tax_exigible': 'no taxes are due on payment: tax_exigibility is kept',
  'account.move.invoice_vendor_bill_id': 'a field of forms: writing it copies the lines of a bill',
  'account.move.is_being_sent': 'documents are sent within the call',
  'account.move.line.deductible_amount': 'kept: private shares of bills are not booked',
  'account.move.need_cancel_request': 'no authority has to agree to a cancellation',
  'account.move.purchase_id': 'a field of forms: writing it adds the lines of an order',
  'account.move.purchase_vendor_bill_id': 'a field of forms: writing it adds the lines of an order or bill',
  'account.move.qr_code_method': 'no codes for payments are drawn',
  'account.move.quick_edit_total_amount': 'a field of forms',
  'account.move.secure_sequence_number': 'seals follow the numbers of entries',
  'account.move.tax_cash_basis_origin_move_id': 'no taxes are due on payment',
  'account.move.tax_cash_basis_rec_id': 'no taxes are due on payment',
  'account.payment.payment_receipt_title': 'receipts have one title',
  'account.payment.qr_code': 'no codes for payments are drawn',
  'account.payment.register.missing_account_partners': 'no payment method requires an account',
  'account.payment.register.qr_code': 'no codes for payments are drawn',
  'account.payment.require_partner_bank_account': 'no payment method requires an account',
  'account.payment.term.example_amount': 'the example is for 1000',
  'pos.order.access_url': 'orders of tills have no page; get_portal_url has the address of the receipt',
  'pos.order.stock_reference_ids': 'kept: transfers name their order in origin',
  'product.category.packaging_reserve_method': 'kept: goods are reserved by the piece',
  'product.template.account_tag_ids': 'kept: tags of items come from taxes',
  'purchase.order.reference_ids': 'kept: receipts name their order in origin',
  'res.company.display_account_storno': 'clients decide whether they offer it',
  'res.company.force_restrictive_audit_trail': 'rules of countries do not come with the server',
  'res.company.stock_move_email_validation': 'kept: mails about deliveries are sent by hand',
  'res.country.image_url': 'there are no pictures of flags',
  'res.partner.group_on': 'kept: requests to vendors are joined by vendor, company and currency',
  'res.partner.group_rfq': 'kept: requests to vendors are joined by vendor, company and currency',
  'res.users.property_warehouse_id': 'kept: orders name their warehouse themselves',
  'sale.order.incoterm': 'kept: invoices get theirs when they are written',
  'sale.order.line.selected_combo_items': 'a field of forms: writing it chooses the parts of a combo',
  'sale.order.show_update_fpos': 'taxes follow the fiscal position at once',
  'sale.order.show_update_pricelist': 'a field of forms: orders that are stored have no prices to update',
  'sale.order.stock_reference_ids': 'kept: transfers name their order in sale_id and origin',
  'stock.location.valuation_account_id': 'kept: closing entries book by the category of goods',
  'stock.lot.display_complete': 'lots that are stored are complete',
  'stock.move.line.quant_id': 'a field of forms: writing it takes over what lies somewhere',
  'stock.move.reference_ids': 'kept: moves name their document in origin',
  'stock.picking.package_history_ids': 'kept: moves of packages are read from their lines',
  'stock.picking.reference_ids': 'those of its moves',
  'stock.putaway.rule.package_type_ids': 'kept: rules go by product and category',
  'stock.warehouse.xdock_type_id': 'kept: goods cross the dock by the types of receipts and deliveries',
}

/** Files of `missing/`, by the models that are in them; the first that fits has a model. */
const lists = {
  books: /^(account|sale|purchase|crm)\.|^res\.(company|currency|partner\.bank)$/,
  goods: /^(stock|product|pos|uom)\.|^res\.(partner|users|lang|country)$/,
  others: /./,
} as const
export type List = keyof typeof lists
export const listNames: readonly List[] = ['books', 'goods', 'others']

export const listOf = (model: string): List => listNames.find((name) => lists[name].test(model)) ?? 'others'

export const words = (text: string | undefined): string[] => text?.split(' ').filter(Boolean) ?? []

/** The recorded names of some priorities that modules here do not declare. */
export function missingOf(chosen: readonly Priority[]): ByModel {
  const { models } = composeRegistry(modules)
  const missing: ByModel = {}
  for (const [model, byPriority] of Object.entries(recorded)) {
    const metadata = models.get(model)
    const names: { fields?: string; methods?: string } = {}
    for (const kind of kinds) {
      const absent = chosen
        .flatMap((priority) => words(byPriority[priority]?.[kind]))
        .filter((name) => !metadata?.[kind].has(name) || metadata.fields.get(name)?.options.hidden)
        .filter((name) => !reasons[`${model}.${name}`])
      if (absent.length) names[kind] = absent.toSorted().join(' ')
    }
    if (Object.keys(names).length) missing[model] = names
  }
  return missing
}

/** Whether modules declare the field of a name such as `res.country.image_url`. */
export function declares(name: string): boolean {
  const dot = name.lastIndexOf('.')
  return Boolean(
    composeRegistry(modules)
      .models.get(name.slice(0, dot))
      ?.fields.has(name.slice(dot + 1)),
  )
}

/** Names that are still to come, as `missing/LIST.json` says. */
export const listed = (list: List): ByModel =>
  JSON.parse(readFileSync(new URL(`missing/${list}.json`, import.meta.url), 'utf8'))

/** The page of what is not offered, from the names of priority C that are missing. */
export function pageOf(missing: ByModel): string {
  const rows = Object.entries(missing).map(
    ([model, { fields, methods }]) =>
      `| ${model} | ${words(fields).join(' ')} | ${words(methods).join(' ')} |`,
  )
  return `# Names that are not offered
The recorded system has helpers of its user interface that this server does not offer. A client that names one gets a 422 that says so.
\`node --import ./bin/imports.js test/coverage/run.ts --update\` writes this page; a test keeps it true.

| Model | Fields | Methods |
| --- | --- | --- |
${rows.join('\n')}

## Names that clients use
| Name | Why it is not offered |
| --- | --- |
${Object.entries(reasons)
  .map(([name, reason]) => `| ${name} | ${reason} |`)
  .join('\n')}

## Fields with one value
They are stored as clients write them, or have the value of a feature that is not offered.

| Name | Why it does not vary |
| --- | --- |
${Object.entries(constants)
  .map(([name, reason]) => `| ${name} | ${reason} |`)
  .join('\n')}
`
}
