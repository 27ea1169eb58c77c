// Notes of the server itself in threads, for callers who may do what is noted.
import type { ModelName, Records, Recordset } from '#models'
import { openThreads } from './opening.ts'
import { openingKind, type Threads } from './place.ts'

interface Noted {
  readonly body: string
  readonly subtype: string
  readonly mail_activity_type_id?: number | null
  readonly attachment_ids?: readonly number[]
}

/** Adds a note in the caller's name to the thread of each record. */
export async function log(records: Recordset<ModelName>, noted: Noted): Promise<Records<'mail.message'>> {
  const { env } = records
  openThreads(records, await openingKind(records as Threads))
  const subtype = await env.ref(noted.subtype)
  return env
    .sudo()
    .model('mail.message')
    .create(
      records.ids.map((id) => ({
        model: records.name,
        res_id: id,
        body: noted.body,
        message_type: 'notification' as const,
        subtype_id: subtype,
        mail_activity_type_id: noted.mail_activity_type_id ?? null,
        attachment_ids: [[6, 0, noted.attachment_ids ?? []]],
      })),
    )
}
