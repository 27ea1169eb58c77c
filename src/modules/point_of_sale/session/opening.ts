// Opening: a session takes its drawer and company from its point of sale, and the float from the count
// before.
import { recordAudit } from '#engine'
import type { Environment, Records, Vals } from '#models'
import { InvalidValue, UserError } from '../../../errors.ts'
import { nowUtc } from '../../../kit/dates.ts'
import { idList } from '../../../sql/index.ts'
import { assertAllowed, nextNumbers } from '../../base/index.ts'
import { lastCounts } from '../config/sessions.ts'

type Sessions = Records<'pos.session'>
type SessionVals = Vals<'pos.session'>

/** Values to open sessions with. Throws UserError where no point of sale is named. */
export async function withSessionValues(
  env: Environment,
  list: readonly SessionVals[],
): Promise<SessionVals[]> {
  const wanted = list.map(({ config_id }) => config_id ?? env.context.default_config_id)
  if (wanted.some((id) => !Number.isInteger(id)))
    throw new UserError('The point of sale of the session is required.')
  const ids = [...new Set(wanted as number[])]
  const su = env.sudo()
  const configs = await su
    .model('pos.config')
    .browse(ids)
    .load([
      'company_id.point_of_sale_update_stock_quantities',
      'currency_id',
      'payment_method_ids.journal_id.type',
    ])
  const configById = new Map(configs.map((config) => [config.id, config]))
  const counted = await lastCounts(su, idList(ids))
  return list.map((vals, i) => {
    const id = wanted[i] as number
    const config = configById.get(id)
    const drawer = config?.payment_method_ids.find((method) => method.journal_id?.type === 'cash')?.journal_id
    return {
      ...vals,
      name: '/',
      state: 'opening_control',
      move_id: false,
      company_id: config?.company_id.id ?? false,
      currency_id: config?.currency_id?.id ?? false,
      cash_control: drawer !== undefined,
      cash_journal_id: drawer?.id ?? false,
      cash_register_balance_start: drawer ? (counted.get(id)?.cash ?? 0) : 0,
      update_stock_at_closing: config?.company_id.point_of_sale_update_stock_quantities === 'closing',
    }
  })
}

/** Throws InvalidValue for less than nothing in a drawer, but as far as the last count says so. */
function assertOpening(counted: number, last: number): void {
  if (!Number.isFinite(counted) || counted < Math.min(0, last))
    throw new InvalidValue('The opening amount of a drawer must be a number and not negative.')
}

/** Counts the drawer and begins: the session gets its name. Sessions that have begun are left unchanged. */
export async function setOpeningControl(
  sessions: Sessions,
  counted: number,
  notes: string | null,
): Promise<null> {
  await assertAllowed(sessions, 'write')
  const su = sessions.sudo()
  for (const record of await su.load([
    'state',
    'cash_control',
    'config_id.name',
    'company_id',
    'cash_register_balance_start',
  ])) {
    assertOpening(counted, record.cash_register_balance_start)
    if (record.state !== 'opening_control') continue
    const env = record.company_id ? su.env.withCompany(record.company_id.id) : su.env
    const [number] = (await nextNumbers(env, 'pos.session', 1)) ?? [`/${record.id}`]
    await su.browse([record.id]).write({
      name: `${record.config_id.name}${number}`,
      state: 'opened',
      start_at: nowUtc(env.now()),
      opening_notes: notes || false,
      ...(record.cash_control ? { cash_register_balance_start: counted } : {}),
    })
    if (record.cash_control && counted !== record.cash_register_balance_start)
      recordAudit(env, {
        event: 'pos.float',
        model: 'pos.session',
        record: record.id,
        detail: { expected: record.cash_register_balance_start, counted },
      })
  }
  return null
}

/** Deletes a session without orders. Throws UserError for others. */
export async function deleteUnused(sessions: Sessions): Promise<object> {
  sessions.ensureOne()
  await assertAllowed(sessions, 'write')
  const su = sessions.sudo()
  const { state, order_count } = await su.one(['state', 'order_count'])
  if (state !== 'opening_control' || order_count > 0)
    throw new UserError('Only a session without counts and orders can be deleted.')
  await su.unlink()
  return { status: 'success' }
}
