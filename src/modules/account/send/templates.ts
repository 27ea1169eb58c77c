// Mails by which documents are sent (mail.template). Those who run the shop may change them.
import { dataSet, ref } from '#models'

const mailOf = (name: string, what: string) => ({
  name: `${name}: Sending`,
  model_id: ref('model_account_move'),
  lang: '{{ object.partner_id.lang }}',
  subject: `{{ object.company_id.name }} ${name} {{ object.name }}`,
  partner_to: '{{ object.partner_id.id }}',
  body_html: `<p>Dear {{ object.partner_id.name }},</p><p>Here is your ${what} {{ object.name }} of {{ format_amount(object.amount_total, object.currency_id) }} from {{ object.company_id.name }}.</p>`,
})

export const mailTemplates = dataSet(
  'mail.template',
  {
    email_template_edi_invoice: mailOf('Invoice', 'invoice'),
    email_template_edi_credit_note: mailOf('Credit Note', 'credit note'),
  },
  { noupdate: true },
)
