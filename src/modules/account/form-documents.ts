// Documents that forms are about: the caller must be able to read them, as forms say what they hold.
import type { ModelName, Records, Vals, WriteRun } from '#models'
import { isInteger } from '../../kit/present.ts'
import { assertAllowed, givenIds } from '../base/index.ts'

/** Throws AccessError where a form names records by a field that the caller may not read. */
async function assertReadable<N extends ModelName>(
  forms: Records<N>,
  field: string,
  model: ModelName,
): Promise<void> {
  const rows: readonly Readonly<Record<string, unknown>>[] = await forms.sudo().read([field], null)
  const ids = rows.flatMap((row) => (isInteger(row[field]) ? [row[field]] : givenIds(row[field])))
  if (ids.length) await assertAllowed(forms.env.model(model).browse([...new Set(ids)]), 'read')
}

type CreateRun<N extends ModelName> = (records: Records<N>, list: readonly Vals<N>[]) => Promise<Records<N>>

/**
 * Wraps of a form whose field names documents: a form that is created or written about documents that the
 * caller may not read is refused with AccessError.
 */
export const aboutReadable = <N extends ModelName>(field: string, model: ModelName) => ({
  wrapCreate:
    (next: CreateRun<N>): CreateRun<N> =>
    async (forms, list) => {
      const created = await next(forms, list)
      await assertReadable(created, field, model)
      return created
    },
  wrapWrite:
    (next: WriteRun<Records<N>>): WriteRun<Records<N>> =>
    async (forms, changes) => {
      await next(forms, changes)
      await assertReadable(forms, field, model)
    },
})
