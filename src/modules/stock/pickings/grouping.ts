// Moves that belong to no transfer yet join an open one of their document, or a new one; all moves of a call
// at once.

import type { Environment, Vals } from '#models'
import { present } from '../../../kit/present.ts'
import { asEngineWrite } from '../moves/engine-writes.ts'
import type { MoveVals } from '../moves/load.ts'

const paths = [
  'origin',
  'partner_id',
  'company_id',
  'picking_type_id',
  'location_id',
  'location_dest_id',
  'date',
  'restrict_partner_id',
] as const

const load = (env: Environment, ids: readonly number[]) => env.model('stock.move').browse(ids).load(paths)
type Loose = Awaited<ReturnType<typeof load>>[number]
/** Values of a move that decide which transfer it joins. */
export type Joining = Omit<Loose, 'id' | 'date'> & {
  /** Values of the transfer, where one is made. */
  readonly transfer?: Vals<'stock.picking'> | undefined
}

/** Most transfers of documents that are looked through. */
const MOST_OPEN = 1000

/**
 * Open transfers of documents, by what stands on them; null where some are of none: those are looked for by
 * the kind of operation.
 */
export async function openTransfersOf(
  env: Environment,
  origins: readonly (string | null)[],
): Promise<readonly number[] | null> {
  const named = [...new Set(origins.filter((origin) => origin !== null))]
  if (origins.includes(null)) return null
  const openPickings = await env
    .model('stock.picking')
    .search([['origin', 'in', named], ...stillOpen], { order: 'id', limit: MOST_OPEN })
  return openPickings.length < MOST_OPEN ? openPickings.ids : null
}

const stillOpen = [
  ['state', 'in', ['draft', 'waiting', 'confirmed', 'assigned']],
  ['printed', '=', false],
  ['return_id', '=', false],
] as const

/** Key of the moves of one transfer. */
const keyOf = (
  move: Pick<Loose, 'origin' | 'partner_id' | 'picking_type_id' | 'location_id' | 'location_dest_id'>,
) =>
  JSON.stringify([
    move.origin,
    move.partner_id?.id,
    move.picking_type_id?.id,
    move.location_id.id,
    move.location_dest_id.id,
  ])

/**
 * Gives moves their transfers. Answers those that were made for them. The next step of a delivery ships in
 * parts or as a whole, as the step before it did.
 */
export async function joinPickings(env: Environment, ids: readonly number[]): Promise<readonly number[]> {
  const moves = await env
    .model('stock.move')
    .browse(ids)
    .load([...paths, 'location_final_id.usage', 'move_orig_ids.picking_id.move_type'])
  const { places, made: createdPickings } = await pickingsFor(
    env,
    moves.map((move) => {
      const before = move.move_orig_ids.find(({ picking_id }) => picking_id)?.picking_id
      return move.location_final_id?.usage === 'customer' && before
        ? { ...move, transfer: { move_type: before.move_type } }
        : move
    }),
  )
  const values = new Map<number, MoveVals>(
    moves.map((move, i) => [move.id, { picking_id: present(places[i]) }]),
  )
  await asEngineWrite(env, () => env.model('stock.move').writeEach(values))
  return createdPickings
}

/**
 * The transfers that moves join, in their order: open ones of their document, or new ones (`made`).
 * `candidates`: all open ones of their documents, if they were already searched.
 */
export async function pickingsFor(
  env: Environment,
  moves: readonly Joining[],
  candidates?: readonly number[] | null,
): Promise<{ places: readonly number[]; made: readonly number[] }> {
  const groups = Map.groupBy(moves, keyOf)
  const types = [...new Set(moves.flatMap((move) => move.picking_type_id?.id ?? []))]
  const origins = [...new Set(moves.map((move) => move.origin ?? false))]
  const all = env.model('stock.picking')
  const open = candidates
    ? all.browse(candidates)
    : await all.search([['picking_type_id', 'in', types], ['origin', 'in', origins], ...stillOpen], {
        order: 'id',
        limit: MOST_OPEN,
      })
  const pickingByKey = new Map<string, number>()
  for (const row of await open.load([
    'origin',
    'partner_id',
    'picking_type_id',
    'location_id',
    'location_dest_id',
  ]))
    if (!pickingByKey.has(keyOf(row))) pickingByKey.set(keyOf(row), row.id)
  const fresh = [...groups].filter(([key]) => !pickingByKey.has(key))
  const createdPickings = await env.model('stock.picking').create(
    fresh.map(([, group]) => {
      const [first] = group as [Joining, ...Joining[]]
      return {
        origin: first.origin,
        partner_id: first.partner_id?.id ?? null,
        company_id: first.company_id.id,
        picking_type_id: present(first.picking_type_id).id,
        location_id: first.location_id.id,
        location_dest_id: first.location_dest_id.id,
        owner_id: first.restrict_partner_id?.id ?? null,
        ...first.transfer,
      }
    }),
  )
  for (const [i, [key]] of fresh.entries()) pickingByKey.set(key, present(createdPickings.ids[i]))
  return { places: moves.map((move) => present(pickingByKey.get(keyOf(move)))), made: createdPickings.ids }
}
