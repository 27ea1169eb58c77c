// The form by which a document is sent to its contact: what it proposes, and the sending.
import {
  atOnce,
  computed,
  computedFields,
  computedTogether,
  type Environment,
  implement,
  type Records,
} from '#models'
import { InvalidValue, UserError } from '../../../errors.ts'
import { isInteger } from '../../../kit/present.ts'
import { assertNoneMissing, givenIds, shownAddress, shownRecords } from '../../base/index.ts'
import { keepTemplate, namedRecord, postMail, printedFiles, proposedMail } from '../../mail/index.ts'
import { isRefund, isSale } from '../move/kinds.ts'
import { alerts } from './alerts.ts'
import { form } from './form.contract.ts'
import { keepingSentParts } from './mail-parts.ts'
import { checkboxesOf, methodFor, methodsIn } from './methods.ts'

type Forms = Records<'account.move.send.wizard'>

/** The print in the list of files of a mail, until it is made. */
const placeholder = ({ name }: { readonly name: string | null }) => ({
  id: `placeholder_${name ?? ''}.pdf`,
  name: `${(name ?? '').replaceAll('/', '_')}.pdf`,
  mimetype: 'application/pdf',
  placeholder: true,
})

const reportsOfDocuments = [
  ['model', '=', 'account.move'],
  ['report_type', '=', 'qweb-pdf'],
] as const

async function loadDocuments(
  env: Environment,
  forms: readonly { readonly move_id: { readonly id: number } }[],
) {
  const rows = await env
    .model('account.move')
    .browse([...new Set(forms.map(({ move_id }) => move_id.id))])
    .load([
      'name',
      'move_type',
      'partner_id.email',
      'partner_id.invoice_sending_method',
      'partner_id.invoice_template_pdf_report_id',
      'journal_id.invoice_template_pdf_report_id',
    ])
  return new Map(rows.map((row) => [row.id, row]))
}

/** The printout of a document: that of its contact, of its journal, else of the first report of documents. */
const about = computedFields(
  form,
  ['model', 'res_ids', 'sending_method_checkboxes', 'pdf_report_id', 'template_id'],
  // Documents are read here: as dependencies, each posting would look for forms.
  ['move_id'],
  async (forms, env) => {
    const usual = await env.ref('account.account_invoices')
    // Administrators may delete templates.
    const templateOf = (name: string) =>
      namedRecord(env, 'mail.template', `account.email_template_edi_${name}`)
    const [invoice, refund] = [await templateOf('invoice'), await templateOf('credit_note')]
    const documents = await loadDocuments(env, forms)
    return new Map(
      forms.flatMap(({ id, move_id }) => {
        const move = documents.get(move_id.id)
        if (!move) return []
        const { partner_id: partner, journal_id: journal } = move
        return [
          [
            id,
            {
              model: 'account.move',
              res_ids: `[${move.id}]`,
              sending_method_checkboxes: checkboxesOf([methodFor(partner)]),
              pdf_report_id:
                partner?.invoice_template_pdf_report_id?.id ??
                journal?.invoice_template_pdf_report_id?.id ??
                usual,
              template_id: isRefund(move.move_type) ? refund : invoice,
            },
          ] as const,
        ]
      }),
    )
  },
)

async function setMethods(env: Environment, values: ReadonlyMap<number, unknown>): Promise<void> {
  const forms = env.model('account.move.send.wizard').browse([...values.keys()])
  await forms.writeEach(
    new Map(
      [...values].map(([id, methods]) => {
        if (!Array.isArray(methods))
          throw new InvalidValue('sending_methods must be a list of sending methods.')
        const checkboxes = Object.fromEntries(methods.map((method) => [String(method), { checked: true }]))
        return [id, { sending_method_checkboxes: checkboxesOf(methodsIn(checkboxes)) }]
      }),
    ),
  )
}

/** The mail as its template writes it; without one, to the contact of the document. */
const mail = computedFields(
  form,
  ['subject', 'body', 'mail_partner_ids', 'mail_attachments_widget'],
  ['move_id', 'template_id'],
  async (forms, env) => {
    const documents = await loadDocuments(env, forms)
    const rows = await atOnce(
      env,
      ...forms.map(({ id, move_id, template_id: template }) => async () => {
        const move = documents.get(move_id.id) ?? { id: move_id.id, name: null, partner_id: null }
        const proposed =
          template && (await proposedMail(env, { model: 'account.move', id: move.id }, template.id))
        const files = await env
          .model('ir.attachment')
          .browse(proposed?.files ?? [])
          .load(['name', 'mimetype'])
        const recipients = proposed?.recipients.length
          ? proposed.recipients
          : move.partner_id
            ? [move.partner_id.id]
            : []
        const widget = [
          placeholder(move),
          ...files.map((file) => ({ ...file, placeholder: false, mail_template_id: template?.id })),
        ]
        return [
          id,
          {
            subject: proposed?.subject ?? move.name,
            body: proposed?.body_html ?? '',
            mail_partner_ids: recipients.map((partner) => ({ id: partner })),
            mail_attachments_widget: widget,
          },
        ] as const
      }),
    )
    return new Map(rows)
  },
)

/** Files of the list, and whether the print is one of them. Throws InvalidValue for what is not a list of files. */
function filesIn(widget: unknown): { readonly ids: readonly number[]; readonly isPrinted: boolean } {
  if (!widget) return { ids: [], isPrinted: false }
  if (!Array.isArray(widget)) throw new InvalidValue('mail_attachments_widget must be a list of files.')
  const ids = widget.flatMap((file: unknown) => (isInteger(Object(file).id) ? Number(Object(file).id) : []))
  return { ids, isPrinted: widget.some((file: unknown) => Object(file).placeholder === true) }
}

