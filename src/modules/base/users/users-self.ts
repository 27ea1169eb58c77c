// Fields of their own user record that all users may see and change, whatever their groups (spec/wire.md
// section 8).

/** Fields of one's own record that may be read without any right to the model. */
export const selfReadable: ReadonlySet<string> = new Set([
  'id',
  'display_name',
  'name',
  'login',
  'email',
  'phone',
  'lang',
  'tz',
  'tz_offset',
  'signature',
  'active',
  'company_id',
  'company_ids',
  'partner_id',
  'group_ids',
  'all_group_ids',
  'share',
  'action_id',
  'api_key_ids',
  'image_1920',
  'image_1024',
  'image_512',
  'image_256',
  'image_128',
  'avatar_1920',
  'avatar_1024',
  'avatar_512',
  'avatar_256',
  'avatar_128',
  'create_date',
  'write_date',
])

/** Fields of one's own record that may be written without any right to the model. */
export const selfWriteable: ReadonlySet<string> = new Set([
  'name',
  'email',
  'phone',
  'lang',
  'tz',
  'signature',
  'company_id',
  'image_1920',
  'action_id',
  'api_key_ids',
])

/**
 * Whether the call is about the caller's own record and nothing but fields of the list: then no other right
 * is asked for.
 */
export function isOwn(
  uid: number,
  ids: readonly number[],
  fields: readonly unknown[],
  allowed: ReadonlySet<string>,
): boolean {
  return (
    ids.length > 0 &&
    ids.every((id) => id === uid) &&
    fields.every((field) => typeof field === 'string' && allowed.has(field))
  )
}

/**
 * The values to write on one's own record: a company that is not one's own is left out in silence.
 */
export function ownValues(
  vals: Readonly<Record<string, unknown>>,
  companies: readonly number[],
): Record<string, unknown> {
  const { company_id: company, ...others } = vals
  return company === undefined || !companies.includes(company as number)
    ? others
    : { ...others, company_id: company }
}
