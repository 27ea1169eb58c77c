// Fields of threads and activities that are written by their records, though others keep what they say:
// followers as a list of contacts, and type and summary of the first activity.
import { idsWhere, type Records, type Vals, type WriteChange, type WriteRun } from '#models'
import { UserError } from '../../errors.ts'
import type { Threads } from './place.ts'
import { idsArgument } from './posting.ts'
import { threadRuns } from './thread-runs.ts'

const without = (changes: readonly WriteChange[], names: readonly string[]): WriteChange[] =>
  changes.map(({ ids, vals }) => ({
    ids,
    vals: Object.fromEntries(Object.entries(vals).filter(([name]) => !names.includes(name))),
  }))

/** Contacts that a list of commands adds, takes away or sets. Throws UserError for commands that make contacts. */
async function carryOut(records: Threads, commands: unknown): Promise<void> {
  for (const command of Array.isArray(commands) ? commands : []) {
    const [code, id, list]: readonly unknown[] = Array.isArray(command) ? command : [4, command]
    const partner_ids = idsArgument(code === 6 ? list : [id], 'message_partner_ids')
    if (code === 3 || code === 6) {
      const leaving = code === 3 ? partner_ids : await otherFollowers(records, partner_ids)
      if (leaving.length) await threadRuns.message_unsubscribe(records, { partner_ids: leaving })
    }
    if (code === 4 || code === 6) {
      if (partner_ids.length) await threadRuns.message_subscribe(records, { partner_ids, subtype_ids: null })
    } else if (code !== 3)
      throw new UserError('Followers must be existing contacts: link, unlink or set them.')
  }
}

async function otherFollowers(records: Threads, partners: readonly number[]): Promise<number[]> {
  const rows = await records.load(['message_partner_ids'])
  const all = rows.flatMap(({ message_partner_ids }) => message_partner_ids.map(({ id }) => id))
  return [...new Set(all)].filter((id) => !partners.includes(id))
}

export const writingFollowers =
  (next: WriteRun<Records<'mail.thread'>>): WriteRun<Records<'mail.thread'>> =>
  async (records, changes) => {
    await next(records, without(changes, ['message_partner_ids']))
    for (const { ids, vals } of changes)
      if ('message_partner_ids' in vals) await carryOut(records.browse(ids), vals.message_partner_ids)
  }

const ofActivity = ['activity_type_id', 'activity_summary'] as const

export const writingActivity =
  (next: WriteRun<Records<'mail.activity.mixin'>>): WriteRun<Records<'mail.activity.mixin'>> =>
  async (records, changes) => {
    await next(records, without(changes, ofActivity))
    const concerned = idsWhere(changes, (vals) => ofActivity.some((name) => name in vals))
    const rows = await records.browse(concerned).load(['activity_ids'])
    const firsts = new Map(rows.map(({ id, activity_ids }) => [id, activity_ids[0]?.id]))
    for (const { ids, vals } of changes) {
      const values: Vals<'mail.activity'> = {
        ...('activity_type_id' in vals && { activity_type_id: Number(vals.activity_type_id) || null }),
        ...('activity_summary' in vals && { summary: String(vals.activity_summary || '') || null }),
      }
      const activities = ids.flatMap((id) => firsts.get(id) ?? [])
      if (activities.length) await records.env.model('mail.activity').browse(activities).write(values)
    }
  }

export const concerning = (...fields: readonly string[]) => ({
  create: () => false,
  write: (names: ReadonlySet<string>) => fields.some((name) => names.has(name)),
})
