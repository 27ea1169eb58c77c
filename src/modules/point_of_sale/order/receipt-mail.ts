// Mailed receipts (pos.order): pictures that a till made of them go to the customer by a template.
import { extend, implement, type Of, type Records, required, returns } from '#models'
import { InvalidValue, UserError } from '../../../errors.ts'
import { assertAllowedAndExisting, portalAddress, portalMethods } from '../../base/index.ts'

type Orders = Records<'pos.order'>

const picture = (doc: string) => required<unknown>('any', { doc, annotation: 'str' })

const order = extend('pos.order', {
  fields: {},
  methods: {
    ...portalMethods,
    action_send_receipt: {
      doc: 'Mails the receipt of an order to an address, which the order keeps.',
      params: {
        email: required<unknown>('any', { annotation: 'str' }),
        ticket_image: picture('The receipt as a picture, in base64'),
        basic_image: picture('The receipt without prices, or nothing'),
      },
      returns: returns<true>('boolean', 'bool'),
    },
  },
})

declare module '#models' {
  interface PosOrder extends Of<typeof order> {}
}

const ADDRESS = /^[^\s@,;<>"]+@[^\s@,;<>"]+$/

/** A picture, or null for an empty value. Throws InvalidValue for others. */
function pictureOf(name: string, value: unknown): string | null {
  if (value === null || value === undefined || value === false || value === '') return null
  if (typeof value !== 'string') throw new InvalidValue(`${name} must be an image in base64.`)
  return value
}

async function sendReceipt(
  orders: Orders,
  { email, ticket_image, basic_image }: { email: unknown; ticket_image: unknown; basic_image: unknown },
): Promise<true> {
  const res_id = orders.ensureOne()
  await assertAllowedAndExisting(orders, 'write')
  if (typeof email !== 'string' || !ADDRESS.test(email))
    throw new UserError(
      `Invalid email address ${JSON.stringify(email)}: use a form such as name@example.com.`,
    )
  const { env } = orders
  const row = await orders.one(['name', 'state'])
  if (row.state === 'draft' || row.state === 'cancel')
    throw new UserError(`Order ${row.name} is not paid, so it has no receipt: pay it first.`)
  const template = await env.find('point_of_sale.email_template_pos_receipt')
  if (template === null)
    throw new UserError(
      'The mail template of receipts was removed: create one with the external id point_of_sale.email_template_pos_receipt.',
    )
  const pictures = [
    ['Receipt', pictureOf('ticket_image', ticket_image)],
    ['Basic receipt', pictureOf('basic_image', basic_image)],
  ] as const
  const files = await env
    .model('ir.attachment')
    .create(
      pictures.flatMap(([title, datas]) =>
        datas ? [{ name: `${title} ${row.name}.jpg`, datas, res_model: 'pos.order', res_id }] : [],
      ),
    )
  await orders.write({ email })
  await env
    .model('mail.template')
    .browse([template])
    .send_mail({ res_id, email_values: { email_to: email, recipient_ids: [], attachment_ids: files.ids } })
  return true
}

export const receiptMails = implement(order, {
  methods: {
    action_send_receipt: sendReceipt,
    get_portal_url: portalAddress,
  },
})
