// The plain model's world: records one by one, and who may use which models, fields and records (spec/wire.md
// section 9).
import type { Condition, ModelKey, Operation, Plan, Step, Value } from './plan.ts'
import type { FieldShape, Shape } from './shape.ts'

/** A record; null when it was never there or is gone. */
export type Standing = { readonly model: ModelKey; readonly values: Record<string, unknown> } | null

export class Refused extends Error {
  readonly status: number
  constructor(status = 403) {
    super('refused')
    this.status = status
  }
}

/** The user of a call, and its companies. */
export interface Asker {
  readonly user: number
  readonly companies: readonly number[]
}

export class World {
  readonly plan: Plan
  readonly shape: Shape
  readonly rows: Standing[]

  constructor(plan: Plan, shape: Shape) {
    this.plan = plan
    this.shape = shape
    this.rows = plan.rows.map((row) => row && { model: row.model, values: { ...row.values } })
  }

  /** Those of the places whose records are still there. */
  there(places: readonly number[]): number[] {
    return places.filter((place) => this.rows[place])
  }

  companies({ user, companies }: Step): readonly number[] {
    return companies ?? this.plan.users[user]?.companies ?? []
  }

  groups(user: number): Set<number> {
    const all = new Set(this.plan.users[user]?.groups)
    for (let before = -1; before !== all.size; ) {
      before = all.size
      for (const [group, implied] of this.plan.implied) if (all.has(group)) all.add(implied)
    }
    return all
  }

  mayModel(user: number, model: ModelKey, operation: Operation): boolean {
    const groups = this.groups(user)
    return this.plan.access.some(
      (line) =>
        line.model === model &&
        line.operations.includes(operation) &&
        (line.group === null || groups.has(line.group)),
    )
  }

  mayField(user: number, field: FieldShape): boolean {
    const groups = this.groups(user)
    return field.groups.length === 0 || field.groups.some((group) => groups.has(group))
  }

  field(user: number, model: ModelKey, name: string): FieldShape {
    const field = this.shape[model][name] as FieldShape
    if (!this.mayField(user, field)) throw new Refused()
    return field
  }

  /** Every global rule, and of those of the user's groups at least one. */
  passes(asker: Asker, operation: Operation, place: number): boolean {
    const row = this.rows[place]
    if (!row) return false
    const groups = this.groups(asker.user)
    const rules = this.plan.rules.filter(
      (rule) => rule.model === row.model && rule.operations.includes(operation),
    )
    const holds = (domain: Condition | null) => domain === null || this.holds(domain, place, asker, true)
    const rulesOfGroups = rules.filter((rule) => rule.groups.some((group) => groups.has(group)))
    return (
      rules.filter((rule) => rule.groups.length === 0).every((rule) => holds(rule.domain)) &&
      (rulesOfGroups.length === 0 || rulesOfGroups.some((rule) => holds(rule.domain)))
    )
  }

  assertModel(asker: Asker, model: ModelKey, operation: Operation): void {
    if (!this.mayModel(asker.user, model, operation)) throw new Refused()
  }

  assertRows(asker: Asker, model: ModelKey, places: readonly number[], operation: Operation): void {
    if (places.length === 0) return
    this.assertModel(asker, model, operation)
    if (!places.every((place) => this.passes(asker, operation, place))) throw new Refused()
  }

  /** Records of a relation, hidden ones included. */
  related(place: number, name: string): number[] {
    const row = this.rows[place]
    if (!row) return []
    const field = this.shape[row.model][name] as FieldShape
    if (field.kind === 'one2many') {
      return [...this.rows.keys()].filter(
        (other) =>
          this.rows[other]?.model === field.target &&
          this.rows[other]?.values[field.inverse as string] === place,
      )
    }
    const value = row.values[name] ?? null
    return value === null ? [] : ([value].flat() as number[])
  }

  value(value: Value, asker: Asker): unknown {
    if (Array.isArray(value)) return value.flatMap((element) => this.value(element, asker))
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

  /** Rules see all records; conditions of users follow relations to visible records only. */
  holds(condition: Condition, place: number, asker: Asker, asRule: boolean): boolean {
    if (condition.kind === 'and') return condition.of.every((part) => this.holds(part, place, asker, asRule))
    if (condition.kind === 'or') return condition.of.some((part) => this.holds(part, place, asker, asRule))
    if (condition.kind === 'not') return !this.holds(condition.of, place, asker, asRule)
    const row = this.rows[place] as NonNullable<Standing>
    if (condition.kind === 'any') {
      const related = this.related(place, condition.field).filter(
        (other) => asRule || this.passes(asker, 'read', other),
      )
      return related.some((other) => this.holds(condition.of, other, asker, asRule))
    }
    const wanted = this.value(condition.value, asker)
    const { kind } = this.shape[row.model][condition.field] as FieldShape
    // Lines that are hidden are none; the id of a many2one is the record's own.
    const linked = () =>
      this.related(place, condition.field).filter(
        (o) => kind === 'many2one' || asRule || this.passes(asker, 'read', o),
      )
    const actual = kind === 'char' || kind === 'integer' ? (row.values[condition.field] ?? null) : linked()
    const among = [wanted].flat()
    const equal = Array.isArray(actual)
      ? actual.some((element) => among.includes(element)) || (actual.length === 0 && among.includes(null))
      : among.includes(actual)
    switch (condition.by) {
      case '=':
      case 'in':
        return equal
      case '!=':
      case 'not in':
        return !equal
      case '>':
        return actual !== null && (actual as number) > (wanted as number)
      case 'ilike':
        return String(actual ?? '').includes(wanted as string)
    }
  }

  /** Conditions on fields and models that are not the user's are refused, whatever they would find. */
  assertDomain(condition: Condition, model: ModelKey, asker: Asker): void {
    if (condition.kind === 'and' || condition.kind === 'or')
      for (const part of condition.of) this.assertDomain(part, model, asker)
    else if (condition.kind === 'not') this.assertDomain(condition.of, model, asker)
    else {
      const field = this.field(asker.user, model, condition.field)
      if (condition.kind !== 'any') return
      this.assertModel(asker, field.target as ModelKey, 'read')
      this.assertDomain(condition.of, field.target as ModelKey, asker)
    }
  }

  find(asker: Asker, model: ModelKey, domain: Condition | null): number[] {
    this.assertModel(asker, model, 'read')
    if (domain) this.assertDomain(domain, model, asker)
    return [...this.rows.keys()].filter(
      (place) =>
        this.rows[place]?.model === model &&
        this.passes(asker, 'read', place) &&
        (domain === null || this.holds(domain, place, asker, false)),
    )
  }

  /** Names of what a record refers to are part of it; lines are given as far as they are seen. */
  wire(asker: Asker, place: number, name: string): unknown {
    const row = this.rows[place] as NonNullable<Standing>
    const { kind, target } = this.shape[row.model][name] as FieldShape
    if (kind === 'char') return row.values[name] ?? false
    if (kind === 'integer') return row.values[name] ?? 0
    const related = this.related(place, name)
    if (kind !== 'many2one') return related.filter((other) => this.passes(asker, 'read', other))
    if (related.length === 0) return false
    return target === 'company' || target === 'user' ? related : [related[0], this.name(related[0] as number)]
  }

  name(place: number): unknown {
    return this.rows[place]?.values.name
  }

  fields(asker: Asker, model: ModelKey, names: readonly string[] | null): readonly string[] {
    if (!names)
      return Object.keys(this.shape[model]).filter((name) =>
        this.mayField(asker.user, this.shape[model][name] as FieldShape),
      )
    for (const name of names) this.field(asker.user, model, name)
    return names
  }
}
