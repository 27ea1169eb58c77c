// Details of moves (stock.move.line): how it is done. What they reserve and move follows every change of
// theirs: effects.ts.
import { computed, implement, type Records } from '#models'
import { UserError } from '../../../errors.ts'
import { nowUtc } from '../../../kit/dates.ts'
import { givenVals } from '../../base/index.ts'
import { convertQuantity } from '../../uom/index.ts'
import { followLines, loadEffects } from './effects.ts'
import { line } from './line.contract.ts'
import { completeLines } from './line-making.ts'
import { isQuiet, isTold } from './quiet.ts'
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

const movesOf = async (lines: Lines) =>
  (await lines.sudo().load(['move_id'])).flatMap((one) => (one.move_id ? [one.move_id.id] : []))

export default implement(line, {
  defaults: { date: (env) => nowUtc(env.now()) },
  computed: {
    quantity_product_uom: computed(
      line,
      ['quantity', 'product_uom_id.factor', 'product_id.product_tmpl_id.uom_id.factor'],
      (one) =>
        convertQuantity(one.quantity, one.product_uom_id, one.product_id.product_tmpl_id.uom_id, 'half-up'),
    ),
  },
  checks: {
    'The lot of a line must be one of its product.': computed(
      line,
      ['lot_id.product_id', 'product_id'],
      (one) => !one.lot_id || one.lot_id.product_id.id === one.product_id.id,
    ),
  },
  wrapCreate: (next) => async (lines, list) => {
    const { env } = lines
    if (isTold(env)) return next(lines, list)
    const made = await next(lines, await completeLines(env, givenVals(list as readonly unknown[])))
    await followLines(env, [], made.ids)
    if (!isQuiet(env)) await refreshStates(env, await movesOf(made))
    return made
  },
  wrapWrite: (next) => async (lines, changes) => {
    const { env } = lines
    const concerned = changes
      .filter(({ vals }) => moving.some((field) => field in vals))
      .flatMap(({ ids }) => ids)
    const handing = changes.filter(({ vals }) => 'move_id' in vals).flatMap(({ ids }) => ids)
    const before = concerned.length ? await loadEffects(env, concerned) : []
    const former = handing.length ? await movesOf(lines.browse(handing)) : []
    await next(lines, changes)
    if (concerned.length) await followLines(env, before, concerned)
    if ((concerned.length || handing.length) && !isQuiet(env))
      await refreshStates(env, [...former, ...(await movesOf(lines.browse([...concerned, ...handing])))])
  },
  wrapGeneric: {
    unlink: (next) => async (lines, params) => {
      const { env } = lines
      const before = await loadEffects(env, lines.ids)
      if (before.some((one) => one.state === 'done' || one.state === 'cancel') && !isQuiet(env))
        throw new UserError(
          'What was moved stays: lines of transfers that are done or cancelled cannot be deleted.',
        )
      const moves = await movesOf(lines)
      const answer = await next(lines, params)
      await followLines(env, before, [])
      if (!isQuiet(env)) await refreshStates(env, moves)
      return answer
    },
  },
})
