// Fills a database for the bench over the API: tags, then partners in batches.

/** A function that calls a method and gives its result. Throws for anything but 200. */
export type Call = (model: string, method: string, body: object) => Promise<unknown>

export function callerOf(url: string, key: string): Call {
  const headers = { authorization: `bearer ${key}`, 'content-type': 'application/json' }
  return async (model, method, body) => {
    const response = await fetch(`${url}/json/2/${model}/${method}`, { method: 'POST', headers, body: JSON.stringify(body) })
    const text = await response.text()
    if (response.status !== 200) throw new Error(`${model}.${method}: ${response.status} ${text.slice(0, 500)}`)
    return JSON.parse(text)
  }
}

/** Makes `count` partners with addresses, countries and up to three tags; gives their ids. */
export async function fill(call: Call, count: number, progress: (done: number) => void): Promise<number[]> {
  const countries = (await call('res.country', 'search', { domain: [], limit: 50 })) as number[]
  const tags = (await call('res.partner.category', 'create', {
    vals_list: Array.from({ length: 20 }, (_, i) => ({ name: `Bench tag ${i}`, color: i % 12 })),
  })) as number[]
  const ids: number[] = []
  const batch = 1000
  while (ids.length < count) {
    const start = ids.length
    const size = Math.min(batch, count - start)
    const vals_list = Array.from({ length: size }, (_, i) => {
      const n = start + i
      return {
        name: `Partner ${String(n).padStart(5, '0')}`,
        email: `partner${n}@example.com`,
        phone: `+32 81 ${n}`,
        street: `Street ${n % 300}`,
        city: `City ${n % 100}`,
        is_company: n % 10 === 0,
        country_id: countries[n % countries.length],
        category_id: tags.slice(n % 17, (n % 17) + (n % 4)),
      }
    })
    ids.push(...((await call('res.partner', 'create', { vals_list })) as number[]))
    progress(ids.length)
  }
  return ids
}
