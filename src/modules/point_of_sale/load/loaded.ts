// How it is said what tills load of a model: which records, and which of their fields.

/** The point of sale that loads, as far as that decides what is loaded. */
export interface Loading {
  readonly session: number
  readonly config: number
  readonly company: number
  readonly user: number
  readonly currency: number
  /** Categories that it is limited to, with all below them; null for all. */
  readonly categories: readonly number[] | null
  readonly pricelists: readonly number[]
  readonly positions: readonly number[]
  readonly rounding: number | null
  readonly warehouse: number | null
}

export type Domain = readonly unknown[]

export interface Loaded {
  readonly fields: readonly string[]
  readonly domain: (of: Loading) => Domain
  /** Archived records too. */
  readonly archived?: boolean
  readonly limit?: number
  /** The field that is told as the address of a picture, and the one that keeps the picture. */
  readonly pictures?: { readonly field: string; readonly source: string }
}

export const all = (): Domain => []
export const own = (id: (of: Loading) => number | null) => (of: Loading) => [['id', '=', id(of) ?? 0]]
export const ofCompany = ({ company }: Loading): Domain => [
  '|',
  ['company_id', '=', false],
  ['company_id', 'in', [company]],
]
