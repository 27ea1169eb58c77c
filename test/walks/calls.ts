// Calls that are walked: functions entered and files they stand in, for a read and writes of orders and
// contacts. Counts do not depend on the machine.
import { Session } from 'node:inspector/promises'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { present } from '../../src/kit/present.ts'
import { modules } from '../../src/main.ts'
import { createKey } from '../../src/services/admin.ts'
import { call } from '../../src/services/call.ts'
import { openTestDatabase } from '../support/databases.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

export interface Walk {
  readonly entries: number
  readonly files: ReadonlyMap<string, number>
  readonly functions: ReadonlyMap<string, number>
}

/** Counts every function of `src` that is entered while `work` runs. Loading a file counts as none. */
async function walk(session: Session, work: () => Promise<unknown>): Promise<Walk> {
  await session.post('Profiler.takePreciseCoverage')
  await work()
  const { result } = await session.post('Profiler.takePreciseCoverage')
  const [files, functions] = [new Map<string, number>(), new Map<string, number>()]
  let entries = 0
  for (const { url, functions: seen } of result) {
    const path = url.startsWith('file:') ? relative(root, fileURLToPath(url)) : ''
    if (!path.startsWith('src/')) continue
    for (const { functionName, ranges } of seen) {
      const [range] = ranges
      if (!range?.count || range.startOffset === 0) continue
      entries += range.count
      files.set(path, (files.get(path) ?? 0) + range.count)
      const name = `${path} ${functionName || '=>'}`
      functions.set(name, (functions.get(name) ?? 0) + range.count)
    }
  }
  return { entries, files, functions }
}

/** Times that a call is walked: a timer of the server may go off while one of them is under way. */
const TIMES = 3

/** Reads that were asked before, with other values; the number says with which. */
const reads: Readonly<Record<string, Read>> = {
  read: (n) => ({
    method: 'read',
    named: { fields: ['name', 'partner_id', 'amount_total'] },
    ids: [1, 2 + n],
  }),
  web_read: (n) => ({ method: 'web_read', named: { specification: specified }, ids: [1, 2 + n] }),
  web_search_read: (n) => ({
    method: 'web_search_read',
    named: { domain: [['name', 'ilike', `S000${n}`]], specification: specified, limit: 80 },
  }),
  search_count: (n) => ({ method: 'search_count', named: { domain: [['name', 'ilike', `S000${n}`]] } }),
  name_search: (n) => ({ method: 'name_search', named: { name: `S000${n}`, limit: 8 } }),
  formatted_read_group: (n) => ({
    method: 'formatted_read_group',
    named: {
      domain: [['name', 'ilike', `S000${n}`]],
      groupby: ['partner_id'],
      aggregates: ['__count', 'amount_total:sum'],
    },
  }),
  export_data: (n) => ({
    method: 'export_data',
    named: { fields_to_export: ['name', 'partner_id', 'state', 'amount_total'] },
    ids: n ? [1] : [2, 1],
  }),
}

const specified = { name: {}, amount_total: {}, partner_id: { fields: { display_name: {} } } }

type Read = (n: number) => {
  readonly method: string
  readonly named: Record<string, unknown>
  readonly ids?: readonly number[]
}

/**
 * Calls by name, in the order in which they are walked. `search_read` comes twice: the first time its plan is
 * made; of the warm ones it is the shortest.
 */
export async function walkCalls(): Promise<Record<string, Walk>> {
  const database = await openTestDatabase(modules.filter(({ name }) => !['website', 'pos'].includes(name)))
  const session = new Session()
  session.connect()
  try {
    await session.post('Profiler.enable')
    const key = await createKey(database.databases, 'test', 'admin', { scope: null, name: 'walks', days: 1 })
    const ask = (model: string, method: string, named: Record<string, unknown>, ids?: readonly number[]) =>
      call(database.databases, {
        ...{ database: 'test', credential: { kind: 'key', key }, model, method },
        body: () => ({ ids, context: undefined, named }),
        ...{ remote: '127.0.0.1', requestId: 'walk' },
      })
    const createRecord = async (model: string, vals: object) =>
      (await database.run((env) => env.model(model as never).create([vals as never]))).ids[0]
    const partner_id = await createRecord('res.partner', { name: 'Walker' })
    const product_id = await createRecord('product.product', { name: 'Boots', list_price: 90 })
    const order_line = [1, 2].map((product_uom_qty) => [0, 0, { product_id, product_uom_qty }])
    const create = () => ask('sale.order', 'create', { vals_list: [{ partner_id, order_line }] })
    const read = (name: string) =>
      ask('sale.order', 'search_read', {
        domain: [['name', 'ilike', name]],
        fields: ['name', 'partner_id', 'amount_total'],
        limit: 80,
      })
    const lines = async () =>
      database.run(async (env) => (await env.model('sale.order.line').search([], { limit: 1 })).ids)
    let quantity = 3
    const write = async () =>
      ask('sale.order.line', 'write', { vals: { product_uom_qty: quantity++ } }, await ids)
    let contact = 0
    const createContact = () =>
      ask('res.partner', 'create', { vals_list: [{ name: `Walker ${contact++}`, city: 'Namur' }] })
    const writeContact = () =>
      ask('res.partner', 'write', { vals: { city: `City ${contact++}` } }, [partner_id as number])
    await create()
    await create()
    const ids = lines()
    await ids
    await write()
    await write()
    for (let n = 0; n < 2; n++) for (const work of [createContact, writeContact]) await work()
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
    const cold = await walk(session, () => read('S'))
    const shortest = async (work: (n: number) => Promise<unknown>): Promise<Walk> => {
      const walks: Walk[] = []
      for (let n = 0; n < TIMES; n++) walks.push(await walk(session, () => work(n)))
      // A timer adds files of its own.
      const byLength = (walk: Walk, other: Walk) =>
        walk.files.size - other.files.size || walk.entries - other.entries
      return present(walks.sort(byLength)[0])
    }
    const warm = async (work: (n: number) => Promise<unknown>): Promise<Walk> => {
      for (let n = 0; n < TIMES; n++) await work(n)
      return shortest(work)
    }
    const others: Record<string, Walk> = {}
    for (const [name, read] of Object.entries(reads))
      others[`${name}, warm`] = await warm((n) => {
        const { method, named, ids: about } = read(n)
        return ask('sale.order', method, named, about)
      })
    return {
      'search_read, cold': cold,
      'search_read, warm': await warm((n) => read(`S000${n}`)),
      ...others,
      'create of an order with two lines': await shortest(create),
      'write of one quantity': await shortest(write),
      'create of a contact': await shortest(createContact),
      'write of one field of a contact': await shortest(writeContact),
    }
  } finally {
    session.disconnect()
    await database.close()
  }
}
