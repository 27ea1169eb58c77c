// A program of somebody who installed the package: typed by what `comptoir types` wrote for a live database
// (test/package/package.test.ts).
import { AccessError, createClient, NotFound } from 'comptoir/client'
import type { Models } from './models.ts'

const [url = '', key = ''] = process.argv.slice(2)
const client = createClient<Models>({ url, key, database: 'shop' })
const partners = client.model('res.partner')

const id = await partners.create({ name: 'Ann', x_shoe_size: 41, category_id: [[0, 0, { name: 'Walker' }]] })
const [row] = await partners.searchRead({
  domain: [
    ['category_id.name', '=', 'Walker'],
    ['x_shoe_size', '>', 40],
  ],
  fields: ['name', 'x_shoe_size', 'country_id', 'type'],
})
const size: number | undefined = row?.x_shoe_size
const country: false | [id: number, name: string] | undefined = row?.country_id
const names: [number, string][] = await partners.call('name_search', {
  name: 'Ann',
  domain: [['x_shoe_size', '=', 41]],
})
const addresses = await partners.call('address_get', { adr_pref: ['invoice'] }, { ids: id })
const gift = await client.model('gift.gift').create({ name: 'Book', partner_id: id })
const greeting: string = await client.model('gift.gift').call('greet', { loudly: true }, { ids: gift })
const [label] = await client.model('gift.gift').read(gift, { fields: ['label'] })
const boat = await client.model('x_boat').create({ x_name: 'Zephyr', x_captain_id: id })
const refused = await client
  .untyped('no.such')
  .search()
  .catch((error: unknown) => error instanceof NotFound && !(error instanceof AccessError))
console.log(
  JSON.stringify({
    name: row?.name,
    size,
    country,
    names: names.length,
    invoice: addresses.invoice === id,
    made: boat > 0,
    greeting,
    label: label?.label,
    refused,
  }),
)

/** Never called: what must not compile. */
export async function mistakes(): Promise<void> {
  // @ts-expect-error: not asked for
  row?.email
  // @ts-expect-error: a number
  await partners.create({ x_shoe_size: 'large' })
  // @ts-expect-error: no such field at the end of the path
  await partners.search({ domain: [['country_id.cod', '=', 'BE']] })
  // @ts-expect-error: of a made field too
  await client.model('x_boat').search({ domain: [['x_captain_id.x_shoe_siz', '=', 41]] })
  // @ts-expect-error: not one of the types of addresses
  await partners.search({ domain: [['type', '=', 'holiday']] })
  // @ts-expect-error: no such method
  await partners.call('adress_get')
  // @ts-expect-error: no such model
  client.model('res.partnr')
}
