// Documents that forms are about: the caller must be able to read them, as forms say what they hold.
import type { ModelName, Records } from '#models'
import { isInteger } from '../../kit/present.ts'
import { assertAllowed, givenIds } from '../base/index.ts'

/** Throws AccessError where a form names records by a field that the caller may not read. */
export async function assertReadable<N extends ModelName, M extends ModelName>(
  forms: Records<N>,
  field: string,
  model: M,
): Promise<void> {
  const rows: readonly Readonly<Record<string, unknown>>[] = await forms.sudo().read([field], null)
  const ids = rows.flatMap((row) => (isInteger(row[field]) ? [row[field]] : givenIds(row[field])))
  if (ids.length) await assertAllowed(forms.env.model(model).browse([...new Set(ids)]), 'read')
}
