// Moves that belong to no transfer yet join an open one of their document, or a new one; all moves of a call
// at once.

import type { Environment } from '#models'
import { present } from '../../../kit/present.ts'
import type { MoveVals } from '../moves/load.ts'
import { quietly } from '../moves/quiet.ts'

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

/** What moves of one transfer share. */
const keyOf = (
  one: Pick<Loose, 'origin' | 'partner_id' | 'picking_type_id' | 'location_id' | 'location_dest_id'>,
) =>
  JSON.stringify([
    one.origin,
    one.partner_id?.id,
    one.picking_type_id?.id,
    one.location_id.id,
    one.location_dest_id.id,
  ])

/** Gives moves their transfers. */
export async function joinPickings(env: Environment, ids: readonly number[]): Promise<void> {
  const moves = await load(env, ids)
  const groups = Map.groupBy(moves, keyOf)
  const types = [...new Set(moves.flatMap((one) => one.picking_type_id?.id ?? []))]
  const origins = [...new Set(moves.map((one) => one.origin ?? false))]
  const open = await env.model('stock.picking').search(
    [
      ['picking_type_id', 'in', types],
      ['origin', 'in', origins],
      ['state', 'in', ['draft', 'waiting', 'confirmed', 'assigned']],
      ['printed', '=', false],
      ['return_id', '=', false],
    ],
    { order: 'id', limit: 1000 },
  )
  const there = new Map<string, number>()
  for (const one of await open.load([
    'origin',
    'partner_id',
    'picking_type_id',
    'location_id',
    'location_dest_id',
  ]))
    if (!there.has(keyOf(one))) there.set(keyOf(one), one.id)
  const fresh = [...groups].filter(([key]) => !there.has(key))
  const made = await env.model('stock.picking').create(
    fresh.map(([, group]) => {
      const [first] = group as [Loose, ...Loose[]]
      return {
        origin: first.origin,
        partner_id: first.partner_id?.id ?? null,
        company_id: first.company_id.id,
        picking_type_id: present(first.picking_type_id).id,
        location_id: first.location_id.id,
        location_dest_id: first.location_dest_id.id,
        owner_id: first.restrict_partner_id?.id ?? null,
      }
    }),
  )
  for (const [i, [key]] of fresh.entries()) there.set(key, present(made.ids[i]))
  const values = new Map<number, MoveVals>(
    [...groups].flatMap(([key, group]) =>
      group.map((one) => [one.id, { picking_id: present(there.get(key)) }] as const),
    ),
  )
  await quietly(env, () => env.model('stock.move').writeEach(values))
}
