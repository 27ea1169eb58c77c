// Methods of records about their activities, by types: plan, move, do, take back.
import { indirect, type Records } from '#models'
import { InvalidValue, UserError } from '../../errors.ts'
import { isDate } from '../../kit/dates.ts'
import { markDone } from './activity-done.ts'
import { authorizedThreads, namedRecord, type Threads } from './place.ts'
import { bodyOf, headText, idArgument, idsArgument } from './posting.ts'

type Places = Records<'mail.activity.mixin'>

interface Which {
  readonly act_type_xmlids: unknown
  readonly user_id: unknown
  readonly only_automated: boolean
}

/** A type by external id. Throws UserError for one that is not there. */
async function typeOf(place: Threads, xmlid: string): Promise<number> {
  const type = await namedRecord(place.env, 'mail.activity.type', xmlid)
  if (type === null)
    throw new UserError(
      `Unknown activity type ${xmlid}: use for example mail.mail_activity_data_todo or mail.mail_activity_data_call.`,
    )
  return type
}

/** Where the activities of records are, which the caller may read or write. Throws MissingError, AccessError. */
const authorizedPlaces = (records: Places, operation: 'read' | 'write'): Promise<Threads> =>
  authorizedThreads(records as unknown as Threads, operation)

/** Open activities of types, of all where none is named, for somebody or for all. */
async function chosen(place: Threads, which: Which, more: readonly unknown[] = []) {
  const named = which.act_type_xmlids || []
  const xmlids = typeof named === 'string' ? [named] : named
  if (!Array.isArray(xmlids) || !xmlids.every((xmlid) => typeof xmlid === 'string'))
    throw new InvalidValue('act_type_xmlids must be a list of external ids.')
  const types = await Promise.all(xmlids.map((xmlid: string) => typeOf(place, xmlid)))
  const user = idArgument(which.user_id, 'user_id')
  const domain = [
    ['res_model', '=', place.name],
    ['res_id', 'in', place.ids],
    ...(types.length ? [['activity_type_id', 'in', types]] : []),
    ...(user === null ? [] : [['user_id', '=', user]]),
    ...(which.only_automated ? [['automated', '=', true]] : []),
    ...more,
  ]
  const activities = place.env.model('mail.activity')
  return activities.browse(idsArgument(await activities.invoke('search', { domain }), 'activities', 10_000))
}

function dayIn(value: unknown): string | null {
  const day = headText(value, 'date_deadline')
  if (day !== null && !isDate(day)) throw new InvalidValue('date_deadline must be a date such as 2026-01-31.')
  return day
}

interface Planned {
  readonly act_type_xmlid: unknown
  readonly date_deadline: unknown
  readonly summary: unknown
  readonly note: unknown
  readonly user_id: unknown
  readonly activity_type_id: unknown
  readonly automated: unknown
}

export const activityRuns = {
  async activity_schedule(records: Places, plan: Planned): Promise<readonly number[]> {
    const place = await authorizedPlaces(records, 'write')
    const xmlid = headText(plan.act_type_xmlid, 'act_type_xmlid')
    const type = xmlid ? await typeOf(place, xmlid) : idArgument(plan.activity_type_id, 'activity_type_id')
    const [day, user] = [dayIn(plan.date_deadline), idArgument(plan.user_id, 'user_id')]
    const values = {
      res_model: place.name,
      activity_type_id: type,
      date_deadline: day ?? undefined,
      summary: headText(plan.summary, 'summary') ?? undefined,
      note: bodyOf(plan.note, true) || undefined,
      user_id: user ?? undefined,
      automated: plan.automated === null || Boolean(plan.automated),
    }
    const createdActivities = await indirect(place.env)
      .model('mail.activity')
      .create(place.ids.map((res_id) => ({ ...values, res_id })))
    return createdActivities.ids
  },
  async activity_reschedule(
    records: Places,
    params: Which & { date_deadline: unknown; new_user_id: unknown },
  ): Promise<readonly number[]> {
    const activities = await chosen(await authorizedPlaces(records, 'write'), params)
    const [day, user] = [dayIn(params.date_deadline), idArgument(params.new_user_id, 'new_user_id')]
    const values = { ...(day && { date_deadline: day }), ...(user && { user_id: user }) }
    if (activities.length && Object.keys(values).length) await activities.write(values)
    return activities.ids
  },
  async activity_feedback(
    records: Places,
    params: Which & { feedback: unknown; attachment_ids: unknown },
  ): Promise<true> {
    const activities = await chosen(await authorizedPlaces(records, 'write'), params)
    const feedback = typeof params.feedback === 'string' ? params.feedback : ''
    await markDone(activities, feedback, idsArgument(params.attachment_ids, 'attachment_ids'))
    return true
  },
  async activity_unlink(records: Places, params: Which): Promise<true> {
    const activities = await chosen(await authorizedPlaces(records, 'write'), params)
    if (activities.length) await activities.unlink()
    return true
  },
  async activity_search(
    records: Places,
    params: Which & { additional_domain: readonly unknown[] },
  ): Promise<readonly number[]> {
    return (await chosen(await authorizedPlaces(records, 'read'), params, params.additional_domain)).ids
  },
} as const
