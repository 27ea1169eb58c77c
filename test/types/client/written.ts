// Types written by `comptoir types`: paths, operators and operands of domains, commands, methods
// (test/house/types.test.ts).
import {
  createClient,
  type DomainOf,
  type Field,
  type Method,
  type Model,
  type ValuesOf,
} from '../../../src/client/index.ts'

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const same = <A, B>(proof: Same<A, B>): boolean => proof

interface Models {
  'till.order': Model<
    {
      id: Field<'id', unknown, true>
      name: Field<'char', unknown, true>
      note: Field<'html', unknown, false>
      state: Field<'selection', 'draft' | 'done', true>
      placed_on: Field<'datetime', unknown, false>
      total: Field<'monetary', unknown, true>
      paid: Field<'boolean', unknown, true>
      receipt: Field<'binary', unknown, false>
      extra: Field<'properties', unknown, false>
      buyer_id: Field<'many2one', 'till.buyer', true>
      line_ids: Field<'one2many', 'till.line', true>
      elsewhere_id: Field<'many2one', 'not.seen', false>
    },
    {
      pay: Method<{ amount: number; tip?: number }, boolean>
      print_receipt: Method<{ copies?: number }, null>
    }
  >
  'till.sale': Model<
    {
      id: Field<'id', unknown, true>
      name: Field<'char', unknown, true>
      title: Field<'char', unknown, false, true>
      till_id: Field<'many2one', 'till.order', true, true>
      line_ids: Field<'one2many', 'till.line'>
    },
    {
      close: Method<Record<never, never>, boolean>
      create: Method<{ vals_list: readonly ValuesOf<Models, 'till.sale'>[] }, number[]>
      reopen: Method<Record<string, never>, boolean>
    }
  >
  'till.line': Model<
    {
      id: Field<'id', unknown, true>
      qty: Field<'float', unknown, true>
      order_id: Field<'many2one', 'till.order', true>
    },
    Record<never, Method>
  >
  'till.buyer': Model<
    {
      id: Field<'id', unknown, true>
      name: Field<'char'>
      parent_id: Field<'many2one', 'till.buyer', false>
    },
    object
  >
}

const client = createClient<Models>({ url: 'http://127.0.0.1:1', key: 'x' })
const orders = client.model('till.order')

export async function domains(): Promise<void> {
  await orders.search({
    domain: ['|', ['name', 'ilike', 'a'], '!', ['buyer_id.parent_id.name', '=like', 'B%'], [1, '=', 1]],
  })
  await orders.search({ domain: [['line_ids.order_id.buyer_id', 'child_of', 7]] })
  await orders.search({ domain: [['line_ids', 'any', [['qty', '>', 2]]]] })
  await orders.search({ domain: [['placed_on.month_number', '=', 2]] })
  await orders.search({ domain: [['extra.colour', '=', 'red']] })
  await orders.search({ domain: [['elsewhere_id.anything', '=', 'goes']] })
  await orders.search({ domain: [['buyer_id', 'in', [1, false]]] })
  await orders.search({ domain: [['receipt', '!=', false]] })
  await orders.search({ domain: [['state', 'in', ['draft', 'done']]] })
  // Paths.
  // @ts-expect-error: no such field at the end of the path
  await orders.search({ domain: [['buyer_id.nme', '=', 'a']] })
  // @ts-expect-error: no such field in the middle
  await orders.search({ domain: [['line_ids.odrer_id.name', '=', 'a']] })
  // @ts-expect-error: a text has no fields
  await orders.search({ domain: [['name.first', '=', 'a']] })
  // @ts-expect-error: no such part of a moment
  await orders.search({ domain: [['placed_on.month', '=', 2]] })
  // @ts-expect-error: within the second condition
  await orders.search({ domain: ['&', ['name', '=', 'a'], ['buyer_id.parent_id.parent_id.nme', '=', 'a']] })
  // Operators by kind.
  // @ts-expect-error: a boolean has no order
  await orders.search({ domain: [['paid', '>', true]] })
  // @ts-expect-error: nor a pattern
  await orders.search({ domain: [['paid', 'ilike', 'x']] })
  // @ts-expect-error: lines have no order
  await orders.search({ domain: [['line_ids', '<', 3]] })
  // @ts-expect-error: a text is in no tree
  await orders.search({ domain: [['name', 'child_of', 3]] })
  // @ts-expect-error: a number has no records
  await orders.search({ domain: [['total', 'any', []]] })
  // @ts-expect-error: bytes are there or not
  await orders.search({ domain: [['receipt', 'ilike', 'x']] })
  // Operands.
  // @ts-expect-error: a number
  await orders.search({ domain: [['total', '>', '3']] })
  // @ts-expect-error: a list
  await orders.search({ domain: [['name', 'in', 'abc']] })
  // @ts-expect-error: no such state
  await orders.searchCount({ domain: [['state', '=', 'dne']] })
  // @ts-expect-error: a domain of the lines
  await orders.searchRead({ domain: [['line_ids', 'any', [['quantity', '>', 2]]]] })
  // @ts-expect-error: whose operands are checked as well
  for await (const _ of orders.pages({ domain: [['line_ids', 'any', [['qty', '>', 'x']]]] })) break
  // @ts-expect-error: no term
  await orders.search({ domain: ['and', ['name', '=', 'a']] })
  // @ts-expect-error: two members
  await orders.nameSearch('', { domain: [['name', '=']] })

  // A domain that is put together at run time.
  const terms: DomainOf<Models, 'till.order'> = Math.random() > 0.5 ? [['name', '=', 'a']] : []
  await orders.search({ domain: [...terms, ['paid', '=', true]] })
  // @ts-expect-error: its first fields are checked
  const wrong: DomainOf<Models, 'till.order'> = [['nme', '=', 'a']]
  await orders.search({ domain: wrong })
}

