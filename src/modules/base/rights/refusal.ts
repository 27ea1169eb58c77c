// Refusals: of callers without a right, and those whose text describes the state of records, which only
// callers with the right may read.
import type { ModelName, Records, Recordset, WriteRun } from '#models'
import { MissingError, UserError } from '../../../errors.ts'
import { givenIds } from '../caller-arguments.ts'

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

/** Throws AccessError as `assertAllowed` does, and MissingError where records are gone. */
export async function assertAllowedAndExisting<N extends ModelName>(
  records: Records<N>,
  operation: 'read' | 'write',
): Promise<void> {
  await assertAllowed(records, operation)
  assertNoneMissing(records, (await records.exists()).ids)
}

/**
 * Lists of records of `model` by a record, from pairs of ids, of those that the caller may read. People who
 * may not read the model at all get none, and are not refused.
 */
export async function readableLinks(
  model: Recordset<ModelName>,
  pairs: readonly (readonly [number, number])[],
): Promise<Map<number, number[]>> {
  const mayRead = await model.invoke('has_access', { operation: 'read' })
  const domain = [['id', 'in', [...new Set(pairs.map(([, id]) => id))]]]
  const readable = new Set(mayRead ? givenIds(await model.invoke('search', { domain })) : [])
  const byRecord = Map.groupBy(
    pairs.filter(([, id]) => readable.has(id)),
    ([record]) => record,
  )
  return new Map([...byRecord].map(([record, links]) => [record, links.map(([, id]) => id)]))
}

/** Throws MissingError where records are gone, of which `load` gave no rows: nothing is done to the others. */
export function assertNoneMissing(records: Recordset<ModelName>, rows: readonly unknown[]): void {
  if (rows.length < records.length)
    throw new MissingError(`Record does not exist or has been deleted (${records.name}).`)
}

/**
 * Around every write of records that people keep for themselves: none is handed to somebody else, or to
 * everybody, who might not make it so. Rules judge other records by what they were before (recorded).
 */
export const keepOwner =
  <N extends ModelName>(next: WriteRun<Records<N>>): WriteRun<Records<N>> =>
  async (records, changes) => {
    await next(records, changes)
    await assertAllowed(records, 'create')
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
