// Activities as clients show them: one by one, and by record and type.
import type { Environment, ModelName, Records } from '#models'
import { UserError } from '../../errors.ts'
import { assertNoneMissing, givenIds } from '../base/index.ts'

type Activities = Records<'mail.activity'>

const shown = [
  'res_model',
  'res_id',
  'res_name',
  'summary',
  'note',
  'date_deadline',
  'date_done',
  'state',
  'feedback',
  'user_id',
  'activity_type_id',
  'activity_category',
  'icon',
  'can_write',
  'chaining_type',
  'attachment_ids',
]

export async function activityRows(activities: Activities): Promise<readonly object[]> {
  const rows = await activities.read(shown)
  assertNoneMissing(activities, rows)
  return rows
}

interface Wanted {
  readonly res_model: string
  readonly domain: readonly unknown[]
  readonly limit: number | null
  readonly offset: number
  readonly fetch_done: boolean
}

/** Throws UserError for a model whose records have no activities. */
export async function activityData(env: Environment, wanted: Wanted): Promise<object> {
  const { res_model, domain, limit, offset, fetch_done } = wanted
  if (!env.unit.registry.get(res_model)?.fields.has('activity_ids'))
    throw new UserError(
      `Records of ${res_model} have no activities: use a model with the field activity_ids.`,
    )
  const ids = givenIds(
    await env.model(res_model as ModelName).invoke('search', {
      domain: [...domain, ['activity_ids', '!=', false]],
      limit,
      offset,
      order: null,
    }),
  )
  const activities = await env
    .withContext({ active_test: !fetch_done })
    .model('mail.activity')
    .search([
      ['res_model', '=', res_model],
      ['res_id', 'in', ids],
    ])
  const types = await env.model('mail.activity.type').search([['res_model', 'in', [false, res_model]]])
  const rows = await activities.load(['res_id', 'activity_type_id', 'date_deadline', 'state', 'user_id'])
  const grouped: Record<string, Record<string, object>> = {}
  for (const [record, ofRecord] of Map.groupBy(rows, (row) => row.res_id)) {
    const byType: Record<string, object> = {}
    for (const [type, list] of Map.groupBy(ofRecord, (row) => row.activity_type_id?.id ?? 0))
      byType[type] = {
        ids: list.map(({ id }) => id),
        count_by_state: Object.fromEntries(
          [...Map.groupBy(list, ({ state }) => state ?? '')].map(([state, some]) => [state, some.length]),
        ),
        reporting_date: list[0]?.date_deadline,
        state: list[0]?.state,
        user_assigned_ids: [...new Set(list.flatMap(({ user_id }) => user_id?.id ?? []))],
      }
    grouped[record] = byType
  }
  return {
    activity_res_ids: ids,
    activity_types: await types.read(['name', 'icon'], null),
    grouped_activities: grouped,
  }
}