export async function values(): Promise<void> {
  const [row] = await orders.searchRead({
    domain: [['paid', '=', false]],
    fields: ['state', 'note', 'buyer_id', 'extra', 'line_ids'],
  })
  type Read = {
    id: number
    state: 'draft' | 'done'
    note: string | false
    buyer_id: [id: number, name: string]
    extra: unknown
    line_ids: number[]
  }
  same<typeof row, Read | undefined>(true)
  // @ts-expect-error: the domain does not widen the row
  row?.name
  for await (const order of orders.each({ fields: ['paid'] }))
    same<typeof order, { id: number; paid: boolean }>(true)
  await orders.create({
    name: 'A',
    buyer_id: 1,
    line_ids: [
      [0, 0, { qty: 2 }],
      [1, 7, { qty: 3 }],
      [4, 8],
      [6, 0, [1, 2]],
    ],
    note: false,
  })
  // @ts-expect-error: a field of the line
  await orders.create({ line_ids: [[0, 0, { quantity: 2 }]] })
  // @ts-expect-error: a set takes a list
  await orders.write(1, { line_ids: [[6, 0, 3]] })
  // @ts-expect-error: the server makes ids
  await orders.create({ id: 3 })
  const vals: ValuesOf<Models, 'till.line'> = { order_id: 3 }
  await client.model('till.line').create([vals])
}

export async function methods(): Promise<void> {
  same<boolean, Awaited<ReturnType<typeof paid>>>(true)
  await orders.call('print_receipt')
  await orders.call('print_receipt', {}, { ids: [1] })
  await orders.call('print_receipt', { copies: 2 }, { ids: [1] })
  // @ts-expect-error: the amount must be given
  await orders.call('pay')
  // @ts-expect-error: here too
  await orders.call('pay', { tip: 1 }, { ids: 1 })
  // @ts-expect-error: a number
  await orders.call('pay', { amount: '3' }, { ids: 1 })
  // @ts-expect-error: no such method
  await orders.call('pya', { amount: 3 })
  // @ts-expect-error: no such model
  client.model('till.ordr')
}
const paid = () => orders.call('pay', { amount: 3 }, { ids: 1 })

const sales = client.model('till.sale')
const line = { qty: 2 }
const rows: { title: string; till_id: number }[] = []

export async function creations(): Promise<void> {
  same<number, Awaited<ReturnType<typeof sold>>>(true)
  same<number[], Awaited<ReturnType<typeof soldAll>>>(true)
  same<number[], Awaited<ReturnType<typeof soldRows>>>(true)
  await sales.write(1, { name: 'B' })
  await sales.copy(1, { name: 'B' })
  // @ts-expect-error: nothing is created of nothing
  await sales.create({})
  // @ts-expect-error: no till
  await sales.create({ title: 'A' })
  // @ts-expect-error: no till in the second
  await sales.create([{ title: 'A', till_id: 1 }, { title: 'B' }])
  // The same holds by name.
  await sales.call('create', { vals_list: [{ title: 'A', till_id: 1 }] })
  // @ts-expect-error: no till
  await sales.call('create', { vals_list: [{ title: 'A' }] })
  // The name itself is reported.
  await sales.create({
    title: 'A',
    till_id: 1,
    // @ts-expect-error: no such field
    nme: 'S1',
  })
  await sales.create([
    { title: 'A', till_id: 1 },
    {
      title: 'B',
      till_id: 1,
      // @ts-expect-error: no such field
      nme: 'S2',
    },
  ])
  await sales.create({
    title: 'A',
    till_id: 1,
    // @ts-expect-error: no such field of the line
    line_ids: [[0, 0, { quantity: 2 }]],
  })
  await sales.create({
    title: 'A',
    // @ts-expect-error: an id
    till_id: 'one',
  })
}
const sold = () => sales.create({ title: 'A', till_id: 1, line_ids: [[0, 0, line]] })
const soldAll = () => sales.create([{ title: 'A', till_id: 1 }], { timeoutMs: 1 })
const soldRows = () => sales.create(rows)

export async function orderings(): Promise<void> {
  const chosen: string = Math.random() > 0.5 ? 'name' : 'title'
  await sales.search({ order: 'till_id desc nulls last, title ASC,id' })
  await sales.searchRead({ order: chosen, fields: ['name'] })
  await sales.searchRead({ order: 'till_id.id desc' })
  await client.untyped('x.any').search({ order: 'whatever desc' })
  for await (const page of sales.pages({ order: 'title desc', fields: ['name'] }))
    same<typeof page, { id: number; name: string }[]>(true)
  // @ts-expect-error: no such field
  await sales.search({ order: 'titel' })
  // @ts-expect-error: nor as the second
  await sales.searchRead({ order: 'title, nme desc' })
  // @ts-expect-error: no such direction
  await sales.searchRead({ order: 'title descending' })
  // @ts-expect-error: pages too
  for await (const _ of sales.each({ order: 'titel' })) break
  // @ts-expect-error: and those by cursor
  for await (const _ of sales.keysetPages({ order: 'titel' })) break
}

export async function parameters(): Promise<void> {
  await sales.call('close')
  await sales.call('close', {}, { ids: 1 })
  await sales.call('reopen', {})
  // @ts-expect-error: it has no parameters
  await sales.call('close', { hard: true })
  // @ts-expect-error: nor has this
  await sales.call('reopen', { hard: true })
  // @ts-expect-error: no such parameter
  await orders.call('pay', { amount: 1, tpi: 2 })
}
