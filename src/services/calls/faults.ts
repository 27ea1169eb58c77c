// Where in a body the faults are that an error speaks of, and what may have been meant: for problem details.
// Nothing is named here that the caller may not see.

import { type Fault, ServiceError } from '../../errors.ts'
import { alike } from '../../kit/alike.ts'
import { pointerOf } from '../../kit/pointer.ts'
import { present } from '../../kit/present.ts'
import { assertTaken } from '../../models/kinds/cleaning.ts'
import type { MethodDef, ModelDef } from '../../models/language/definitions.ts'
import type { Environment } from '../../models/language/environment.ts'
import { leadsToMany } from '../../models/language/field-options.ts'
import { mayField } from '../../models/rights/judge.ts'
import { EXTERNAL } from '../../models/transfer/upsert/key.ts'
import type { CallBody } from '../request.ts'

/** The call that failed. */
export interface Looked {
  readonly env: Environment
  readonly model: ModelDef
  readonly method: MethodDef
  readonly body: CallBody
}

type Way = readonly (string | number)[]

/** Most faults that are reported, and most values that are searched for them. */
const [MOST, LOOKED_AT] = [100, 20_000]

/** The error, with the places of its faults. */
export function withFaultPlaces<E>(error: E, looked: Looked | null): E {
  if (!looked || !(error instanceof ServiceError) || error.about.faults || !looked.body.named) return error
  const { field, rows, row } = error.about
  if (field === undefined && row === undefined) return error
  const search = new Search(looked, error)
  const faults =
    row !== undefined
      ? search.row(row)
      : rows?.length
        ? search.missing(rows)
        : search.faults(looked.body.named)
  if (faults.length) error.about = { ...error.about, faults }
  return error
}

class Search {
  readonly #env: Environment
  readonly #model: ModelDef
  readonly #error: ServiceError
  readonly #named: Readonly<Record<string, unknown>>
  readonly #found: Fault[] = []
  #left = LOOKED_AT

  constructor({ env, model, body }: Looked, error: ServiceError) {
    this.#env = env
    this.#model = model
    this.#error = error
    this.#named = body.named ?? {}
  }

  /** Required fields that rows do not have. */
  missing(rows: readonly (readonly [row: number, field: string])[]): Fault[] {
    const list = this.#named.vals_list
    return rows.map(([row, field]) => ({
      pointer: pointerOf([
        ...('vals' in this.#named ? ['vals'] : Array.isArray(list) ? ['vals_list', row] : ['vals_list']),
        field,
      ]),
      field,
    }))
  }

  /** Faults of one row, or the row itself; and of other rows as far as they are visible in the same way. */
  row(row: number): Fault[] {
    const list = this.#named.vals_list
    const way = pointerOf(Array.isArray(list) ? ['vals_list', row] : ['vals_list'])
    const { about } = this.#error
    if (about.rows) return this.missing(about.rows.map(([, name]) => [row, name]))
    if (about.field !== undefined)
      this.#values(this.#model, Array.isArray(list) ? list.map(unnamed) : unnamed(list), ['vals_list'])
    const isTold = this.#found.some(({ pointer }) => pointer.startsWith(`${way}/`))
    return isTold ? this.#found : [{ pointer: way }, ...this.#found]
  }

  faults(named: Readonly<Record<string, unknown>>): Fault[] {
    for (const [name, value] of Object.entries(named)) {
      if (name === 'vals' || name === 'vals_list') this.#values(this.#model, value, [name])
      else if (name === 'specification') this.#specification(this.#model, value, [name])
      else if (this.#isUnknown) this.#mentions(value, [name])
    }
    return this.#found
  }

  get #isUnknown(): boolean {
    return this.#error.code === 'unknown_field'
  }

  #add(way: Way, field: string, model: ModelDef): void {
    if (this.#found.length >= MOST) return
    const suggestions = this.#isUnknown ? alike(field, this.#visible(model)) : []
    this.#found.push({ pointer: pointerOf(way), field, ...(suggestions.length && { suggestions }) })
  }

  *#visible(model: ModelDef): Generator<string> {
    for (const field of model.fields.values())
      if (!field.options.hidden && mayField(this.#env, field)) yield field.name
  }

  /** Values of records: names that are none, or values that their field does not take. */
  #values(model: ModelDef, value: unknown, way: Way): void {
    if (this.#left-- <= 0) return
    if (Array.isArray(value)) for (const [n, item] of value.entries()) this.#values(model, item, [...way, n])
    else if (typeof value === 'object' && value !== null)
      for (const [name, member] of Object.entries(value)) this.#value(model, name, member, [...way, name])
  }

  #value(model: ModelDef, name: string, value: unknown, way: Way): void {
    const field = model.fields.get(name)
    const isKnown = field !== undefined && !field.options.hidden
    if (!isKnown && this.#isUnknown) this.#add(way, name, model)
    if (!isKnown) return
    const { comodel } = field
    if (comodel && leadsToMany(field) && Array.isArray(value)) {
      for (const [n, line] of value.entries())
        if (Array.isArray(line) && line.length > 2) this.#values(comodel, line[2], [...way, n, 2])
    } else if (
      !this.#isUnknown &&
      this.#error.about.model === model.name &&
      this.#refuses(model, name, value)
    )
      this.#add(way, name, model)
  }

  /** Whether the field is empty where it is the one that is required, or does not take the value. */
  #refuses(model: ModelDef, name: string, value: unknown): boolean {
    const field = model.fields.get(name)
    if (this.#error.code === 'required_field')
      return name === this.#error.about.field && (value === null || value === false || value === '')
    if (!field?.type.columnType(field)) return name === this.#error.about.field
    try {
      assertTaken(field, value)
      return false
    } catch {
      return true
    }
  }

  #specification(model: ModelDef, value: unknown, way: Way): void {
    if (typeof value !== 'object' || value === null || Array.isArray(value) || this.#left-- <= 0) return
    for (const [name, below] of Object.entries(value)) {
      const field = model.fields.get(name)
      if (!field || field.options.hidden) {
        if (this.#isUnknown) this.#add([...way, name], name, model)
      } else if (field.comodel && typeof below === 'object' && below !== null && 'fields' in below)
        this.#specification(field.comodel, below.fields, [...way, name, 'fields'])
    }
  }

  /** Texts that begin with the unknown name: in lists of fields, domains, orders, groups. */
  #mentions(value: unknown, way: Way): void {
    if (this.#left-- <= 0) return
    const name = present(this.#error.about.field)
    if (Array.isArray(value)) for (const [n, item] of value.entries()) this.#mentions(item, [...way, n])
    else if (typeof value === 'string' && namesIn(value).includes(name)) {
      const on = this.#env.unit.registry.get(this.#error.about.model ?? '') ?? this.#model
      this.#add(way, name, on)
    }
  }
}

/** The values of a row: the name of a record is no field of it. */
const unnamed = (row: unknown): unknown =>
  typeof row === 'object' && row !== null && !Array.isArray(row)
    ? Object.fromEntries(Object.entries(row).filter(([name]) => name !== EXTERNAL))
    : row

/** Names in a path, an order or a spec of a group. */
const namesIn = (text: string): string[] => (text.length > 1000 ? [] : (text.match(/\w+/g) ?? []))
