// All there is in the generated tables, read plainly: the facts that the reader in memory is given.

import { fixedDomain } from '../../src/models/domain/index.ts'
import type { Environment } from '../../src/models/index.ts'
import type { FieldDef, ModelDef, One2manyDef } from '../../src/models/language/definitions.ts'
import { fieldOf, modelFieldOf } from '../../src/models/language/field-options.ts'
import { scopeOver } from '../../src/models/row/scope.ts'
import { id, join, raw, sql } from '../../src/sql/index.ts'
import { judgeOf, type Knowledge } from './related.ts'

export class World implements Knowledge {
  readonly #env: Environment
  readonly #rows = new Map<ModelDef, Map<number, Map<FieldDef, unknown>>>()
  readonly #links = new Map<FieldDef, Map<number, number[]>>()
  readonly #lines = new Map<FieldDef, Map<number, number[]>>()

  private constructor(env: Environment) {
    this.#env = env
  }

  /** Reads the models' tables: one statement a table. */
  static async read(env: Environment, models: readonly ModelDef[]): Promise<World> {
    const world = new World(env)
    for (const model of models) await world.#readModel(model)
    return world
  }

  async #readModel(model: ModelDef): Promise<void> {
    const scope = scopeOver(this.#env, model)
    const fields = [...model.fields.values()].filter((field) => field.column)
    const columns = fields.map((field) => scope.value(field) ?? raw('NULL'))
    const factRows = await this.#env.query(
      sql`SELECT ${join([scope.id, ...columns])} FROM ${scope.from()} ORDER BY 1`,
    )
    const rows = new Map<number, Map<FieldDef, unknown>>()
    for (const [record, ...values] of factRows)
      rows.set(record as number, new Map(fields.map((field, i) => [field, plain(field, values[i])])))
    this.#rows.set(model, rows)
    for (const field of model.fields.values()) {
      if (!field.link || !field.stored) continue
      const links = new Map<number, number[]>()
      for (const [owner, other] of await this.#env.query(
        sql`SELECT ${id(field.link.column)}, ${id(field.link.other)} FROM ${id(field.link.table)}`,
      )) {
        links.set(owner as number, [...(links.get(owner as number) ?? []), other as number])
      }
      this.#links.set(field, links)
    }
  }

  all(model: ModelDef): number[] {
    return [...(this.#rows.get(model)?.keys() ?? [])]
  }

  value(field: FieldDef, record: number): unknown {
    if (field.related && !field.stored) return this.#behind(field.related, field.model, record)
    if (field.kind === 'many2many') return this.#links.get(field)?.get(record) ?? []
    if (field.kind === 'one2many') return this.#linesOf(field).get(record) ?? []
    return this.#rows.get(field.model)?.get(record)?.get(field) ?? null
  }

  #behind(path: readonly string[], model: ModelDef, record: number): unknown {
    const [name, ...rest] = path
    const field = model.fields.get(name as string) as FieldDef
    const value = this.value(field, record)
    if (rest.length === 0) return value
    return value ? this.#behind(rest, field.comodel as ModelDef, value as number) : null
  }

  /** Lines by owner: those that point back and satisfy the field's own domain. */
  #linesOf(field: One2manyDef): Map<number, number[]> {
    const cached = this.#lines.get(field)
    if (cached) return cached
    const model = field.comodel
    const back = fieldOf(model, field.inverse)
    const of = model.fields.get(modelFieldOf(back) ?? '')
    const isLine = judgeOf(this.#env, model, fixedDomain(field), this)
    const lines = new Map<number, number[]>()
    for (const line of this.all(model)) {
      const owner = this.value(back, line) as number | null
      if (owner === null || (of && this.value(of, line) !== field.model.name) || !isLine(line)) continue
      lines.set(owner, [...(lines.get(owner) ?? []), line])
    }
    this.#lines.set(field, lines)
    return lines
  }
}

/** As code sees it, but numbers and booleans that were never set stay unset. */
function plain(field: FieldDef, value: unknown): unknown {
  return value === null || value === undefined
    ? null
    : field.comodel
      ? value
      : field.kind === 'datetime'
        ? String(value).slice(0, 19)
        : value
}
