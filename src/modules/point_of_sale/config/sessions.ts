// Fields of points of sale that show their sessions: the open one, and the count of the last one.
import { computedFields, computedTogether, type Environment } from '#models'
import { idList, type Sql, sql } from '../../../sql/index.ts'
import { config } from './contract.ts'

const ids = (configs: readonly { readonly id: number }[]) => idList(configs.map(({ id }) => id))

export const current = computedFields(
  config,
  [
    'current_session_id',
    'current_session_state',
    'current_user_id',
    'has_active_session',
    'number_of_rescue_session',
  ],
  [],
  async (configs, env) => {
    const rows = await env.rows(
      sql`SELECT s.config_id, s.id, s.state, s.user_id, s.rescue FROM pos_session s
      WHERE s.config_id = ANY(${ids(configs)}) AND s.state <> 'closed' ORDER BY s.id`,
      { reads: ['pos.session'], row: ['int', 'int', 'text', 'int', 'bool?'] },
    )
    return new Map(
      configs.map(({ id }) => {
        const configRows = rows.filter((row) => row[0] === id)
        const open = configRows.find((row) => !row[4])
        return [
          id,
          {
            current_session_id: open?.[1] ?? null,
            current_session_state: open?.[2] ?? null,
            current_user_id: open?.[3] ?? null,
            has_active_session: open !== undefined,
            number_of_rescue_session: configRows.filter((row) => row[4]).length,
          },
        ]
      }),
    )
  },
)

/** Cash counts of the last closed sessions, by point of sale. */
export async function lastCounts(
  env: Environment,
  configs: Sql,
): Promise<Map<number, { cash: number; day: string | null }>> {
  const rows = await env.rows(
    sql`SELECT DISTINCT ON (s.config_id) s.config_id, COALESCE(s.cash_register_balance_end_real, 0)::float8,
      to_char(s.stop_at, 'YYYY-MM-DD') FROM pos_session s WHERE s.config_id = ANY(${configs}) AND s.state = 'closed'
    ORDER BY s.config_id, s.stop_at DESC, s.id DESC`,
    { reads: ['pos.session'], row: ['int', 'float', 'text?'] },
  )
  return new Map(rows.map((row) => [row[0], { cash: row[1], day: row[2] }]))
}

export const lastClosing = computedFields(
  config,
  ['last_session_closing_cash', 'last_session_closing_date'],
  [],
  async (configs, env) => {
    const counted = await lastCounts(env, ids(configs))
    return new Map(
      configs.map(({ id }) => [
        id,
        {
          last_session_closing_cash: counted.get(id)?.cash ?? 0,
          last_session_closing_date: counted.get(id)?.day ?? null,
        },
      ]),
    )
  },
)

/** The journal's currency, else the company's. */
export const currency = computedTogether(config, ['journal_id', 'company_id'], async (configs, env) => {
  const rows = await env.rows(
    sql`SELECT c.id, COALESCE(j.currency_id, m.currency_id) FROM pos_config c
    JOIN res_company m ON m.id = c.company_id LEFT JOIN account_journal j ON j.id = c.journal_id WHERE c.id = ANY(${ids(configs)})`,
    { reads: ['pos.config', 'res.company', 'account.journal'], row: ['int', 'int'] },
  )
  return new Map(rows.map((row) => [row[0], row[1]]))
})
