// The mail that reminds vendors of a receipt, and how it looks (purchase.order).
import { dataSet, extend, implement, type Of, ref } from '#models'
import { UserError } from '../../errors.ts'
import { present } from '../../kit/present.ts'
import { actionMethod, assertAllowedAndExisting } from '../base/index.ts'
import { namedRecord } from '../mail/index.ts'

const order = extend('purchase.order', {
  fields: {},
  methods: {
    send_reminder_preview: actionMethod(
      'Sends the receipt reminder that the vendor would get to the caller.',
    ),
  },
})

declare module '#models' {
  interface PurchaseOrder extends Of<typeof order> {}
}

const TEMPLATE = 'purchase.email_template_edi_purchase_reminder'

export const reminderTemplate = dataSet(
  'mail.template',
  {
    email_template_edi_purchase_reminder: {
      name: 'Purchase: Vendor Reminder',
      model_id: ref('model_purchase_order'),
      lang: '{{ object.partner_id.lang }}',
      subject: '{{ object.company_id.name }} Order {{ object.name }}',
      partner_to: '{{ object.partner_id.id }}',
      body_html:
        '<p>Dear {{ object.partner_id.name }},</p><p>We expect the goods of order {{ object.name }} on {{ format_date(object.date_planned) }}. Please confirm that they come on that day.</p><p>{{ object.company_id.name }}</p>',
    },
  },
  { noupdate: true },
)

export const reminders = implement(order, {
  methods: {
    send_reminder_preview: async (orders) => {
      const { env } = orders
      await assertAllowedAndExisting(orders, 'write')
      const id = orders.ensureOne()
      const template = await namedRecord(env, 'mail.template', TEMPLATE)
      if (template === null)
        throw new UserError(
          `The template of reminders was removed: make one with the external id ${TEMPLATE}.`,
        )
      const { email } = await env.sudo().model('res.partner').browse([env.user.partnerId]).one(['email'])
      if (!email) throw new UserError('You have no email address: enter one in your preferences.')
      await env
        .model('mail.template')
        .browse([template])
        .send_mail({
          res_id: id,
          email_values: { recipient_ids: [env.user.partnerId], email_to: '', email_cc: '' },
        })
      return {
        type: 'ir.actions.client',
        tag: 'display_notification',
        params: { type: 'success', message: `The reminder was sent to ${present(email)}.` },
      }
    },
  },
})
