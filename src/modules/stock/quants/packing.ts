// Putting goods into packages: lines of transfers that are in none yet get one, new or named.
import { type Environment, optional, returns } from '#models'
import { UserError } from '../../../errors.ts'
import { isInteger } from '../../../kit/present.ts'

/** Parameters of all methods that put something into a package. */
export const packParams = {
  params: {
    package_id: optional<unknown>('any', false, { doc: 'An existing package', annotation: 'int | bool' }),
    package_type_id: optional<unknown>('any', false, {
      doc: 'Type of a new package',
      annotation: 'int | bool',
    }),
    package_name: optional<unknown>('any', false, { doc: 'Name of a new package', annotation: 'str | bool' }),
  },
  returns: returns<number[]>('ids', 'list[int]'),
} as const

export interface Packing {
  readonly package_id: unknown
  readonly package_type_id: unknown
  readonly package_name: unknown
}

/** The package that is named, or a new one. */
export async function packageFor(
  env: Environment,
  { package_id, package_type_id, package_name }: Packing,
): Promise<number> {
  if (isInteger(package_id)) return package_id
  const createdPackage = await env.model('stock.package').create([
    {
      ...(typeof package_name === 'string' && package_name !== '' ? { name: package_name } : {}),
      ...(isInteger(package_type_id) ? { package_type_id } : {}),
    },
  ])
  return createdPackage.ensureOne()
}

/**
 * Puts lines of open transfers into a package: those that are picked, where some are, else all with a
 * quantity. Throws UserError where nothing is left to be packed.
 */
export async function packLines(
  env: Environment,
  lines: readonly number[],
  packing: Packing,
): Promise<number[]> {
  const rows = await env
    .model('stock.move.line')
    .browse(lines)
    .load(['state', 'quantity', 'picked', 'result_package_id'])
  const loose = rows.filter(
    (row) => row.quantity > 0 && !row.result_package_id && row.state !== 'done' && row.state !== 'cancel',
  )
  const picked = loose.filter((line) => line.picked)
  const ids = (picked.length ? picked : loose).map(({ id }) => id)
  if (ids.length === 0)
    throw new UserError('Nothing to pack: reserve goods first, or enter their quantities.')
  const into = await packageFor(env, packing)
  await env.model('stock.move.line').browse(ids).write({ result_package_id: into })
  return [into]
}
