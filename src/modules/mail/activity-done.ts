// Ends of activities: done, with a message that says so and what follows; moved to another day.
import type { Environment, ModelName, Records, Vals } from '#models'
import { addDays, today } from '../../kit/dates.ts'
import { html } from '../../kit/html.ts'
import { assertNoneMissing } from '../base/index.ts'
import { log } from './log.ts'
import { isThread } from './rights.ts'

/** The day it is for the caller. */
export const dayOf = (env: Environment): string => today(env.tz ?? env.user.tz, env.now())

type Activities = Records<'mail.activity'>

const shown = [
  'res_model',
  'res_id',
  'summary',
  'user_id',
  'date_deadline',
  'activity_type_id.name',
  'activity_type_id.chaining_type',
  'activity_type_id.triggered_next_type_id',
] as const

/** Throws MissingError for activities that are gone, AccessError for those the caller may not see. */
async function standing(activities: Activities) {
  const rows = await activities.load(shown)
  assertNoneMissing(activities, rows)
  return rows
}

type Standing = Awaited<ReturnType<typeof standing>>[number]

/** The text about an activity that was done, in the thread of its record. */
function textOf({ activity_type_id: type, summary }: Standing, feedback: string): string {
  return html`<p>${type?.name ?? 'Activity'} done${summary && `: ${summary}`}</p>${feedback && html`<p>${feedback}</p>`}`.toString()
}

/** Does activities; answers the message of the last. */
export async function markDone(
  activities: Activities,
  feedback: string,
  files: readonly number[],
): Promise<number | false> {
  const { env } = activities
  const rows = await standing(activities)
  let last: number | false = false
  if (rows.length)
    await activities.write({
      active: false,
      date_done: dayOf(env),
      feedback: feedback || null,
      attachment_ids: files.map((file) => [4, file]),
    })
  for (const row of rows) {
    const def = env.unit.registry.get(row.res_model ?? '')
    if (!def || !isThread(def) || !row.res_id) continue
    const message = await log(env.model(def.name as ModelName).browse([row.res_id]), {
      body: textOf(row, feedback),
      subtype: 'mail.mt_activities',
      mail_activity_type_id: row.activity_type_id?.id ?? null,
      attachment_ids: files,
    })
    last = message.ids.at(-1) ?? false
  }
  await planNext(env, rows)
  return last
}

/** Activities that types let follow by themselves. */
async function planNext(env: Environment, rows: readonly Standing[]): Promise<void> {
  const following: Vals<'mail.activity'>[] = rows.flatMap(({ activity_type_id: type, ...row }) => {
    const next = type?.chaining_type === 'trigger' ? type.triggered_next_type_id : null
    if (!type || !next) return []
    return [
      {
        res_model: row.res_model,
        res_id: row.res_id,
        activity_type_id: next.id,
        previous_activity_type_id: type.id,
        user_id: row.user_id?.id ?? env.uid,
      },
    ]
  })
  if (following.length) await env.model('mail.activity').create(following)
}

/** Moves activities to a day so many days from today. */
export async function reschedule(activities: Activities, days: (day: string) => number): Promise<null> {
  await standing(activities)
  const day = dayOf(activities.env)
  if (activities.length) await activities.write({ date_deadline: addDays(day, days(day)) })
  return null
}
