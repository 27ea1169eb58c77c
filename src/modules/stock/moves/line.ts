// Implementation of move lines (stock.move.line). Reserved and moved quantities follow every change of
// them: effects.ts.
import { computed, implement, type Records, type WriteChange } from '#models'
import { UserError } from '../../../errors.ts'
import { nowUtc } from '../../../kit/dates.ts'
import { givenVals } from '../../base/index.ts'
import { convertQuantity } from '../../uom/index.ts'
import { holdsGoods } from '../places/usages.ts'
import { moveLineWritable } from '../writable.ts'
import { followLines, loadEffects } from './effects.ts'
import { isComplete, isEngineWrite } from './engine-writes.ts'
import { assertStates } from './ignored-states.ts'
import { line } from './line.contract.ts'
import { completeLines } from './line-creation.ts'
import { refreshStates } from './states.ts'

type Lines = Records<'stock.move.line'>

/** Fields that the ledger follows. */
const moving = [
  'quantity',
  'product_uom_id',
  'product_id',
  'location_id',
  'location_dest_id',
  'lot_id',
  'package_id',
  'result_package_id',
  'owner_id',
] as const

/** Throws UserError for another product on a line whose move is more than a draft. */
async function assertProducts(lines: Lines, changes: readonly WriteChange[]): Promise<void> {
  const productChanges = changes.filter(({ vals }) => 'product_id' in vals)
  if (productChanges.length === 0) return
  const ids = productChanges.flatMap((change) => change.ids)
  const rows = await lines.sudo().browse(ids).load(['product_id', 'state'])
  const lineById = new Map(rows.map((row) => [row.id, row]))
  for (const { ids: lineIds, vals } of productChanges)
    for (const id of lineIds) {
      const { state = null, product_id } = lineById.get(id) ?? {}
      if (state !== null && state !== 'draft' && product_id?.id !== vals.product_id)
        throw new UserError('The product of a line can only change while its transfer is a draft.')
    }
}

const movesOf = async (lines: Lines) =>
  (await lines.sudo().load(['move_id'])).flatMap((line) => (line.move_id ? [line.move_id.id] : []))

/**
 * Moves whose state follows new lines: those that reserve goods by them. A receipt stays as ready as it was,
 * whatever is typed of it (recorded stories of kind stock).
 */
async function movesReservedBy(lines: Lines): Promise<number[]> {
  const rows = await lines
    .sudo()
    .load(['move_id.location_id.usage', 'product_id.product_tmpl_id.is_storable', 'quantity'])
  return rows.flatMap(({ move_id, product_id, quantity }) =>
    move_id && quantity > 0 && product_id.product_tmpl_id.is_storable && holdsGoods(move_id.location_id.usage)
      ? [move_id.id]
      : [],
  )
}

/** Moves whose state follows a written quantity or unit: those of goods whose quantities are tracked. */
async function movesCompared(lines: Lines): Promise<number[]> {
  const rows = await lines.sudo().load(['move_id', 'product_id.product_tmpl_id.is_storable'])
  return rows.flatMap(({ move_id, product_id }) =>
    move_id && product_id.product_tmpl_id.is_storable ? [move_id.id] : [],
  )
}

const idsWith = (changes: readonly WriteChange[], fields: readonly string[]): number[] =>
  changes.filter(({ vals }) => fields.some((field) => field in vals)).flatMap(({ ids }) => ids)

export default implement(line, {
  writable: moveLineWritable,
  defaults: { date: (env) => nowUtc(env.now()) },
  computed: {
    quantity_product_uom: computed(
      line,
      ['quantity', 'product_uom_id.factor', 'product_id.product_tmpl_id.uom_id.factor'],
      (line) =>
        convertQuantity(
          line.quantity,
          line.product_uom_id,
          line.product_id.product_tmpl_id.uom_id,
          'half-up',
        ),
    ),
  },
  checks: {
    'The lot of a line must belong to its product.': computed(
      line,
      ['lot_id.product_id', 'product_id'],
      (line) => !line.lot_id || line.lot_id.product_id.id === line.product_id.id,
    ),
  },
  wrapCreate: (next) => async (lines, list) => {
    const { env } = lines
    if (isComplete(env)) return next(lines, list)
    const valsList = givenVals(list as readonly unknown[]).map(({ state: _, ...vals }) => vals)
    const createdLines = await next(lines, await completeLines(env, valsList))
    await followLines(env, [], createdLines.ids)
    if (!isEngineWrite(env)) await refreshStates(env, await movesReservedBy(createdLines))
    return createdLines
  },
  wrapWrite: (next) => async (lines, changes) => {
    const { env } = lines
    const concerned = idsWith(changes, moving)
    if (!isEngineWrite(env)) {
      await assertStates(lines, changes)
      await assertProducts(lines, changes)
    }
    const before = concerned.length ? await loadEffects(env, concerned) : []
    await next(lines, changes)
    if (concerned.length) await followLines(env, before, concerned)
    if (isEngineWrite(env)) return
    const compared = idsWith(changes, ['quantity', 'product_uom_id'])
    if (compared.length) await refreshStates(env, await movesCompared(lines.browse(compared)))
  },
  wrapGeneric: {
    unlink: (next) => async (lines, params) => {
      const { env } = lines
      const before = await loadEffects(env, lines.ids)
      if (before.some((row) => row.state === 'done' || row.state === 'cancel') && !isEngineWrite(env))
        throw new UserError(
          'Lines of transfers that are done or cancelled cannot be deleted: return the goods instead.',
        )
      const moves = await movesOf(lines)
      const answer = await next(lines, params)
      await followLines(env, before, [])
      if (!isEngineWrite(env)) await refreshStates(env, moves)
      return answer
    },
  },
})
