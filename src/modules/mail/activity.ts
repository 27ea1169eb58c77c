// Activities (mail.activity): about which record, for whom, when they are due, and how they are done.
import {
  computed,
  computedTogether,
  type Environment,
  implement,
  type ModelName,
  type Records,
  type Scope,
  type Vals,
  writable,
} from '#models'
import { UserError } from '../../errors.ts'
import { addDays, addMonths } from '../../kit/dates.ts'
import { or, type Sql, sql } from '../../sql/index.ts'
import { assertNoneMissing, givenVals } from '../base/index.ts'
import { activity } from './activity.contract.ts'
import { activityData, activityRows } from './activity-data.ts'
import { dayOf, markDone, reschedule } from './activity-done.ts'
import { idsArgument } from './posting.ts'
import { recordNames } from './record-names.ts'
import { isThread, ofThread } from './rights.ts'
import { threadRuns } from './thread-runs.ts'

/** A due day compared with the day it is for the person who is to do it. */
export const stateSql = (deadline: Sql, user: Sql): Sql => {
  const day = sql`(now() AT TIME ZONE COALESCE((SELECT p.tz FROM res_users u JOIN res_partner p ON p.id = u.partner_id WHERE u.id = ${user}), 'UTC'))::date`
  return sql`CASE WHEN ${deadline} < ${day} THEN 'overdue' WHEN ${deadline} = ${day} THEN 'today' ELSE 'planned' END`
}

const mine = (scope: Scope): Sql =>
  sql`COALESCE(${scope.env.uid}::int IN (${scope.column('user_id')}, ${scope.column('create_uid')}), FALSE)`

/** The day an activity of a type is due, counted from a day. */
function dueOn(day: string, count: number, unit: 'days' | 'weeks' | 'months'): string {
  if (unit === 'months') return addMonths(day, count)
  return addDays(day, unit === 'weeks' ? count * 7 : count)
}

/** The type that activities have where none is said: the first. */
async function usualType(env: Environment): Promise<number | null> {
  const types = await env.model('mail.activity.type').search([], { limit: 1 })
  return types.ids[0] ?? null
}

/** Models of records by name or by id. Throws UserError for one whose records have no activities. */
async function placesIn(env: Environment, list: readonly Readonly<Record<string, unknown>>[]) {
  const ids = idsArgument(
    list.flatMap((vals) => vals.res_model_id || []),
    'res_model_id',
  )
  const names = [...new Set(list.flatMap(({ res_model: name }) => (name ? String(name) : [])))]
  const models = env.sudo().model('ir.model')
  const rows = await (await models.search(['|', ['id', 'in', ids], ['model', 'in', names]])).load(['model'])
  return ({ res_model: name, res_model_id: id }: Readonly<Record<string, unknown>>) => {
    if (!name && !id) return {}
    const model = rows.find((row) => (id ? row.id === id : row.model === String(name)))
    const def = model && env.unit.registry.get(model.model)
    if (!def?.fields.has('activity_ids') || !isThread(def))
      throw new UserError(
        `${JSON.stringify(name ?? id)} has no activities: use a model with the field activity_ids.`,
      )
    return { res_model: model?.model, res_model_id: model?.id }
  }
}

/** Values of new activities with what follows from their types. */
async function completed(env: Environment, list: readonly Readonly<Record<string, unknown>>[]) {
  const usual = list.some((vals) => !vals.activity_type_id) ? await usualType(env) : null
  const ids = idsArgument(
    list.flatMap((vals) => vals.activity_type_id || usual || []),
    'activity_type_id',
  )
  const types = await env
    .model('mail.activity.type')
    .browse(ids)
    .load(['delay_count', 'delay_unit', 'summary', 'default_note', 'default_user_id'])
  const byId = new Map(types.map((type) => [type.id, type]))
  const placeOf = await placesIn(env, list)
  return list.map((vals) => {
    const chosen = vals.activity_type_id || usual
    const type = byId.get(Number(chosen))
    return {
      user_id: type?.default_user_id?.id ?? env.uid,
      date_deadline: dueOn(dayOf(env), type?.delay_count ?? 0, type?.delay_unit ?? 'days'),
      summary: type?.summary,
      note: type?.default_note,
      ...withoutEmpty(vals),
      activity_type_id: chosen,
      ...placeOf(vals),
    }
  })
}

