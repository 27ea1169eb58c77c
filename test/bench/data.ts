// The fixed data of the bench, created over the API: tags, partners, a second company, and products if their
// model is installed.

/** Returns a function that calls a method and returns its result. Throws for a status other than 200. */
export type Call = (model: string, method: string, body: object) => Promise<unknown>

export function callerOf(url: string, key: string): Call {
  const headers = { authorization: `bearer ${key}`, 'content-type': 'application/json' }
  return async (model, method, body) => {
    const response = await fetch(`${url}/json/2/${model}/${method}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    })
    const text = await response.text()
    if (response.status !== 200)
      throw new Error(`${model}.${method}: ${response.status} ${text.slice(0, 500)}`)
    return JSON.parse(text)
  }
}

const COUNTRIES = 200
const TAGS = 20

/** Creates `count` partners with addresses in 200 countries and up to three of 20 tags; returns their ids. */
export async function fill(call: Call, count: number, progress: (done: number) => void): Promise<number[]> {
  const countries = (await call('res.country', 'search', { domain: [], limit: COUNTRIES })) as number[]
  const tags = (await call('res.partner.category', 'create', {
    vals_list: Array.from({ length: TAGS }, (_, i) => ({ name: `Bench tag ${i}`, color: i % 12 })),
  })) as number[]
  const partner = (n: number) => ({
    name: `Partner ${String(n).padStart(5, '0')}`,
    email: `partner${n}@example.com`,
    phone: `+32 81 ${n}`,
    street: `Street ${n % 300}`,
    city: `City ${n % 100}`,
    is_company: n % 10 === 0,
    country_id: countries[n % countries.length],
    category_id: tags.slice(n % 17, (n % 17) + (n % 4)),
  })
  return inBatches(call, 'res.partner', count, partner, progress)
}

/** Creates products, if their model is installed. */
export async function fillProducts(call: Call, count: number): Promise<number> {
  const models = await call('ir.model', 'search_count', { domain: [['model', '=', 'product.template']] })
  if (models === 0) return 0
  const ids = await inBatches(call, 'product.template', count, (n) => ({
    name: `Product ${n}`,
    list_price: (n % 500) + 0.5,
  }))
  return ids.length
}

async function inBatches(
  call: Call,
  model: string,
  count: number,
  values: (n: number) => object,
  progress: (done: number) => void = () => undefined,
): Promise<number[]> {
  const ids: number[] = []
  const batch = 2000
  while (ids.length < count) {
    const start = ids.length
    const vals_list = Array.from({ length: Math.min(batch, count - start) }, (_, i) => values(start + i))
    ids.push(...((await call(model, 'create', { vals_list })) as number[]))
    progress(ids.length)
  }
  return ids
}
