// The form by which a document is sent to its contact (account.move.send.wizard): what is promised.
import {
  boolean,
  char,
  html,
  json,
  many2many,
  many2one,
  type Of,
  optional,
  returns,
  selection,
  text,
  transient,
} from '#models'
import { actionMethod } from '../../base/index.ts'
import { formats } from '../partner-choices.ts'

const action = returns<object>('object', 'dict')
/** Proposed for the document, and for the person who sends it to change. */
const proposal = { computed: true, stored: true, readonly: false } as const

export const form = transient('account.move.send.wizard', {
  label: 'Account Move Send Wizard',
  recName: 'subject',
  fields: {
    move_id: many2one('account.move', { label: 'Move', required: true, ondelete: 'cascade' }),
    company_id: many2one('res.company', { label: 'Company', related: 'move_id.company_id' }),
    model: char({ label: 'Related Document Model', ...proposal }),
    res_ids: text({ label: 'Related Document IDs', ...proposal }),
    sending_method_checkboxes: json({
      label: 'Sending Method Checkboxes',
      ...proposal,
      help: 'Ways of sending (manual is a download, email a mail), each with its label and whether it is chosen.',
    }),
    sending_methods: json({ label: 'Sending Methods', computed: true, readonly: false }),
    extra_edi_checkboxes: json({
      label: 'Extra Edi Checkboxes',
      help: 'Kept: the PDF is the only format that is sent.',
    }),
    extra_edis: json({ label: 'Extra Edis', computed: true }),
    invoice_edi_format: selection(formats, { label: 'Invoice Edi Format', computed: true }),
    pdf_report_id: many2one('ir.actions.report', { label: 'Invoice report', ...proposal }),
    available_pdf_report_ids: many2many('ir.actions.report', {
      label: 'Available Pdf Report',
      computed: true,
    }),
    display_pdf_report_id: boolean({ label: 'Display Pdf Report', computed: true }),
    template_id: many2one('mail.template', { label: 'Mail Template', ...proposal, ondelete: 'set null' }),
    template_name: char({ label: 'Template Name', help: 'Of the template that is made of the form.' }),
    subject: char({ label: 'Subject', ...proposal }),
    body: html({ label: 'Contents', ...proposal }),
    mail_partner_ids: many2many('res.partner', { label: 'To', ...proposal }),
    mail_attachments_widget: json({
      label: 'Mail Attachments Widget',
      ...proposal,
      help: 'Files that go with the mail: those that are there by id, and the print, which is still to be made.',
    }),
    display_attachments_widget: boolean({ label: 'Display Attachments Widget', computed: true }),
    attachments_not_supported: json({ label: 'Attachments Not Supported', computed: true }),
    alerts: json({ label: 'Alerts', computed: true, help: 'Obstacles to the sending.' }),
  },
  methods: {
    action_send_and_print: {
      doc: 'Prints the document and sends it in the chosen ways. Returns the URL of the PDF if it is to be downloaded.',
      params: {
        allow_fallback_pdf: optional<boolean>('boolean', false, {
          annotation: 'bool',
          doc: 'No effect: the document is a PDF in any case.',
        }),
      },
      returns: action,
    },
    create_mail_template: actionMethod('Saves subject and body as a template.'),
    cancel_save_template: actionMethod('Returns to the form without saving a template.'),
    open_template_creation_wizard: actionMethod('Shows the form to name a template.'),
  },
})

declare module '#models' {
  interface Models {
    'account.move.send.wizard': SendDocument
  }
  interface SendDocument extends Of<typeof form> {}
}
