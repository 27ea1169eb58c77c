// The sets of modules that databases of tests have: few, as each is installed once for a run, and known to
// every lane.
import { modules } from '../../src/main.ts'
import type { Module } from '../../src/models/index.ts'

const goods = ['base', 'mail', 'resource', 'uom', 'product']
const books = [...goods, 'account']
/** Smaller ones first, and last all modules. */
export const sets: readonly (readonly string[])[] = [
  ['base'],
  goods,
  books,
  [...books, 'purchase'],
  [...books, 'stock', 'point_of_sale'],
  [...books, 'sales_team', 'sale', 'sale_management'],
  modules.map(({ name }) => name),
]

/** The modules of the first set that has those named, and perhaps more. Throws where no set has them. */
export function modulesWith(...names: readonly string[]): Module[] {
  const set = sets.find((one) => names.every((name) => one.includes(name)))
  if (!set) throw new Error(`No set of modules has all of ${names.join(', ')}: add one to sets.ts.`)
  return modules.filter(({ name }) => set.includes(name))
}
