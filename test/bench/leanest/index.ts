// npm run bench -- --leanest: lists, other reads, contacts and orders compared with the leanest
// handlers by hand.
import { contacts } from './contacts.ts'
import { lists } from './lists.ts'
import { orders } from './orders.ts'
import { reads } from './reads.ts'

const parts = { lists, reads, contacts, orders }

/** Those whose name fits; gives lines for people. */
export async function leanest(only: RegExp): Promise<string[]> {
  const said: string[] = []
  for (const [name, part] of Object.entries(parts)) if (only.test(name)) said.push(...(await part()))
  return said
}
