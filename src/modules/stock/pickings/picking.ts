// Implementation of transfers (stock.picking). Validating: validate.ts; new ones: creation.ts; states
// and dates: computed.ts.
import { computed, computedTogether, implement, type Records } from '#models'
import { UserError } from '../../../errors.ts'
import { nowUtc } from '../../../kit/dates.ts'
import { idList, sql } from '../../../sql/index.ts'
import { assertAllowed, assertNoneMissing, givenVals } from '../../base/index.ts'
import { findByCode } from '../barcodes/find.ts'
import { assignMoves } from '../moves/assign.ts'
import { cancelMoves } from '../moves/cancel.ts'
import { confirmMoves } from '../moves/confirm.ts'
import { isComplete } from '../moves/engine-writes.ts'
import { assertStates, dropGivenStates } from '../moves/ignored-states.ts'
import { unreserve } from '../moves/quantity.ts'
import { pickingWritable } from '../writable.ts'
import { availability, pickingDates, pickingState } from './computed.ts'
import { completePickings } from './creation.ts'
import { followHeader } from './header.ts'
import { picking } from './picking.contract.ts'
import { validate } from './validate.ts'

type Pickings = Records<'stock.picking'>

/** Moves of transfers, under the caller's right to write them. Throws AccessError, MissingError. */
async function movesOf(pickings: Pickings, states: (state: string | null) => boolean): Promise<number[]> {
  await assertAllowed(pickings, 'write')
  const rows = await pickings.sudo().load(['move_ids.state'])
  return rows.flatMap((row) => row.move_ids.filter((move) => states(move.state)).map(({ id }) => id))
}

async function confirm(pickings: Pickings): Promise<true> {
  const drafts = await movesOf(pickings, (state) => state === 'draft')
  if (drafts.length) await confirmMoves(pickings.env, drafts)
  return true
}

/** Throws UserError where nothing is left to be reserved. */
async function assign(pickings: Pickings): Promise<true> {
  const drafts = await movesOf(pickings, (state) => state === 'draft')
  if (drafts.length) await confirmMoves(pickings.env, drafts)
  const open = await movesOf(pickings, (state) => state !== 'draft' && state !== 'done' && state !== 'cancel')
  if (open.length === 0)
    throw new UserError('Nothing to check the availability for: no move of the transfer is open.')
  await assignMoves(pickings.env, open)
  return true
}

async function cancel(pickings: Pickings): Promise<true> {
  const open = await movesOf(pickings, (state) => state !== 'cancel')
  await cancelMoves(pickings.env, open)
  // A transfer without moves follows nothing.
  const empty = (await pickings.sudo().load(['move_ids']))
    .filter((picking) => picking.move_ids.length === 0)
    .map(({ id }) => id)
  if (empty.length) await pickings.sudo().browse(empty).write({ state: 'cancel' })
  return true
}

export default implement(picking, {
  writable: pickingWritable,
  defaults: {
    date: (env) => nowUtc(env.now()),
    // Transfers that orders create have no responsible user yet.
    user_id: (env) => (env.su ? null : env.uid),
  },
  computed: {
    ...pickingState,
    ...pickingDates,
    ...availability,
    move_type: computed(
      picking,
      ['picking_type_id.move_type'],
      (picking) => picking.picking_type_id.move_type,
      {
        editable: true,
      },
    ),
    return_count: computedTogether(picking, [], async (pickings, env) => {
      const ids = pickings.map(({ id }) => id)
      const rows = await env.rows(
        sql`SELECT return_id, count(*)::int FROM stock_picking WHERE return_id = ANY(${idList(ids)}) GROUP BY 1`,
        { reads: ['stock.picking'], row: ['int', 'int'] },
      )
      const countById = new Map(rows.map((row) => [row[0], row[1]]))
      return new Map(ids.map((id) => [id, countById.get(id) ?? 0]))
    }),
    move_line_exist: computedTogether(
      picking,
      ['move_line_ids'],
      (pickings) => new Map(pickings.map((picking) => [picking.id, picking.move_line_ids.length > 0])),
    ),
  },
  methods: {
    comptoir_find_by_code: (pickings, { code }) => findByCode(pickings.env, code),
    action_confirm: confirm,
    action_assign: assign,
    do_unreserve: async (pickings) => {
      const open = await movesOf(pickings, (state) => state !== 'done' && state !== 'cancel')
      await unreserve(pickings.env, open)
      return null
    },
    button_validate: validate,
    action_cancel: cancel,
    action_toggle_is_locked: async (pickings) => {
      const rows = await pickings.load(['is_locked'])
      assertNoneMissing(pickings, rows)
      await pickings.writeEach(new Map(rows.map((row) => [row.id, { is_locked: !row.is_locked }])))
      return true as const
    },
  },
  wrapCreate: (next) => async (pickings, list) =>
    next(
      pickings,
      isComplete(pickings.env)
        ? list
        : await completePickings(
            pickings.env,
            dropGivenStates(pickings.env, givenVals(list as readonly unknown[])),
          ),
    ),
  wrapWrite: (next) => async (pickings, changes) => {
    await assertStates(pickings, changes)
    await next(pickings, changes)
    await followHeader(pickings, changes)
  },
  wrapGeneric: {
    // Of a transfer that is made, it follows the moves; a form begins with now.
    default_get: (next) => async (pickings, params) => {
      const values = (await next(pickings, params)) as Record<string, unknown>
      return (params.fields as unknown[]).includes('scheduled_date')
        ? { scheduled_date: nowUtc(pickings.env.now()), ...values }
        : values
    },
    unlink: (next) => async (pickings, params) => {
      const moves = (await pickings.sudo().load(['move_ids.state'])).flatMap((picking) => picking.move_ids)
      if (moves.some((move) => move.state === 'done'))
        throw new UserError('A transfer that is done cannot be deleted.')
      const ids = moves.map(({ id }) => id)
      await cancelMoves(pickings.env, ids)
      if (ids.length) await pickings.env.sudo().model('stock.move').browse(ids).unlink()
      return next(pickings, params)
    },
  },
})
