// How it is said what tills load of a model: which records, and which of their fields.
import type { Scope } from '#models'
import { type Sql, sql } from '../../../sql/index.ts'

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
  /** Fields whose JSON is written otherwise than their kinds do. */
  readonly written?: Readonly<Record<string, Written>>
  /** As `written`, where all that is sold is loaded. */
  readonly gathered?: Readonly<Record<string, Written>>
}

type Written = (scope: Scope) => Sql | null

/**
 * A picture by its address, which is another one for another picture, so that tills keep what they have;
 * `source` is the field that keeps it.
 */
export const pictureAddress =
  (field: string, source: string) =>
  (scope: Scope): Sql =>
    sql`COALESCE((SELECT to_json('/web/image/' || a.res_model || '/' || a.res_id || ${`/${field}?unique=`} || left(a.checksum, 16)) FROM ir_attachment a
      WHERE a.res_model = ${scope.model.name} AND a.res_field = ${source} AND a.res_id = ${scope.id} ORDER BY a.id DESC LIMIT 1), 'false'::json)`

export const all = (): Domain => []
export const own = (id: (of: Loading) => number | null) => (of: Loading) => [['id', '=', id(of) ?? 0]]
export const ofCompany = ({ company }: Loading): Domain => [
  '|',
  ['company_id', '=', false],
  ['company_id', 'in', [company]],
]
