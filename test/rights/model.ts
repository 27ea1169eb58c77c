// What every user must see and may do, written as plainly as can be: no SQL, no caches, one record at a time (spec/wire.md section 9).
import type { Answer, Condition, ModelKey, Operation, Plan, Step, Value } from './plan.ts'
import type { FieldShape, Shape } from './shape.ts'

/** A record; null when it was never there or is gone. */
type Record_ = { readonly model: ModelKey; readonly values: Record<string, unknown> } | null

class Refused extends Error {
  readonly status: number
  constructor(status = 403) {
    super('refused')
    this.status = status
  }
}

/** Who asks, and for which companies. */
interface Asker {
  readonly user: number
  readonly companies: readonly number[]
}

export class Right {
  readonly plan: Plan
  readonly shape: Shape
  readonly rows: Record_[]

  constructor(plan: Plan, shape: Shape) {
    this.plan = plan
    this.shape = shape
    this.rows = plan.rows.map((row) => row && { model: row.model, values: { ...row.values } })
  }

  /** Those of the places whose records are still there. */
  there(places: readonly number[]): number[] {
    return places.filter((place) => this.rows[place])
  }

  /** What the step must answer; changes are carried out. Nothing changes when it is refused. */
  answer(step: Step): Answer {
    try {
      return { value: this.#answer(step, { user: step.user, companies: this.#companies(step) }) }
    } catch (error) {
      if (error instanceof Refused) return { refused: error.status }
      throw error
    }
  }

  #companies({ user, companies }: Step): readonly number[] {
    return companies ?? this.plan.users[user]?.companies ?? []
  }

