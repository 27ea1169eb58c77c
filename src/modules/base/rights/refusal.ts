// Refusals: of people without the right to a thing, and those that tell how records stand, said only to
// people who may do the thing at all.
import type { ModelName, Recordset } from '#models'
import { UserError } from '../../../errors.ts'

/**
 * Throws AccessError for people without the right to the operation, or for records that rules keep from them.
 * The one check before privileged work; of no records, as before new ones are made, the right alone counts.
 */
export async function assertAllowed<N extends ModelName>(
  records: Recordset<N>,
  operation: 'read' | 'write' | 'create' | 'unlink',
): Promise<void> {
  await records.invoke('check_access_rights', { operation })
  await records.invoke('check_access_rule', { operation })
}

/**
 * Throws UserError; returns for people without the right to the operation: what they go on to is refused by
 * the rights, which say nothing of the records.
 */
export async function refuse<N extends ModelName>(
  records: Recordset<N>,
  operation: 'write' | 'unlink',
  message: string,
): Promise<void> {
  if (await records.invoke('has_access', { operation })) throw new UserError(message)
}
