// Items that are booked by storno: companies with storno accounting take back with negative amounts on the
// side of what they take back. Documents and reversals follow their kind; here is what people write on items.
import type { Environment, Records, WriteChange } from '#models'
import { isInteger } from '../../../kit/present.ts'
import { withSides } from './entry-amounts.ts'
import { sides } from './sides.ts'

type Given = Readonly<Record<string, unknown>>

/**
 * Whether values book an item by storno: negative amounts on its sides do, positive ones do not, else its
 * mark says so. Null where the values leave that open.
 */
function stornoIn({ debit, credit, is_storno }: Given): boolean | null {
  const amounts = [debit, credit].filter((amount) => typeof amount === 'number' && amount !== 0)
  if (amounts.length) return amounts.every((amount) => (amount as number) < 0)
  return typeof is_storno === 'boolean' ? is_storno : null
}

const asksForStorno = (vals: Given): boolean => vals.is_storno === true || stornoIn(vals) === true

/** The entries among these whose companies use storno accounting. */
async function stornoMoves(env: Environment, ids: readonly number[]): Promise<ReadonlySet<number>> {
  const moves = await env
    .sudo()
    .model('account.move')
    .browse([...new Set(ids)])
    .load(['company_id.account_storno'])
  return new Set(moves.flatMap(({ id, company_id: company }) => (company?.account_storno ? [id] : [])))
}

/** Values of new items, marked as booked by storno where they are and their company does so. */
export async function markStorno<V extends Given>(env: Environment, list: readonly V[]): Promise<V[]> {
  const asking = list.filter(asksForStorno)
  if (asking.length === 0) return [...list]
  const allowed = await stornoMoves(
    env,
    asking.flatMap(({ move_id }) => (isInteger(move_id) ? [move_id] : [])),
  )
  return list.map((vals) => {
    if (!asksForStorno(vals)) return vals
    const is_storno = stornoIn(vals) === true && allowed.has(vals.move_id as number)
    return is_storno || 'is_storno' in vals ? { ...vals, is_storno } : vals
  })
}

const sideNames = ['balance', 'debit', 'credit'] as const
const isSided = (vals: Given) => sideNames.some((name) => vals[name] !== undefined)
const concerns = (vals: Given) => isSided(vals) || 'is_storno' in vals

/** Changes of items with both sides of their balances. */
export async function withWrittenSides(
  lines: Records<'account.move.line'>,
  changes: readonly WriteChange[],
): Promise<readonly WriteChange[]> {
  const concerned = changes.filter(({ vals }) => concerns(vals))
  if (concerned.length === 0) return changes
  const items = lines.sudo().browse(concerned.flatMap(({ ids }) => ids))
  const rows = await items.load(['move_id', 'is_storno', 'balance'])
  const isPlain = !rows.some((item) => item.is_storno) && !concerned.some(({ vals }) => asksForStorno(vals))
  if (isPlain) return changes.map(({ ids, vals }) => ({ ids, vals: withSides(vals) }))
  const itemById = new Map(rows.map((row) => [row.id, row]))
  const allowed = await stornoMoves(
    lines.env,
    rows.map((row) => row.move_id.id),
  )
  return changes.flatMap(({ ids, vals }) =>
    ids.map((id): WriteChange => {
      const item = itemById.get(id)
      if (!item || !concerns(vals)) return { ids: [id], vals }
      const is_storno = (stornoIn(vals) ?? item.is_storno) && allowed.has(item.move_id.id)
      const marked = { ...vals, is_storno }
      return {
        ids: [id],
        vals: isSided(vals) ? withSides(marked) : { ...marked, ...sides(item.balance, is_storno) },
      }
    }),
  )
}
