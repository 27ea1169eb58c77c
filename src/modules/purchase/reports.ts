// Reports that clients find listed for orders (ir.actions.report); programs that print name them by
// `report_name`.
import { type DataSet, type DataVals, ref } from '#models'

const report = (name: string, report_name: string): DataVals<'ir.actions.report'> => ({
  name,
  model: 'purchase.order',
  report_name,
  report_file: report_name,
  report_type: 'qweb-pdf',
  binding_model_id: ref('purchase.model_purchase_order'),
})

export const reports: DataSet = {
  model: 'ir.actions.report',
  records: {
    action_report_purchase_order: report('Purchase Order', 'purchase.report_purchaseorder'),
    report_purchase_quotation: report('Request for Quotation', 'purchase.report_purchasequotation'),
  },
}
