// Contacts and their users: who may not be archived or removed, and what a contact is for whom.
import { computed, computedTogether, idsWhere, type Records, type WriteChange } from '#models'
import { AccessError, RedirectWarning } from '../../../errors.ts'
import { idList, sql } from '../../../sql/index.ts'
import { partner } from './partner.contract.ts'

/**
 * Throws RedirectWarning when one of the contacts belongs to an active user (spec/models-api.md section 6).
 */
export async function assertNoActiveUser(
  partners: Records<'res.partner'>,
  doing: 'archive' | 'delete',
): Promise<void> {
  const users = await partners.env
    .sudo()
    .withContext({ active_test: true })
    .model('res.users')
    .search([['partner_id', 'in', partners.ids]], { limit: 1 })
  if (users.length)
    throw new RedirectWarning(
      `You cannot ${doing} contacts linked to an active user. Archive the user first.`,
    )
}

/**
 * Name and address of a colleague: changing them belongs to administering users (decision 33 in
 * docs/notes/access.md).
 */
const IDENTITY: readonly string[] = ['name', 'email']

/**
 * Refuses a change of an internal user's identity through their contact by callers who may neither
 * administer users nor are that user. The check is sent with the write; it ends the transaction with
 * AccessError.
 */
export function guardIdentity({ env }: Records<'res.partner'>, changes: readonly WriteChange[]): void {
  if (env.su || env.unit.rights.mayModel(env.user, env.def('res.users'), 'write')) return
  const ids = idsWhere(changes, (vals) => IDENTITY.some((name) => name in vals))
  if (ids.length === 0) return
  env.unit.buffer.check(
    sql`SELECT p.id FROM res_partner p JOIN res_users u ON u.partner_id = p.id
      WHERE p.id = ANY(${idList(ids)}) AND NOT p.partner_share AND u.active AND u.id <> ${env.uid}::int LIMIT 1`,
    () =>
      new AccessError(
        'Only the users themselves and user administrators may change the name and email of an internal user.',
      ),
  )
}

/** Customers: contacts without a user of full access. */
export const partnerShare = computed(
  partner,
  ['user_ids.share', 'user_ids.active'],
  ({ user_ids }) => !user_ids.some((user) => user.active && !user.share),
)

/** The caller where the contact is theirs, else its first active user, internal ones before others. */
export const mainUser = computed(partner, ['user_ids.share', 'user_ids.active'], ({ user_ids }, env) => {
  const active = user_ids
    .filter((user) => user.active)
    .toSorted((a, b) => Number(a.share) - Number(b.share) || a.id - b.id)
  return active.find(({ id }) => id === env.uid) ?? active[0] ?? null
})

const publicPartners = sql`SELECT u.partner_id FROM res_users u JOIN res_groups_users_rel r ON r.uid = u.id
  JOIN ir_model_data d ON d.model = 'res.groups' AND d.res_id = r.gid WHERE d.module = 'base' AND d.name = 'group_public'`

/** Contacts of users who only look at public pages. */
export const isPublic = computedTogether(
  partner,
  [],
  async (partners, env) => {
    const rows = await env.rows(
      sql`${publicPartners} AND u.partner_id = ANY(${idList(partners.map((p) => p.id))})`,
      { reads: ['res.users', 'ir.model.data'], row: ['int'] },
    )
    const archived = new Set(rows.map((row) => row[0]))
    return new Map(partners.map((p) => [p.id, archived.has(p.id)]))
  },
  { searchable: false, sql: (scope) => sql`EXISTS (${publicPartners} AND u.partner_id = ${scope.id})` },
)
