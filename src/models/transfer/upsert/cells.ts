// Converts rows of texts from files to values for `upsert`. Columns have the same meaning as in imports.
import { InvalidValue, type ServiceError, ValidationError } from '../../../errors.ts'
import type { ModelDef } from '../../language/definitions.ts'
import type { Environment } from '../../language/environment.ts'
import { convert, wantsOf } from '../convert.ts'
import { layoutOf } from '../layout.ts'
import { Lookup } from '../lookup.ts'
import { splitRows } from '../split.ts'
import { EXTERNAL } from './key.ts'

/**
 * Values of rows with the same columns, or the error of a row. `id` is the external id, as in exports.
 * Throws InvalidValue for unknown columns, and for columns of one2manys' records.
 */
export async function valuesOfCells(
  env: Environment,
  model: ModelDef,
  rows: readonly Readonly<Record<string, string>>[],
): Promise<(Record<string, unknown> | ServiceError)[]> {
  const columns = Object.keys(rows[0] ?? {}).filter((name) => name !== EXTERNAL)
  const layout = layoutOf(env, model, columns)
  if (layout.lines.length || layout.id !== null)
    throw new InvalidValue('Rows of an upsert have no columns of lines, and none of database ids.')
  const lookup = new Lookup(env)
  await lookup.learnLabels([model])
  const drafts = splitRows(
    layout,
    rows.map((row) => columns.map((name) => row[name] ?? '')),
  )
  await lookup.prepare(drafts.flatMap(wantsOf))
  return drafts.map((draft, n) => {
    const { vals, remarks, xmlid } = convert(draft, lookup)
    const wrong = remarks.find(({ type }) => type === 'error')
    if (wrong) return new ValidationError(wrong.message)
    const name = rows[n]?.[EXTERNAL] ?? xmlid
    return { ...vals, ...(name ? { [EXTERNAL]: name } : {}) }
  })
}
