// Scope: a model's row inside a query. Gives fields as SQL expressions, and joins many2ones that lead to
// them.
import { present } from '../../kit/present.ts'
import { assertWithin } from '../../limits.ts'
import { id, join, literal, quote, raw, type Sql, sql } from '../../sql/index.ts'
import { decimalSql, decimalsOf } from '../kinds/shared.ts'
import type { FieldDef, ModelDef } from '../language/definitions.ts'
import type { Environment, Typed } from '../language/environment.ts'
import type { QueryCost, Scope } from '../language/scope.ts'
import { BASE_LANGUAGE } from '../unit/environment.ts'
import { companyDefault } from './company-values.ts'

/** Something joined to a row; `surely`: every row of the table has it. */
interface Joined {
  readonly surely: boolean
  readonly what: Sql
}

/** Rows that a query gives, of the columns that they are asked for. */
interface Page {
  readonly alias: string
  readonly asked: Set<string>
  of(columns: readonly string[]): Sql
}

/** Aliases and joins shared by a query's scopes. */
interface Sources {
  /** The source of the rows; the model's own where undefined. */
  readonly page?: Page | undefined
  count: number
  readonly joins: Joined[]
  /** Shared with all subqueries. */
  readonly cost: QueryCost
}

/** The FROM item of a model's rows, without an alias: its table, or its query in parentheses. */
export const fromItemOf = ({ table, options: { query } }: ModelDef): Sql =>
  query === undefined ? id(table) : sql`(${raw(query)})`

class RowScope implements Scope {
  readonly env: Environment
  readonly model: ModelDef
  readonly alias: string
  readonly #sources: Sources
  readonly #joined = new Map<string, RowScope>()
  readonly fixed = new Map<string, string>()
  /** Whether there is a row of it for every row of the query. */
  readonly #isPresent: boolean

  constructor(env: Environment, model: ModelDef, alias: string, sources: Sources, isPresent = true) {
    this.env = env
    this.model = model
    this.alias = alias
    this.#sources = sources
    this.#isPresent = isPresent
  }

  get cost(): QueryCost {
    return this.#sources.cost
  }

  nested(model: ModelDef, env: Environment = this.env): RowScope {
    this.cost.step()
    this.#sources.count++
    return new RowScope(env, model, `${this.alias}_${this.#sources.count}`, {
      count: 0,
      joins: [],
      cost: this.cost,
    })
  }

  privileged(): RowScope {
    return this.seenBy(this.env.sudo())
  }

  seenBy(env: Environment): RowScope {
    if (env === this.env) return this
    const scope = new RowScope(env, this.model, this.alias, this.#sources, this.#isPresent)
    for (const [name, joined] of this.#joined) scope.#joined.set(name, joined)
    for (const [name, value] of this.fixed) scope.fixed.set(name, value)
    return scope
  }

  from(within?: Sql): Sql {
    const { page } = this.#sources
    const table = sql`${page ? page.of([...page.asked]) : fromItemOf(this.model)} ${id(this.alias)}`
    const rows = within ? sql`${within} JOIN ${table} ON ${this.id} = u.id` : table
    return this.#withJoins(rows, ({ surely }) => surely)
  }

  fromImage(image: Sql): Sql {
    const row = sql`LATERAL jsonb_populate_record(NULL::${id(this.model.table)}, ${image}) AS ${id(this.alias)}`
    return this.#withJoins(row, () => false)
  }

  /** Inner joins leave PostgreSQL the choice where to begin: it may walk along an index of what is joined. */
  #withJoins(rows: Sql, isInner: (joined: Joined) => boolean): Sql {
    const joins = this.#sources.joins.map((one) =>
      isInner(one) ? sql`JOIN ${one.what}` : sql`LEFT JOIN ${one.what}`,
    )
    return joins.length ? sql`${rows} ${join(joins, ' ')}` : rows
  }

  hasTarget(field: FieldDef): boolean {
    const { filled } = this.env.unit.registry
    return this.#isPresent && field.required && filled.has(`${field.model.table}.${field.name}`)
  }

  get joins(): number {
    return this.#sources.joins.length
  }

  column(name: string): Sql {
    const { page } = this.#sources
    if (page?.alias === this.alias) page.asked.add(name)
    return raw(`${quote(this.alias)}.${quote(name)}`)
  }

  get id(): Sql {
    return this.column('id')
  }

