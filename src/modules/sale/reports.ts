// Reports that clients find listed for orders (ir.actions.report); programs that print name them by
// `report_name`.
import { type DataSet, ref } from '#models'

export const reports: DataSet = {
  model: 'ir.actions.report',
  records: {
    action_report_saleorder: {
      name: 'PDF Quote',
      model: 'sale.order',
      report_name: 'sale.report_saleorder',
      report_file: 'sale.report_saleorder',
      report_type: 'qweb-pdf',
      binding_model_id: ref('sale.model_sale_order'),
    },
  },
}
