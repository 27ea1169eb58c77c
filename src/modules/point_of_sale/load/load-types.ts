// Types that describe the records and fields which tills load of a model.
import type { Scope } from '#models'
import { raw, type Sql, sql } from '../../../sql/index.ts'

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

/** Its address is another one for another picture, so that tills keep what they have. */
const address = (scope: Scope, field: string, mark: Sql): Sql =>
  sql`COALESCE(to_json('/web/image/' || ${scope.model.name} || '/' || ${scope.id} || ${`/${field}?unique=`} || ${mark}), 'false'::json)`

const MARK = raw('left(a.checksum, 16)')

/** A picture by its address; `source` is the field that keeps it. */
export const pictureAddress =
  (field: string, source: string) =>
  (scope: Scope): Sql =>
    address(
      scope,
      field,
      sql`(SELECT ${MARK} FROM ir_attachment a WHERE a.res_model = ${scope.model.name} AND a.res_field = ${source} AND a.res_id = ${scope.id}
      ORDER BY a.id DESC LIMIT 1)`,
    )

/** As `pictureAddress`, for lists of most records. */
export const gatheredPictureAddress =
  (field: string, source: string) =>
  (scope: Scope): Sql =>
    address(
      scope,
      field,
      sql`${scope.joinQuery(sql`SELECT DISTINCT ON (a.res_id) a.res_id AS owner, ${MARK} AS mark FROM ir_attachment a
      WHERE a.res_model = ${scope.model.name} AND a.res_field = ${source} ORDER BY a.res_id, a.id DESC`)}.mark`,
    )

export const all = (): Domain => []
export const withId = (id: (of: Loading) => number | null) => (of: Loading) => [['id', '=', id(of) ?? 0]]
export const ofCompany = ({ company }: Loading): Domain => [
  '|',
  ['company_id', '=', false],
  ['company_id', 'in', [company]],
]
