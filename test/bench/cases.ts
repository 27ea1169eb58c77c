// What is measured: one kind of call each, its body made anew for every request so that no answer can be the last one's.

export interface BenchCase {
  readonly name: string
  readonly path: string
  /** Body of the n-th request. `ids` are the partners of the bench. */
  readonly body: (n: number, ids: readonly number[]) => object
}

/** Spreads requests over all partners without a pattern that a cache would like. */
const pick = (n: number, ids: readonly number[]): number => ids[(n * 7919) % ids.length] as number
const partner = (n: number) => ({ name: `Bench ${n}`, email: `bench${n}@example.com`, city: 'Namur' })

export const benchCases: readonly BenchCase[] = [
  { name: 'context_get', path: '/json/2/res.users/context_get', body: () => ({}) },
  {
    name: 'read one',
    path: '/json/2/res.partner/read',
    body: (n, ids) => ({ ids: [pick(n, ids)], fields: ['name', 'email', 'city', 'active', 'country_id'] }),
  },
  {
    name: 'search_read 80',
    path: '/json/2/res.partner/search_read',
    body: (n) => ({
      domain: [['is_company', '=', false]],
      fields: ['name', 'email', 'country_id', 'category_id'],
      limit: 80,
      offset: (n % 5) * 80,
    }),
  },
  { name: 'create one', path: '/json/2/res.partner/create', body: (n) => ({ vals_list: [partner(n)] }) },
  {
    name: 'create 100',
    path: '/json/2/res.partner/create',
    body: (n) => ({ vals_list: Array.from({ length: 100 }, (_, i) => partner(n * 100 + i)) }),
  },
  { name: 'write one', path: '/json/2/res.partner/write', body: (n, ids) => ({ ids: [pick(n, ids)], vals: { city: `City ${n % 1000}` } }) },
]
