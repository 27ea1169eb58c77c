// Parts of a mail that the caller sends with a form. The template is proposed after the form is stored, and
// proposes the mail anew: parts that were sent are written last.
import type { Records, Vals } from '#models'

type FormVals = Vals<'account.move.send.wizard'>
type CreateRun = (
  forms: Records<'account.move.send.wizard'>,
  list: readonly FormVals[],
) => Promise<Records<'account.move.send.wizard'>>

const mailParts = ({ subject, body, mail_partner_ids, mail_attachments_widget }: FormVals) => ({
  ...(subject !== undefined && { subject }),
  ...(body !== undefined && { body }),
  ...(mail_partner_ids !== undefined && { mail_partner_ids }),
  ...(mail_attachments_widget !== undefined && { mail_attachments_widget }),
})

/** Creates forms, and writes the parts that were sent over those that are proposed. */
export const keepingSentParts =
  (next: CreateRun): CreateRun =>
  async (forms, list) => {
    const created = await next(
      forms,
      list.map(
        ({ subject: _s, body: _b, mail_partner_ids: _p, mail_attachments_widget: _w, ...vals }) => vals,
      ),
    )
    const sent = new Map(
      created.ids.flatMap((id, i) => {
        const parts = mailParts(list[i] ?? {})
        return Object.keys(parts).length ? [[id, parts] as const] : []
      }),
    )
    if (sent.size) await created.browse([...sent.keys()]).writeEach(sent)
    return created
  }