const sendPaths = [
  'move_id.name',
  'move_id.state',
  'move_id.move_type',
  'sending_method_checkboxes',
  'pdf_report_id.report_name',
  'template_id.email_from',
  'template_id.reply_to',
  'subject',
  'body',
  'mail_partner_ids.name',
  'mail_partner_ids.email',
  'mail_attachments_widget',
] as const

/**
 * Sends the documents of forms. Answers those that are to be downloaded, by report. Throws UserError for
 * drafts, for documents of vendors, and for mails without an address.
 */
export async function sendAll(forms: Forms): Promise<ReadonlyMap<string, readonly number[]>> {
  const { env } = forms
  const rows = await forms.load([...sendPaths])
  assertNoneMissing(forms, rows)
  const downloads = rows.map((row) => {
    const methods = methodsIn(row.sending_method_checkboxes)
    const { move_id: move, pdf_report_id: report } = row
    if (move.state !== 'posted' || !isSale(move.move_type))
      throw new UserError(
        `${move.name ?? 'The draft'} cannot be sent: only posted customer documents can. Post it first.`,
      )
    if (!report) throw new UserError(`Choose a report to print ${move.name}.`)
    const unreached = row.mail_partner_ids.find((partner) => !partner.email)
    if (methods.includes('email') && (unreached || row.mail_partner_ids.length === 0))
      throw new UserError(
        `${unreached?.name ?? 'The mail'} has no email address: enter one, or download ${move.name} instead.`,
      )
    return { row, move, report, methods }
  })
  for (const { row, move, report, methods } of downloads) {
    const files = filesIn(row.mail_attachments_widget)
    const document = { model: 'account.move', id: move.id } as const
    const printed = await printedFiles(env, [report.id], document)
    if (!methods.includes('email')) continue
    const { template_id: template } = row
    // The form has all others of its values already.
    const headers =
      template && (template.email_from || template.reply_to)
        ? await proposedMail(env, document, template.id)
        : null
    const parts = {
      message_type: 'comment',
      subtype_xmlid: 'mail.mt_comment',
      body: row.body ?? '',
      subject: row.subject,
      partner_ids: row.mail_partner_ids.map((partner) => partner.id),
      attachment_ids: [...(files.isPrinted ? printed : []), ...files.ids],
      reply_to: headers?.reply_to ?? null,
    }
    await postMail(env, document, parts, headers?.email_from ?? null)
  }
  const sent = env.model('account.move').browse(downloads.map(({ move }) => move.id))
  await sent.write({ is_move_sent: true, sending_data: null })
  const manual = downloads.filter(({ methods }) => methods.includes('manual'))
  return new Map(
    [...Map.groupBy(manual, ({ report }) => report.report_name)].map(([name, list]) => [
      name,
      list.map(({ move }) => move.id),
    ]),
  )
}

/** The address of documents as PDF, of the first report where there are several; else the form closes. */
export function afterSending(downloads: ReadonlyMap<string, readonly number[]>): object {
  const [first] = downloads
  return first
    ? shownAddress(`/report/pdf/${first[0]}/${first[1].join(',')}`, 'download')
    : { type: 'ir.actions.act_window_close' }
}

const reopened = (forms: Forms) => shownRecords('Send', forms.name, forms.ids, { target: 'new' })

export default implement(form, {
  defaults: {
    move_id: ({ context }) =>
      context.active_model === 'account.move' ? (givenIds(context.active_ids)[0] ?? null) : null,
  },
  wrapCreate: keepingSentParts,
  computed: {
    ...about,
    ...mail,
    sending_methods: computed(
      form,
      ['sending_method_checkboxes'],
      ({ sending_method_checkboxes: boxes }) => methodsIn(boxes),
      { inverse: setMethods },
    ),
    extra_edis: computed(form, [], () => []),
    invoice_edi_format: computed(
      form,
      ['move_id.partner_id.invoice_edi_format'],
      ({ move_id: { partner_id: partner } }) => partner?.invoice_edi_format ?? null,
    ),
    available_pdf_report_ids: computedTogether(form, [], async (forms, env) => {
      const { ids } = await env
        .sudo()
        .model('ir.actions.report')
        .search([...reportsOfDocuments])
      return new Map(forms.map(({ id }) => [id, ids]))
    }),
    display_pdf_report_id: computed(
      form,
      ['available_pdf_report_ids'],
      ({ available_pdf_report_ids: choices }) => choices.length > 1,
    ),
    display_attachments_widget: computed(
      form,
      ['sending_methods'],
      ({ sending_methods: methods }) => Array.isArray(methods) && methods.includes('email'),
    ),
    attachments_not_supported: computed(form, [], () => ({})),
    alerts,
  },
  methods: {
    action_send_and_print: async (forms) => {
      forms.ensureOne()
      return afterSending(await sendAll(forms))
    },
    create_mail_template: async (forms) => {
      const row = await forms.one(['model', 'subject', 'body', 'template_name'])
      await forms.write({ template_id: await keepTemplate(forms.env, row) })
      return reopened(forms)
    },
    cancel_save_template: async (forms) => {
      assertNoneMissing(forms, await forms.load(['subject']))
      return reopened(forms)
    },
    open_template_creation_wizard: async (forms) => {
      assertNoneMissing(forms, await forms.load(['subject']))
      return reopened(forms)
    },
  },
})
