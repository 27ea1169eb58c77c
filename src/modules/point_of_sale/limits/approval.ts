// Approvals of managers (pos.approval): each for one thing at one point of sale, for some minutes, and used
// once.
import { recordAudit } from '#engine'
import {
  char,
  datetime,
  type Environment,
  float,
  implement,
  many2one,
  model,
  type Of,
  type Records,
  selection,
} from '#models'
import { AccessDenied, InvalidValue, UserError } from '../../../errors.ts'
import { nowUtc } from '../../../kit/dates.ts'
import { hashKey, newKey } from '../../../kit/secrets.ts'
import { sql } from '../../../sql/index.ts'
import { assertAllowed } from '../../base/index.ts'
import { approverBy, makeApprovers } from './credentials.ts'
import { type Excess, type LimitedKind, limitedKinds } from './excesses.ts'

export const MANAGER = 'point_of_sale.group_pos_manager'

/** Minutes after which an approval that was not used is void. */
const MINUTES = 15

/** Tokens of a call that are looked at, and missing approvals that a refusal names. */
const MOST_TOKENS = 1000
const MOST_NAMED = 20

const approval = model('pos.approval', {
  label: 'Point of Sale Approval',
  order: 'id desc',
  rules: { of_token: { index: ['token_hash'] } },
  fields: {
    config_id: many2one('pos.config', {
      label: 'Point of Sale',
      required: true,
      readonly: true,
      ondelete: 'restrict',
      index: true,
    }),
    company_id: many2one('res.company', { label: 'Company', related: 'config_id.company_id' }),
    kind: selection(
      {
        discount: 'Discount',
        price: 'Price',
        refund: 'Refund',
        negative: 'Money out without a sale',
        drawer: 'Drawer opened without a sale',
        cash_out: 'Cash taken out',
      },
      { label: 'Kind', required: true, readonly: true },
    ),
    order_uuid: char({ label: 'Order', readonly: true, help: 'The uuid, or the id, of the order.' }),
    amount: float({
      label: 'Up to',
      digits: 0,
      readonly: true,
      help: 'In percent for discounts, otherwise an amount of money.',
    }),
    asked_by: many2one('res.users', {
      label: 'Asked by',
      required: true,
      readonly: true,
      ondelete: 'restrict',
    }),
    approved_by: many2one('res.users', {
      label: 'Approved by',
      required: true,
      readonly: true,
      ondelete: 'restrict',
    }),
    expires_at: datetime({ label: 'Expires', required: true, readonly: true }),
    used_at: datetime({ label: 'Used', readonly: true }),
    order_id: many2one('pos.order', { label: 'Used for', readonly: true, ondelete: 'set null' }),
    token_hash: char({ hidden: true, copy: false }),
  },
})

declare module '#models' {
  interface Models {
    'pos.approval': PosApproval
  }
  interface PosApproval extends Of<typeof approval> {}
}

export default implement(approval, {
  // Points of sale create approvals, people read them.
  writable: { open: ['always'], server: ['config_id'], removed: [] },
  init: makeApprovers,
})

export interface ApprovalRequest {
  readonly kind: unknown
  readonly order: unknown
  readonly amount: number
  readonly login: unknown
  readonly pin: unknown
  readonly badge: unknown
}

