// What new orders need before anything else of them is known, asked for at once: their numbers, and ids for
// themselves and their lines.
import { atOnce, type Environment, reserveIds } from '#models'
import { withNumbers } from '../base/index.ts'

type Given = Readonly<Record<string, unknown>>

/** Orders with their lines that get ids ahead; of more, the lines' ids are drawn when they are made. */
const MOST = 1000

/** Values of orders, each with a name. */
export async function numbered(env: Environment, list: readonly Given[]): Promise<Record<string, unknown>[]> {
  const counts = new Map([
    ['sale.order', list.length],
    ['sale.order.line', list.reduce((sum, { order_line }) => sum + newLines(order_line), 0)],
  ] as const)
  const few = list.length > 0 && [...counts.values()].every((count) => count <= MOST)
  const may = env.su || env.unit.rights.mayModel(env.user, env.def('sale.order'), 'create')
  const [values] = await atOnce(
    env,
    () => withNumbers(env, list, 'sale.order'),
    () => (few && may ? reserveIds(env, counts) : Promise.resolve()),
  )
  return values
}

/** Commands that make lines. */
const newLines = (commands: unknown): number =>
  Array.isArray(commands)
    ? commands.filter((command) => Array.isArray(command) && command[0] === 0).length
    : 0