/** Values that say something: types give the others. */
const withoutEmpty = (vals: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(
    Object.entries(vals).filter(
      ([, value]) => !(value === false || value === null || value === undefined || value === ''),
    ),
  )

/** People get the messages about records that they are to do something about. */
async function followAssigned(activities: Records<'mail.activity'>): Promise<void> {
  const rows = await activities.sudo().load(['res_model', 'res_id', 'user_id.partner_id'])
  const placed = rows.flatMap(({ res_model, res_id, user_id }) =>
    res_model && res_id && user_id ? [{ res_model, res_id, partner: user_id.partner_id.id }] : [],
  )
  for (const [name, ofModel] of Map.groupBy(placed, ({ res_model }) => res_model))
    for (const [partner, assigned] of Map.groupBy(ofModel, (row) => row.partner)) {
      const records = activities.env
        .sudo()
        .model(name as ModelName & 'mail.thread')
        .browse([...new Set(assigned.map(({ res_id }) => res_id))])
      await threadRuns.message_subscribe(records, { partner_ids: [partner], subtype_ids: null })
    }
}

/** Days until Monday of next week. */
const untilMonday = (day: string): number => 7 - ((new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7)

export default implement(activity, {
  writable: writable<'mail.activity'>({
    once: ['res_model', 'res_model_id', 'res_id'],
    given: ['res_model', 'automated'],
  }),
  computed: {
    res_name: computedTogether(activity, ['res_model', 'res_id'], (rows, env) =>
      recordNames(
        rows.map(({ id, res_model, res_id }) => ({ id, place: res_model, record: res_id })),
        env,
      ),
    ),
    state: computed(activity, [], () => null, {
      sql: (scope) =>
        sql`CASE WHEN ${scope.column('active')} IS NOT TRUE THEN 'done' ELSE ${stateSql(scope.column('date_deadline'), scope.column('user_id'))} END`,
    }),
    readable: computed(activity, [], () => false, {
      sql: (scope) => or([mine(scope), ofThread(scope, 'res_model', 'res_id', 'read')]),
    }),
    can_write: computed(activity, [], () => false, {
      sql: (scope) => or([mine(scope), ofThread(scope, 'res_model', 'res_id', 'write')]),
    }),
    placeable: computed(activity, [], () => false, {
      sql: (scope) =>
        or([
          sql`COALESCE(${scope.column('res_id')}, 0) = 0`,
          ofThread(scope, 'res_model', 'res_id', 'write'),
        ]),
    }),
  },
  wrapCreate: (next) => async (records, list) => {
    const ready = await completed(records.env, givenVals(list))
    const createdActivities = await next(records, ready as Vals<'mail.activity'>[])
    await followAssigned(createdActivities)
    return createdActivities
  },
  methods: {
    action_feedback: (activities, { feedback, attachment_ids }) =>
      markDone(
        activities,
        typeof feedback === 'string' ? feedback : '',
        idsArgument(attachment_ids, 'attachment_ids'),
      ),
    action_done: (activities) => markDone(activities, '', []),
    async action_done_schedule_next(activities) {
      await markDone(activities, '', [])
      return false
    },
    async action_cancel(activities) {
      assertNoneMissing(activities, await activities.load(['summary']))
      await activities.unlink()
      return null
    },
    async action_notify(activities) {
      const rows = await activities.load(['res_model', 'res_id', 'summary', 'user_id.partner_id'])
      assertNoneMissing(activities, rows)
      for (const { res_model, res_id, summary, user_id } of rows) {
        if (!res_model || !res_id || !user_id || user_id.id === activities.env.uid) continue
        const records = activities.env.model(res_model as ModelName & 'mail.thread').browse([res_id])
        await records.message_notify({
          body: summary ?? 'An activity is yours to do.',
          partner_ids: [user_id.partner_id.id],
        })
      }
      return null
    },
    action_reschedule_today: (activities) => reschedule(activities, () => 0),
    action_reschedule_tomorrow: (activities) => reschedule(activities, () => 1),
    action_reschedule_nextweek: (activities) => reschedule(activities, untilMonday),
    activity_format: activityRows,
    get_activity_data: ({ env }, params) => activityData(env, params),
  },
})
