// When users signed in last, and whether they ever did.
import { computed, type Scope } from '#models'
import { sql } from '../../../sql/index.ts'
import { user } from './users.contract.ts'

const lastLogin = (scope: Scope) =>
  sql`(SELECT max(seen.create_date) FROM res_users_log seen WHERE seen.create_uid = ${scope.id})`

export const loginDate = computed(
  user,
  ['log_ids.create_date'],
  ({ log_ids }) =>
    log_ids.reduce<string | null>(
      (last, { create_date: at }) => (at && (!last || at > last) ? at : last),
      null,
    ),
  { sql: lastLogin },
)

export const userState = computed(user, ['log_ids'], ({ log_ids }) => (log_ids.length ? 'active' : 'new'), {
  sql: (scope) => sql`(CASE WHEN ${lastLogin(scope)} IS NULL THEN 'new' ELSE 'active' END)`,
})
