// Reports that clients find listed for invoices (ir.actions.report).
import { boolean, type DataSet, type DataVals, extend, implement, type Of, ref } from '#models'

const report = extend('ir.actions.report', {
  fields: { is_invoice_report: boolean({ label: 'Invoice report' }) },
})

declare module '#models' {
  interface Report extends Of<typeof report> {}
}

export const invoiceReports = implement(report)

const ofInvoices = (name: string, report_name: string): DataVals<'ir.actions.report'> => ({
  name,
  model: 'account.move',
  report_name,
  report_file: report_name,
  report_type: 'qweb-pdf',
  is_invoice_report: true,
  binding_model_id: ref('account.model_account_move'),
})

export const reports: DataSet = {
  model: 'ir.actions.report',
  records: {
    account_invoices: { ...ofInvoices('PDF', 'account.report_invoice_with_payments'), attachment_use: true },
    account_invoices_without_payment: {
      ...ofInvoices('PDF without Payment', 'account.report_invoice'),
      attachment_use: true,
    },
  },
}
