// Obstacles to the sending of documents, as their forms show them (account.move.send.wizard).
import { computedTogether } from '#models'
import { form } from './form.contract.ts'

/** The alert about contacts that no mail reaches. */
export const missingAddresses = (names: readonly string[]): object =>
  names.length
    ? { account_missing_email: { level: 'danger', message: `No email address: ${names.join(', ')}.` } }
    : {}

export const alerts = computedTogether(
  form,
  ['sending_methods', 'mail_partner_ids.email', 'mail_partner_ids.name'],
  async (forms, env) => {
    const servers = await env.sudo().model('ir.mail_server').searchCount([], 1)
    return new Map(
      forms.map(({ id, sending_methods: methods, mail_partner_ids: partners }) => {
        const unreached = partners.filter((partner) => !partner.email)
        const isMail = Array.isArray(methods) && methods.includes('email')
        return [
          id,
          {
            ...(isMail && missingAddresses(unreached.map(({ name }) => name ?? ''))),
            ...(isMail &&
              servers === 0 && {
                account_missing_server: {
                  level: 'warning',
                  message:
                    'No mail server is configured, so no mail will be sent: set one up (ir.mail_server).',
                },
              }),
          },
        ]
      }),
    )
  },
)