  join(field: FieldDef): RowScope {
    const joinedScope = this.#joined.get(field.name)
    if (joinedScope) return joinedScope
    const comodel = field.comodel
    if (!comodel) throw new Error(`${this.model.name}.${field.name} leads to no model`)
    const value = this.value(field)
    if (!value) throw new Error(`${this.model.name}.${field.name} has no SQL form to join by`)
    this.cost.step()
    this.#sources.count++
    const alias = `${this.alias}j${this.#sources.count}`
    const surely = this.hasTarget(field)
    const scope = new RowScope(this.env, comodel, alias, this.#sources, surely)
    const what = sql`${fromItemOf(comodel)} ${id(alias)} ON ${id(alias)}."id" = ${value}`
    this.#sources.joins.push({ surely, what })
    this.#joined.set(field.name, scope)
    return scope
  }

  joinQuery(rows: Sql): Sql {
    this.cost.step()
    this.#sources.count++
    const alias = id(`${this.alias}b${this.#sources.count}`)
    const what = sql`(${rows}) ${alias} ON ${alias}.owner = ${this.id}`
    this.#sources.joins.push({ surely: false, what })
    return alias
  }

  value(field: FieldDef): Sql | null {
    if (field.column) return this.#stored(field)
    if (field.related) return this.#related(field.related)
    return field.compute?.options.sql?.(this) ?? null
  }

  path(path: string): Sql | null {
    return this.#related(path.split('.'))
  }

  json(field: FieldDef, typed: Typed | null = null): Sql | null {
    // Another record defines the properties (properties.ts).
    if (field.kind === 'properties') return null
    const value = this.value(field)
    if (!value) return null
    const scale = typed?.decimal ? decimalsOf(this, field) : null
    return scale ? sql`to_json(${decimalSql(value, scale)})` : field.type.toJson(field, value, typed)
  }

  displayName(): Sql | null {
    return this.value(this.model.displayName)
  }

  #stored(field: FieldDef): Sql {
    const column = this.column(field.name)
    if (field.options.companyDependent) {
      const type = raw(field.type.columnType(field) ?? 'text')
      const companyValue = sql`(${column}->>${literal(String(this.env.companyId))})::${type}`
      const fallback = companyDefault(this.env, field)
      return fallback === null
        ? companyValue
        : sql`COALESCE(${companyValue}, ${literal(String(fallback))}::${type})`
    }
    if (!field.translate) return column
    const lang = this.env.lang
    const base = sql`${column}->>${literal(BASE_LANGUAGE)}`
    return lang === BASE_LANGUAGE ? sql`(${base})` : sql`COALESCE(${column}->>${literal(lang)}, ${base})`
  }

  along(path: readonly string[]): { readonly scope: RowScope; readonly field: FieldDef } | null {
    let scope: RowScope = this
    for (const name of path.slice(0, -1)) {
      const step = scope.model.fields.get(name)
      if (step?.kind !== 'many2one' || !scope.value(step)) return null
      scope = scope.join(step)
    }
    const field = scope.model.fields.get(present(path.at(-1)))
    return field ? { scope, field } : null
  }

  #related(path: readonly string[]): Sql | null {
    const end = this.along(path)
    return end?.scope.value(end.field) ?? null
  }
}

/** The scope of a new query over `model`. `prefix` keeps aliases of nested queries apart. */
export function scopeOver(env: Environment, model: ModelDef, prefix = 't'): Scope {
  return new RowScope(env, model, prefix, { count: 0, joins: [], cost: new StatementCost() })
}

/**
 * As `scopeOver`, of rows of the model that a query between parentheses gives: with the columns that were
 * asked for. PostgreSQL carries each column of a query from row to row, even an unused one.
 */
export function scopeOfRows(
  env: Environment,
  model: ModelDef,
  of: (columns: readonly string[]) => Sql,
): Scope {
  const page = { alias: 't', asked: new Set<string>(), of }
  return new RowScope(env, model, page.alias, { page, count: 0, joins: [], cost: new StatementCost() })
}

// The cost of a statement, counted while it is composed, with its record rules, names and search rules.

export class StatementCost implements QueryCost {
  #steps = 0
  #costly = 0
  #listed = 0

  /** Each costs PostgreSQL memory while it plans, and more so together. */
  step(steps = 1): void {
    this.#steps += steps
    assertWithin('steps', this.#steps)
  }

  costly(conditions = 1): void {
    this.#costly += conditions
    assertWithin('costly', this.#costly)
  }

  list(values: number): void {
    this.#listed += values
    assertWithin('list', this.#listed)
  }

  countedApart<T>(work: () => T): T {
    const before = [this.#steps, this.#costly] as const
    this.#steps = 0
    this.#costly = 0
    try {
      return work()
    } finally {
      ;[this.#steps, this.#costly] = before
    }
  }
}
