// A round of the property test as plain data: groups, users, access lines, rules, records, and calls.
// Items refer to each other by their index in these lists, so that plans can be printed, shrunk and
// replayed.

export const operations = ['read', 'write', 'create', 'unlink'] as const
export type Operation = (typeof operations)[number]
export type ModelKey = 'a' | 'b' | 'c'

/** The operand of a condition. `var`: a name in the context of rules. */
export type Value =
  | null
  | number
  | string
  | { readonly row: number }
  | { readonly company: number }
  | { readonly user: number }
  | { readonly var: 'company_id' | 'company_ids' | 'user.id' | 'user.company_id.id' }
  | readonly Value[]

export type Condition =
  | { readonly kind: 'and'; readonly of: readonly [Condition, Condition] }
  | { readonly kind: 'or'; readonly of: readonly [Condition, Condition] }
  | { readonly kind: 'not'; readonly of: Condition }
  | {
      readonly kind: 'leaf'
      readonly field: string
      readonly by: '=' | '!=' | '>' | 'in' | 'not in' | 'ilike'
      readonly value: Value
    }
  /**
   * A record of the relation satisfies the condition; `dotted`: written as a path, if the condition is
   * a single leaf.
   */
  | { readonly kind: 'any'; readonly field: string; readonly of: Condition; readonly dotted: boolean }

export interface User {
  /** Of the portal, and no internal user. */
  readonly portal?: boolean
  readonly groups: readonly number[]
  /** The first is the default one. */
  readonly companies: readonly number[]
  readonly exports: boolean
}

export interface AccessLine {
  readonly model: ModelKey
  /** Null: everybody. */
  readonly group: number | null
  readonly operations: readonly Operation[]
}

export interface Rule extends Omit<AccessLine, 'group'> {
  /** None: for everybody. */
  readonly groups: readonly number[]
  /** Null: an empty domain. */
  readonly domain: Condition | null
}

/** Many2ones are places or null, many2manys lists of places. */
export interface Row {
  readonly model: ModelKey
  readonly values: Readonly<Record<string, unknown>>
}

export type Grouping = { readonly by: string; readonly sum: string }

/** A call of one user. `rows` are records by index. */
export type Ask =
  | { readonly do: 'search'; readonly domain: Condition | null; readonly order: string | null }
  | { readonly do: 'search_count'; readonly domain: Condition | null }
  | {
      readonly do: 'search_read'
      readonly domain: Condition | null
      readonly fields: readonly string[] | null
    }
  | { readonly do: 'name_search'; readonly domain: Condition | null; readonly name: string }
  | ({ readonly do: 'formatted_read_group' | 'read_group'; readonly domain: Condition | null } & Grouping)
  | { readonly do: 'read'; readonly rows: readonly number[]; readonly fields: readonly string[] | null }
  | {
      readonly do: 'web_read'
      readonly rows: readonly number[]
      readonly field: string
      readonly below: readonly string[]
    }
  | { readonly do: 'export_data'; readonly rows: readonly number[]; readonly paths: readonly string[] }
  | { readonly do: 'has_access'; readonly rows: readonly number[]; readonly operation: Operation }
  | {
      readonly do: 'write'
      readonly rows: readonly number[]
      readonly values: Readonly<Record<string, unknown>>
    }
  | { readonly do: 'create'; readonly values: Readonly<Record<string, unknown>> }
  | { readonly do: 'copy' | 'unlink'; readonly rows: readonly number[] }

export type Step = Ask & {
  readonly user: number
  readonly model: ModelKey
  readonly companies: readonly number[] | null
}

export interface Plan {
  /** Pairs: the first group implies the second. */
  readonly implied: readonly (readonly [number, number])[]
  readonly users: readonly User[]
  readonly access: readonly AccessLine[]
  readonly rules: readonly Rule[]
  /** Null: a record that shrinking took away. */
  readonly rows: readonly (Row | null)[]
  readonly steps: readonly Step[]
}

/** An answer in comparable form: a status of refusal, or the value with indexes instead of ids. */
export type Answer = { readonly refused: number } | { readonly value: unknown }
