// Methods of threads: posting, following, and who follows. Models that see the messages of a delegate
// post to that delegate.
import { InvalidValue } from '../../errors.ts'
import { assertAllowed, assertAllowedAndExisting } from '../base/index.ts'
import { follow, openThreads } from './opening.ts'
import { openingKind, placeOf, type Threads } from './place.ts'
import { idsArgument, notifyContacts, type PostParams, post, recipientsOf } from './posting.ts'
import { sourceRuns } from './source.ts'

/**
 * Opens the threads of records for followers: the contacts that are named, or the caller's own. Users who may
 * read a record follow it; users who may write it say who else does. Throws MissingError, AccessError.
 */
async function openFor(records: Threads, list: unknown) {
  const place = await placeOf(records)
  const self = place.env.user.partnerId
  const ids = idsArgument(list, 'partner_ids')
  const partners = await recipientsOf(place.env, ids.length ? ids : [self])
  await assertAllowedAndExisting(place, partners.every((partner) => partner === self) ? 'read' : 'write')
  openThreads(place, await openingKind(place))
  return { place, partners }
}

export const threadRuns = {
  message_post: (records: Threads, params: PostParams) => post(records, params),
  message_notify: (records: Threads, params: PostParams) => notifyContacts(records, params),
  ...sourceRuns,
  async message_subscribe(
    records: Threads,
    { partner_ids, subtype_ids }: { partner_ids: unknown; subtype_ids: unknown },
  ): Promise<true> {
    const { place, partners } = await openFor(records, partner_ids)
    const kinds = idsArgument(subtype_ids, 'subtype_ids')
    follow(place, partners, kinds.length ? kinds : null)
    return true
  },
  async message_unsubscribe(records: Threads, { partner_ids }: { partner_ids: unknown }): Promise<null> {
    const { place, partners } = await openFor(records, partner_ids)
    const followers = await place
      .sudo()
      .env.model('mail.followers')
      .search([
        ['res_model', '=', place.name],
        ['res_id', 'in', place.ids],
        ['partner_id', 'in', partners],
      ])
    if (followers.length) await followers.unlink()
    return null
  },
  async message_get_followers(
    records: Threads,
    { after, limit, filter_recipients }: { after: unknown; limit: number; filter_recipients: boolean },
  ): Promise<readonly object[]> {
    const place = await placeOf(records)
    const record = place.ensureOne()
    await assertAllowed(place, 'read')
    if (after !== null && after !== false && !Number.isInteger(after))
      throw new InvalidValue('after must be the id of a follower.')
    const followers = await place.env.model('mail.followers').search(
      [
        ['res_model', '=', place.name],
        ['res_id', '=', record],
        ['id', '>', Number(after ?? 0)],
      ],
      { limit, order: 'id' },
    )
    const rows = await followers.load(['partner_id', 'name', 'email', 'is_active'])
    return rows
      .filter(({ partner_id: partner }) => !filter_recipients || partner.id !== place.env.user.partnerId)
      .map(({ id, partner_id: partner, name, email, is_active }) => ({
        id,
        partner_id: partner.id,
        name,
        email: email ?? false,
        is_active,
      }))
  },
  opening_kind: () => 'mail.mt_note',
} as const