/** The name that approvals know an order by. Ids have a sign: a till may choose an uuid that looks like one. */
const keyOf = (name: string | number): string =>
  typeof name === 'number' ? `#${name}` : name.replace(/^#/, '##')

/** The order of a key as calls name it, in JSON. */
const namedBy = (key: string): string =>
  /^#\d/.test(key) ? key.slice(1) : JSON.stringify(key.replace(/^##/, '#'))

/** The key of an order: of its uuid, or of its id if it has none. */
export const orderKey = (order: { readonly id: number; readonly uuid: string | null }): string =>
  keyOf(order.uuid || order.id)

/**
 * Approves one action in a manager's name and returns a token for it. Throws AccessDenied if the PIN or badge
 * is not that of a manager, and while tries have to wait; InvalidValue.
 */
export async function approve(configs: Records<'pos.config'>, request: ApprovalRequest): Promise<object> {
  const { env } = configs
  const config = configs.ensureOne()
  await assertAllowed(configs, 'read')
  const kind = limitedKinds.find((name) => name === request.kind)
  if (!kind) throw new InvalidValue(`Invalid kind: use one of ${limitedKinds.join(', ')}.`)
  if (!Number.isFinite(request.amount) || request.amount < 0)
    throw new InvalidValue('Invalid amount: it must be a number and not negative.')
  const { order } = request
  if (order && typeof order !== 'string' && !Number.isSafeInteger(order))
    throw new InvalidValue('Invalid order: pass its uuid, or its id as a number.')
  const key = typeof order === 'string' || (typeof order === 'number' && order) ? keyOf(order) : ''
  if (!key && kind !== 'drawer' && kind !== 'cash_out')
    throw new InvalidValue(`The order is required for an approval of the kind "${kind}".`)
  await env.unit.services.guard?.assertNoCooldown(env, 'password')
  const approver = await managerBy(env, config, request)
  if (!approver) {
    await env.unit.services.guard?.failed(env)
    throw new AccessDenied(
      'Wrong login, PIN or badge of a manager of this point of sale. Try again, or have the manager set a PIN (res.users/set_pos_pin).',
    )
  }
  const token = newKey()
  const expires_at = nowUtc(new Date(env.now().getTime() + MINUTES * 60_000))
  const created = await env
    .sudo()
    .model('pos.approval')
    .create([
      {
        config_id: config,
        kind,
        order_uuid: key,
        amount: request.amount,
        asked_by: env.uid,
        approved_by: approver.id,
        expires_at,
      },
    ])
  const id = created.ensureOne()
  // The API and code alike refuse hidden fields.
  await env.execute(
    sql`UPDATE pos_approval SET token_hash = ${hashKey(token).toString('hex')} WHERE id = ${id}::int`,
    { reads: ['pos.approval'] },
  )
  recordAudit(env, {
    event: 'pos.approve',
    model: 'pos.config',
    record: config,
    name: approver.login,
    detail: { approval: id, approved_by: approver.id, kind, order: key, amount: request.amount },
  })
  return { token, expires_at, approved_by: approver.id }
}

/** The owner of a PIN or badge, if they manage points of sale in the company of this one; else null. */
async function managerBy(
  env: Environment,
  config: number,
  request: ApprovalRequest,
): Promise<{ readonly id: number; readonly login: string } | null> {
  const id = await approverBy(env, request)
  if (id === null) return null
  const su = env.sudo()
  const { company_id } = await su.model('pos.config').browse([config]).one(['company_id'])
  const group = await env.ref(MANAGER)
  const { login, all_group_ids, company_ids } = await su
    .model('res.users')
    .browse([id])
    .one(['login', 'all_group_ids', 'company_ids'])
  const isMember = all_group_ids.some((member) => member.id === group)
  return isMember && company_ids.some(({ id: company }) => company === company_id.id) ? { id, login } : null
}

/** An action that needs an approval. */
export interface Need extends Excess {
  readonly config: number
  /** Empty for a drawer. */
  readonly key: string
  readonly order: number | null
}

/** Whether the caller needs no approval: managers, and the server itself. */
export const isManager = (env: Environment): boolean => env.su || env.hasGroup(MANAGER)

/**
 * Uses up approvals that the context brings (`pos_approvals`), one for each need. Throws UserError for needs
 * without an approval of at least their amount.
 */
export async function useApprovals(env: Environment, needs: readonly Need[]): Promise<void> {
  if (needs.length === 0) return
  const su = env.sudo()
  const sent: unknown = env.context.pos_approvals
  const hashes = (Array.isArray(sent) ? sent.slice(0, MOST_TOKENS) : [sent]).flatMap((token: unknown) =>
    typeof token === 'string' && token !== '' ? [hashKey(token).toString('hex')] : [],
  )
  const now = nowUtc(env.now())
  const rows = hashes.length
    ? await su.rows(
        sql`SELECT id, config_id, kind, COALESCE(order_uuid, ''), amount::float8, approved_by FROM pos_approval
          WHERE token_hash = ANY(${hashes}::text[]) AND used_at IS NULL AND expires_at > ${now}::timestamp`,
        { reads: ['pos.approval'], row: ['int', 'int', 'text', 'text', 'float', 'int'] },
      )
    : []
  const unused = new Set(rows)
  const uses = new Map<number, { readonly used_at: string; readonly order_id: number | false }>()
  const unmet: Need[] = []
  for (const need of needs) {
    const fitting = [...unused].find(
      ([, config, kind, key, amount]) =>
        config === need.config && kind === need.kind && key === need.key && amount + 1e-6 >= need.amount,
    )
    if (!fitting) {
      unmet.push(need)
      continue
    }
    unused.delete(fitting)
    const [id, , , , , approved_by] = fitting
    uses.set(id, { used_at: now, order_id: need.order ?? false })
    recordAudit(env, {
      event: 'pos.approved',
      model: need.order === null ? 'pos.config' : 'pos.order',
      record: need.order ?? need.config,
      detail: { approval: id, approved_by, kind: need.kind, amount: need.amount },
    })
  }
  if (unmet.length)
    throw new UserError(unmet.slice(0, MOST_NAMED).map(refusalOf).join('\n'), { code: 'approval_needed' })
  await su
    .model('pos.approval')
    .browse([...uses.keys()])
    .writeEach(uses)
}

const reasons: Readonly<Record<LimitedKind, (amount: number) => string>> = {
  discount: (amount) => `A discount of ${amount}% is more than cashiers give here`,
  price: (amount) => `Prices, taxes or the total differ from the usual ones (by ${amount})`,
  refund: (amount) => `${amount} is more than cashiers give back here`,
  negative: (amount) => `Cashiers do not pay out ${amount} without a sale that is taken back`,
  drawer: () => 'Cashiers do not open the drawer without a sale here',
  cash_out: (amount) => `Cashiers do not take ${amount} out of the drawer here`,
}

function refusalOf({ kind, amount, key }: Need): string {
  const order = key ? `, order ${namedBy(key)}` : ''
  const upTo = kind === 'drawer' ? '' : `, amount ${amount}`
  return `${reasons[kind](amount)}: a manager approves it by PIN or badge. Call pos.config/approve with kind "${kind}"${order}${upTo}, and send the token along as pos_approvals in the context.`
}

/** Throws UserError unless the caller is a manager, or brings the approval of one. */
export async function assertApproved(
  env: Environment,
  config: number,
  kind: 'drawer' | 'cash_out',
  amount: number,
): Promise<void> {
  if (!isManager(env)) await useApprovals(env, [{ kind, amount, config, key: '', order: null }])
}
