// The measured cases, one kind of call each. Every request gets a new body, so that no answer can be
// reused.

export interface BenchCase {
  readonly name: string
  readonly path: string
  /** Body of the n-th request. `ids` are the partners of the bench. */
  readonly body: (n: number, ids: readonly number[]) => object
  /** The caller: the administrator, or a user restricted by three record rules. */
  readonly as?: 'admin' | 'ruled'
  /** Over which wire; JSON-2 unless it says otherwise. */
  readonly wire?: 'xmlrpc'
  readonly headers?: Readonly<Record<string, string>>
  /** The case to compare the engine with, instead of the bare handler. */
  readonly beside?: string
  /** The ratio that it shall have at least. */
  readonly least: number
  /** Changes data: memory over many calls is measured without it. */
  readonly writes?: boolean
}

/** Spreads requests over all partners without a pattern that a cache would like. */
const pick = (n: number, ids: readonly number[]): number => ids[(n * 7919) % ids.length] as number
const partner = (n: number) => ({ name: `Bench ${n}`, email: `bench${n}@example.com`, city: 'Namur' })

const readOne: BenchCase = {
  name: 'read one',
  path: '/json/2/res.partner/read',
  body: (n, ids) => ({ ids: [pick(n, ids)], fields: ['name', 'email', 'city', 'active', 'country_id'] }),
  least: 0.7,
}

const searchRead: BenchCase = {
  name: 'search_read 80',
  path: '/json/2/res.partner/search_read',
  body: (n) => ({
    domain: [['is_company', '=', false]],
    fields: ['name', 'email', 'country_id', 'category_id'],
    limit: 80,
    offset: (n % 5) * 80,
  }),
  least: 0.8,
}

export const benchCases: readonly BenchCase[] = [
  { name: 'context_get', path: '/json/2/res.users/context_get', body: () => ({}), least: 0.7 },
  readOne,
  searchRead,
  { ...searchRead, name: 'search_read 80, three rules', as: 'ruled', least: 0.7 },
  {
    name: 'search_count',
    path: '/json/2/res.partner/search_count',
    body: (n) => ({
      domain: [
        ['is_company', '=', true],
        ['country_id', '=', 1 + (n % 200)],
      ],
    }),
    least: 0.9,
  },
  {
    name: 'create one',
    path: '/json/2/res.partner/create',
    body: (n) => ({ vals_list: [partner(n)] }),
    least: 0.5,
    writes: true,
  },
  {
    name: 'create 100',
    path: '/json/2/res.partner/create',
    body: (n) => ({ vals_list: Array.from({ length: 100 }, (_, i) => partner(n * 100 + i)) }),
    least: 0.6,
    writes: true,
  },
  {
    name: 'write one',
    path: '/json/2/res.partner/write',
    body: (n, ids) => ({ ids: [pick(n, ids)], vals: { city: `City ${n % 1000}` } }),
    least: 0.5,
    writes: true,
  },
  { ...readOne, name: 'read one, XML-RPC', wire: 'xmlrpc', beside: 'read one', least: 0.5 },
]
