// Types of the client: rows narrow to the requested fields, and domains, values and parameters are
// checked (test/house/types.test.ts).

import { createClient } from '../../../src/client/index.ts'
import type { Models } from '../../../src/models/contract/names.ts'

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const same = <A, B>(proof: Same<A, B>): boolean => proof

const client = createClient<Models>({ url: 'http://127.0.0.1:1', key: 'x' })
const partners = client.model('res.partner')
const orders = client.model('shop.order')
const unknown = client.untyped('x.made.by.hand')
// @ts-expect-error: no such model
client.model('shop.ordr')

// Rows hold the fields asked for and the id, in their wire forms: false for unset, pairs for records, ids for
// recordsets.
export async function rows(): Promise<void> {
  const read = await partners.searchRead({
    fields: ['name', 'country_id', 'category_id', 'active', 'color', 'type'],
    limit: 5,
  })
  type Read = {
    id: number
    name: string | false
    country_id: [id: number, name: string] | false
    category_id: number[]
    active: boolean
    color: number
    type: 'contact' | 'invoice' | 'delivery' | 'other' | false
  }
  same<typeof read, Read[]>(true)
  // @ts-expect-error: the proof can fail
  same<typeof read, { id: number; name: string }[]>(true)
  // @ts-expect-error: not asked for
  read[0]?.email
  // @ts-expect-error: no such field
  await partners.searchRead({ fields: ['nme'] })

  // A required many2one is always set; `load: null` gives ids; automatic fields are there.
  const [order] = await orders.read([1, 2], { fields: ['partner_id', 'state', 'create_uid'] })
  same<
    typeof order,
    | {
        id: number
        partner_id: [id: number, name: string]
        state: 'draft' | 'done'
        create_uid: [id: number, name: string] | false
      }
    | undefined
  >(true)
  const bare = await orders.read(1, { fields: ['partner_id', 'create_uid'], load: null })
  same<typeof bare, { id: number; partner_id: number; create_uid: number | false }[]>(true)

  // All fields when none is named.
  const [whole] = await orders.searchRead()
  same<typeof whole, undefined | { [K in keyof NonNullable<typeof whole>]: NonNullable<typeof whole>[K] }>(
    true,
  )
  whole?.amount_total satisfies number | undefined
  whole?.line_ids satisfies number[] | undefined
  // @ts-expect-error: a method is no field
  whole?.confirm
  const [everything] = await orders.searchRead({ fields: [] })
  everything?.amount_total satisfies number | undefined

  for await (const page of orders.pages({ fields: ['name'], size: 10 }))
    same<typeof page, { id: number; name: string }[]>(true)
}

// Domains, values, names.
export async function calls(): Promise<void> {
  await partners.search({ domain: ['|', ['name', 'ilike', 'a'], ['country_id.code', '=', 'BE']] })
  // @ts-expect-error: no such field
  await partners.search({ domain: [['nme', '=', 'a']] })
  // @ts-expect-error: no such operator
  await partners.searchCount({ domain: [['name', '~', 'a']] })
  same<number, Awaited<ReturnType<typeof createOrder>>>(true)
  same<number[], Awaited<ReturnType<typeof many>>>(true)
  await orders.write(1, { state: 'done', line_ids: [[0, 0, { article_id: 1 }]], partner_id: 3 })
  // @ts-expect-error: no such state
  await orders.write(1, { state: 'dne' })
  // @ts-expect-error: no such field
  await orders.create({ nme: 'S1' })
  const fields = await partners.fieldsGet({ fields: ['name'], attributes: ['type'] })
  fields.name?.type satisfies string | undefined
  // @ts-expect-error: not asked for
  fields.email
}
const createOrder = () => orders.create({ name: 'S1', partner_id: 1 })
const many = () => orders.create([{ name: 'S1', partner_id: 1 }])

// Methods by their contracts, and loosely otherwise.
export async function methods(): Promise<void> {
  const said = await orders.call('confirm', { urgent: true }, { ids: [1] })
  same<typeof said, string[]>(true)
  await orders.call('confirm')
  // @ts-expect-error: a boolean
  await orders.call('confirm', { urgent: 'very' })
  // @ts-expect-error: no such parameter
  await orders.call('confirm', { hasty: true })
  const addresses = await partners.call('address_get', { adr_pref: ['invoice'] }, { ids: 1 })
  same<typeof addresses, Record<string, number | false>>(true)
  const groups = await orders.call('formatted_read_group', { domain: [], groupby: ['state'] })
  same<typeof groups, unknown>(true)
}

// A model that is not in view takes any field; its rows still narrow.
export async function loose(): Promise<void> {
  const [row] = await unknown.searchRead({ domain: [['x_name', '=', 'a']], fields: ['x_name'] })
  row?.id satisfies number | undefined
  same<NonNullable<typeof row>['x_name'], unknown>(true)
  // @ts-expect-error: not asked for
  row?.x_other
  await unknown.create({ x_name: 'a' })
  same<unknown, Awaited<ReturnType<typeof anything>>>(true)
}
const anything = () => unknown.call('x_do', { any: 1 })