  #groups(user: number): Set<number> {
    const all = new Set(this.plan.users[user]?.groups)
    for (let before = -1; before !== all.size; ) {
      before = all.size
      for (const [one, implied] of this.plan.implied) if (all.has(one)) all.add(implied)
    }
    return all
  }

  #mayModel(user: number, model: ModelKey, operation: Operation): boolean {
    const groups = this.#groups(user)
    return this.plan.access.some(
      (line) => line.model === model && line.operations.includes(operation) && (line.group === null || groups.has(line.group)),
    )
  }

  #mayField(user: number, field: FieldShape): boolean {
    const groups = this.#groups(user)
    return field.groups.length === 0 || field.groups.some((group) => groups.has(group))
  }

  #field(user: number, model: ModelKey, name: string): FieldShape {
    const field = this.shape[model][name] as FieldShape
    if (!this.#mayField(user, field)) throw new Refused()
    return field
  }

  /** Every global rule, and of those of the user's groups at least one. */
  #passes(asker: Asker, operation: Operation, place: number): boolean {
    const row = this.rows[place]
    if (!row) return false
    const groups = this.#groups(asker.user)
    const rules = this.plan.rules.filter((rule) => rule.model === row.model && rule.operations.includes(operation))
    const holds = (domain: Condition | null) => domain === null || this.#holds(domain, place, asker, true)
    const own = rules.filter((rule) => rule.groups.some((group) => groups.has(group)))
    return (
      rules.filter((rule) => rule.groups.length === 0).every((rule) => holds(rule.domain)) &&
      (own.length === 0 || own.some((rule) => holds(rule.domain)))
    )
  }

  #assertModel(asker: Asker, model: ModelKey, operation: Operation): void {
    if (!this.#mayModel(asker.user, model, operation)) throw new Refused()
  }

  #assertRows(asker: Asker, model: ModelKey, places: readonly number[], operation: Operation): void {
    if (places.length === 0) return
    this.#assertModel(asker, model, operation)
    if (!places.every((place) => this.#passes(asker, operation, place))) throw new Refused()
  }

  /** Records behind a relation, hidden ones too. */
  #related(place: number, name: string): number[] {
    const row = this.rows[place]
    if (!row) return []
    const field = this.shape[row.model][name] as FieldShape
    if (field.kind === 'one2many') {
      return [...this.rows.keys()].filter(
        (other) => this.rows[other]?.model === field.target && this.rows[other]?.values[field.inverse as string] === place,
      )
    }
    const value = row.values[name] ?? null
    return value === null ? [] : ([value].flat() as number[])
  }

  #value(value: Value, asker: Asker): unknown {
    if (Array.isArray(value)) return value.flatMap((one) => this.#value(one, asker))
    if (typeof value !== 'object' || value === null) return value
    if ('row' in value) return value.row
    if ('company' in value) return value.company
    if ('user' in value) return value.user
    if ('var' in value) {
      if (value.var === 'user.id') return asker.user
      if (value.var === 'company_ids') return asker.companies
      return value.var === 'company_id' ? asker.companies[0] : this.plan.users[asker.user]?.companies[0]
    }
    return value
  }

  /** Rules see everything; what users ask sees behind relations only what they may. */
  #holds(condition: Condition, place: number, asker: Asker, asRule: boolean): boolean {
    if (condition.kind === 'and') return condition.of.every((one) => this.#holds(one, place, asker, asRule))
    if (condition.kind === 'or') return condition.of.some((one) => this.#holds(one, place, asker, asRule))
    if (condition.kind === 'not') return !this.#holds(condition.of, place, asker, asRule)
    const row = this.rows[place] as NonNullable<Record_>
    if (condition.kind === 'any') {
      const found = this.#related(place, condition.field).filter((other) => asRule || this.#passes(asker, 'read', other))
      return found.some((other) => this.#holds(condition.of, other, asker, asRule))
    }
    const wanted = this.#value(condition.value, asker)
    const { kind } = this.shape[row.model][condition.field] as FieldShape
    const here = kind === 'char' || kind === 'integer' ? (row.values[condition.field] ?? null) : this.#related(place, condition.field)
    const among = [wanted].flat()
    const equal = Array.isArray(here)
      ? here.some((one) => among.includes(one)) || (here.length === 0 && among.includes(null))
      : among.includes(here)
    switch (condition.by) {
      case '=':
      case 'in':
        return equal
      case '!=':
      case 'not in':
        return !equal
      case '>':
        return here !== null && (here as number) > (wanted as number)
      case 'ilike':
        return String(here ?? '').includes(wanted as string)
    }
  }

  /** Conditions on fields and models that are not the user's are refused, whatever they would find. */
  #assertDomain(condition: Condition, model: ModelKey, asker: Asker): void {
    if (condition.kind === 'and' || condition.kind === 'or') for (const one of condition.of) this.#assertDomain(one, model, asker)
    else if (condition.kind === 'not') this.#assertDomain(condition.of, model, asker)
    else {
      const field = this.#field(asker.user, model, condition.field)
      if (condition.kind !== 'any') return
      this.#assertModel(asker, field.target as ModelKey, 'read')
      this.#assertDomain(condition.of, field.target as ModelKey, asker)
    }
  }

  #find(asker: Asker, model: ModelKey, domain: Condition | null): number[] {
    this.#assertModel(asker, model, 'read')
    if (domain) this.#assertDomain(domain, model, asker)
    return [...this.rows.keys()].filter(
      (place) =>
        this.rows[place]?.model === model &&
        this.#passes(asker, 'read', place) &&
        (domain === null || this.#holds(domain, place, asker, false)),
    )
  }

  /** Names of what a record refers to are part of it; lines are given as far as they are seen. */
  #wire(asker: Asker, place: number, name: string): unknown {
    const row = this.rows[place] as NonNullable<Record_>
    const { kind, target } = this.shape[row.model][name] as FieldShape
    if (kind === 'char') return row.values[name] ?? false
    if (kind === 'integer') return row.values[name] ?? 0
    const related = this.#related(place, name)
    if (kind !== 'many2one') return related.filter((other) => this.#passes(asker, 'read', other))
    if (related.length === 0) return false
    return target === 'company' || target === 'user' ? related : [related[0], this.#name(related[0] as number)]
  }

  #name(place: number): unknown {
    return this.rows[place]?.values.name
  }

  #fields(asker: Asker, model: ModelKey, names: readonly string[] | null): readonly string[] {
    if (!names) return Object.keys(this.shape[model]).filter((name) => this.#mayField(asker.user, this.shape[model][name] as FieldShape))
    for (const name of names) this.#field(asker.user, model, name)
    return names
  }

  #read(asker: Asker, places: readonly number[], names: readonly string[]): unknown {
    return places.map((place) => [place, Object.fromEntries(names.map((name) => [name, this.#wire(asker, place, name)]))])
  }

  #answer(step: Step, asker: Asker): unknown {
    const { model } = step
    switch (step.do) {
      case 'search': {
        const found = this.#find(asker, model, step.domain)
        const by = step.order
        if (!by) return found
        this.#field(asker.user, model, by)
        // Unset values come last.
        const rank = (place: number) => (this.rows[place]?.values[by] as number | null) ?? Infinity
        return found.sort((one, other) => (rank(one) === rank(other) ? one - other : rank(one) - rank(other)))
      }
      case 'search_count':
        return this.#find(asker, model, step.domain).length
      case 'search_read': {
        const found = this.#find(asker, model, step.domain)
        return this.#read(asker, found, this.#fields(asker, model, step.fields))
      }
      case 'name_search':
        return this.#find(asker, model, step.domain)
          .filter((place) => String(this.#name(place)).includes(step.name))
          .map((place) => [place, this.#name(place)])
      case 'formatted_read_group':
      case 'read_group':
        return this.#groupsOf(asker, model, this.#find(asker, model, step.domain), step.by, step.sum)
      case 'read': {
        const names = this.#fields(asker, model, step.fields)
        this.#assertRows(asker, model, step.rows, 'read')
        return this.#read(asker, step.rows, names)
      }
      case 'web_read':
        return this.#webRead(asker, model, step.rows, step.field, step.below)
      case 'export_data':
        if (!this.plan.users[asker.user]?.exports) throw new Refused(422)
        return this.#export(asker, model, step.rows, step.paths)
      case 'has_access':
        return this.#mayModel(asker.user, model, step.operation) && step.rows.every((place) => this.#passes(asker, step.operation, place))
      case 'write':
        for (const name of Object.keys(step.values)) this.#field(asker.user, model, name)
        this.#assertRows(asker, model, step.rows, 'write')
        this.#write(asker, model, step.rows, step.values)
        return true
      case 'create':
        for (const name of Object.keys(step.values)) this.#field(asker.user, model, name)
        return [this.#make(asker, model, step.values)]
      case 'copy':
        // Even of no record it is a creation.
        this.#assertModel(asker, model, 'create')
        return step.rows.map((place) => this.#copy(asker, model, place))
      case 'unlink':
        this.#assertRows(asker, model, step.rows, 'unlink')
        for (const place of step.rows) this.#remove(place)
        return true
    }
  }

  /** Pairs of key and [count, sum]. Keys behind hidden records are as good as unset; lines count as far as they are seen. */
  #groupsOf(asker: Asker, model: ModelKey, found: readonly number[], by: string, sum: string): unknown {
    const [first = '', second] = by.split('.')
    const field = this.#field(asker.user, model, first)
    this.#field(asker.user, model, sum)
    if (second) {
      this.#assertModel(asker, field.target as ModelKey, 'read')
      this.#field(asker.user, field.target as ModelKey, second)
    } else if (field.kind === 'many2many') this.#assertModel(asker, field.target as ModelKey, 'read')
    const groups = new Map<string, [unknown, number, number]>()
    for (const place of found) {
      let keys: unknown[]
      if (second) keys = this.#related(place, first).map((other) => this.#passes(asker, 'read', other) && this.#key(other, second))
      else if (field.kind === 'many2many') keys = (this.#wire(asker, place, first) as number[]).map((other) => [other, this.#name(other)])
      else keys = [this.#key(place, first)]
      for (const key of keys.length ? keys : [false]) {
        const group = groups.get(JSON.stringify(key)) ?? [key, 0, 0]
        group[1] += 1
        group[2] += (this.rows[place]?.values[sum] as number | null) ?? 0
        groups.set(JSON.stringify(key), group)
      }
    }
    return [...groups.values()]
  }

  #key(place: number, name: string): unknown {
    const row = this.rows[place] as NonNullable<Record_>
    const { kind, target } = this.shape[row.model][name] as FieldShape
    const value = row.values[name] ?? null
    if (value === null) return false
    if (kind !== 'many2one') return value
    return target === 'company' || target === 'user' ? [value] : [value, this.#name(value as number)]
  }

  #webRead(asker: Asker, model: ModelKey, places: readonly number[], name: string, below: readonly string[]): unknown {
    const field = this.#field(asker.user, model, name)
    const target = field.target as ModelKey
    for (const inner of below) if (inner !== 'display_name') this.#field(asker.user, target, inner)
    this.#assertRows(asker, model, places, 'read')
    const seen = (place: number) =>
      this.#related(place, name).filter((other) => field.kind === 'many2one' || this.#passes(asker, 'read', other))
    const named = field.kind === 'many2one' && below.every((inner) => inner === 'display_name')
    if (!named) this.#assertRows(asker, target, places.flatMap(seen), 'read')
    const object = (other: number) => [
      other,
      Object.fromEntries(below.map((inner) => [inner, inner === 'display_name' ? this.#name(other) : this.#wire(asker, other, inner)])),
    ]
    return places.map((place) => [place, seen(place).map(object)])
  }

  #export(asker: Asker, model: ModelKey, places: readonly number[], paths: readonly string[]): unknown {
    const steps = paths.map((path) => path.split('/') as [string, string?])
    for (const [name, inner] of steps) {
      const field = this.#field(asker.user, model, name)
      if (inner) this.#field(asker.user, field.target as ModelKey, inner)
    }
    this.#assertRows(asker, model, places, 'read')
    const cells = steps.map(([name, inner]) => {
      const field = this.shape[model][name] as FieldShape
      if (!field.target) return places.map((place) => this.#wire(asker, place, name) || (field.kind === 'integer' ? 0 : ''))
      const seen = (place: number) =>
        this.#related(place, name).filter((other) => field.kind === 'many2one' || this.#passes(asker, 'read', other))
      const others = [...new Set(places.flatMap(seen))]
      const named = steps.every(([n, i]) => n !== name || !i) && field.kind === 'many2one'
      if (!named) this.#assertRows(asker, field.target as ModelKey, others, 'read')
      return places.map((place) => {
        const found = seen(place).map((other) => (inner ? this.#wire(asker, other, inner) : this.#name(other)))
        return field.kind === 'many2many' ? found.join(',') : (found[0] ?? '')
      })
    })
    return places.map((_, at) => cells.map((column) => column[at]))
  }

  /** New links lead to what one sees only; links to what one does not see stay. */
  #write(asker: Asker, model: ModelKey, places: readonly number[], values: Readonly<Record<string, unknown>>): void {
    const written = places.map((): Record<string, unknown> => ({ ...values }))
    for (const [name, field] of Object.entries(this.shape[model])) {
      if (field.kind !== 'many2many' || !(name in values)) continue
      const wanted = values[name] as number[]
      const held = places.map((place) => this.#related(place, name))
      if (held.some((links) => links.some((link) => !wanted.includes(link)))) this.#assertModel(asker, field.target as ModelKey, 'read')
      for (const [i, links] of held.entries()) {
        const added = wanted.filter((link) => !links.includes(link))
        this.#assertRows(asker, field.target as ModelKey, added, 'read')
        const kept = links.filter((link) => wanted.includes(link) || !this.#passes(asker, 'read', link))
        ;(written[i] as Record<string, unknown>)[name] = [...kept, ...added].sort((one, other) => one - other)
      }
    }
    for (const [i, place] of places.entries()) Object.assign((this.rows[place] as NonNullable<Record_>).values, written[i])
  }

  /** Links are only made to what one sees; then the rules judge what was made. */
  #make(asker: Asker, model: ModelKey, values: Readonly<Record<string, unknown>>): number {
    this.#assertModel(asker, model, 'create')
    for (const [name, field] of Object.entries(this.shape[model])) {
      if (field.kind === 'many2many') this.#assertRows(asker, field.target as ModelKey, (values[name] ?? []) as number[], 'read')
    }
    const place = this.rows.length
    this.rows.push({ model, values: { ...values } })
    if (this.#passes(asker, 'create', place)) return place
    this.rows.pop()
    throw new Refused()
  }

  #copy(asker: Asker, model: ModelKey, place: number): number {
    this.#assertRows(asker, model, [place], 'read')
    const values: Record<string, unknown> = {}
    for (const [name, field] of Object.entries(this.shape[model])) {
      if (field.kind === 'one2many') continue
      const raw = (this.rows[place] as NonNullable<Record_>).values[name] ?? null
      const held = field.kind === 'many2many' ? (this.#wire(asker, place, name) as unknown[]).length > 0 : raw !== null
      if (!this.#mayField(asker.user, field)) {
        if (held) throw new Refused()
      } else if (field.kind === 'many2many') values[name] = this.#wire(asker, place, name)
      else values[name] = field.kind === 'integer' ? (raw ?? 0) : raw
    }
    return this.#make(asker, model, values)
  }

  /** What referred to the record refers to nothing. */
  #remove(place: number): void {
    const model = this.rows[place]?.model
    this.rows[place] = null
    for (const row of this.rows) {
      for (const [name, field] of Object.entries(row ? this.shape[row.model] : {})) {
        if (!row || field.target !== model) continue
        if (field.kind === 'many2one' && row.values[name] === place) row.values[name] = null
        if (field.kind === 'many2many') row.values[name] = ((row.values[name] ?? []) as number[]).filter((other) => other !== place)
      }
    }
  }
}
