// The expected visibility and rights of every user, in the simplest possible code: no SQL, no caches,
// one record at a time (spec/wire.md section 9).
import type { Answer, ModelKey, Step } from './plan.ts'
import { Reader } from './reader.ts'
import { type Asker, Refused, type Standing } from './world.ts'

export class Right extends Reader {
  /** The expected answer of the step, with its changes applied. A refused step changes nothing. */
  answer(step: Step): Answer {
    try {
      return { value: this.answerTo(step, { user: step.user, companies: this.companies(step) }) }
    } catch (error) {
      if (error instanceof Refused) return { refused: error.status }
      throw error
    }
  }

  answerTo(step: Step, asker: Asker): unknown {
    const { model } = step
    switch (step.do) {
      case 'search': {
        const places = this.find(asker, model, step.domain)
        const by = step.order
        if (!by) return places
        this.field(asker.user, model, by)
        // Unset values come last.
        const rank = (place: number) => (this.rows[place]?.values[by] as number | null) ?? Infinity
        return places.sort((place, other) =>
          rank(place) === rank(other) ? place - other : rank(place) - rank(other),
        )
      }
      case 'search_count':
        return this.find(asker, model, step.domain).length
      case 'search_read': {
        const places = this.find(asker, model, step.domain)
        return this.read(asker, places, this.fields(asker, model, step.fields))
      }
      case 'name_search':
        return this.find(asker, model, step.domain)
          .filter((place) => String(this.name(place)).includes(step.name))
          .map((place) => [place, this.name(place)])
      case 'formatted_read_group':
      case 'read_group':
        return this.groupsOf(asker, model, this.find(asker, model, step.domain), step.by, step.sum)
      case 'read': {
        const names = this.fields(asker, model, step.fields)
        this.assertRows(asker, model, step.rows, 'read')
        return this.read(asker, step.rows, names)
      }
      case 'web_read':
        return this.webRead(asker, model, step.rows, step.field, step.below)
      case 'export_data':
        if (!this.plan.users[asker.user]?.exports) throw new Refused(422)
        return this.export(asker, model, step.rows, step.paths)
      case 'has_access':
        return (
          this.mayModel(asker.user, model, step.operation) &&
          step.rows.every((place) => this.passes(asker, step.operation, place))
        )
      case 'write':
        for (const name of Object.keys(step.values)) this.field(asker.user, model, name)
        this.assertRows(asker, model, step.rows, 'write')
        this.write(asker, model, step.rows, step.values)
        return true
      case 'create':
        for (const name of Object.keys(step.values)) this.field(asker.user, model, name)
        return [this.make(asker, model, step.values)]
      case 'copy':
        return step.rows.map((place) => this.copy(asker, model, place))
      case 'unlink':
        this.assertRows(asker, model, step.rows, 'unlink')
        for (const place of step.rows) this.remove(place)
        return true
    }
  }

  /** New links lead to what one sees only; links to what one does not see stay. */
  write(
    asker: Asker,
    model: ModelKey,
    places: readonly number[],
    values: Readonly<Record<string, unknown>>,
  ): void {
    const written = places.map((): Record<string, unknown> => ({ ...values }))
    for (const [name, field] of Object.entries(this.shape[model])) {
      if (field.kind !== 'many2many' || !(name in values)) continue
      const wanted = values[name] as number[]
      const held = places.map((place) => this.related(place, name))
      if (held.some((links) => links.some((link) => !wanted.includes(link))))
        this.assertModel(asker, field.target as ModelKey, 'read')
      for (const [i, links] of held.entries()) {
        const added = wanted.filter((link) => !links.includes(link))
        this.assertRows(asker, field.target as ModelKey, added, 'read')
        const kept = links.filter((link) => wanted.includes(link) || !this.passes(asker, 'read', link))
        ;(written[i] as Record<string, unknown>)[name] = [...kept, ...added].sort(
          (place, other) => place - other,
        )
      }
    }
    for (const [i, place] of places.entries())
      Object.assign((this.rows[place] as NonNullable<Standing>).values, written[i])
  }

  /** Links are only made to what one sees; then the rules judge what was made. */
  make(asker: Asker, model: ModelKey, values: Readonly<Record<string, unknown>>): number {
    this.assertModel(asker, model, 'create')
    for (const [name, field] of Object.entries(this.shape[model])) {
      if (field.kind === 'many2many')
        this.assertRows(asker, field.target as ModelKey, (values[name] ?? []) as number[], 'read')
    }
    const place = this.rows.length
    this.rows.push({ model, values: { ...values } })
    if (this.passes(asker, 'create', place)) return place
    this.rows.pop()
    throw new Refused()
  }

  copy(asker: Asker, model: ModelKey, place: number): number {
    this.assertRows(asker, model, [place], 'read')
    const values: Record<string, unknown> = {}
    for (const [name, field] of Object.entries(this.shape[model])) {
      if (field.kind === 'one2many') continue
      const raw = (this.rows[place] as NonNullable<Standing>).values[name] ?? null
      const held =
        field.kind === 'many2many' ? (this.wire(asker, place, name) as unknown[]).length > 0 : raw !== null
      if (!this.mayField(asker.user, field)) {
        if (held) throw new Refused()
      } else if (field.kind === 'many2many') values[name] = this.wire(asker, place, name)
      else values[name] = field.kind === 'integer' ? (raw ?? 0) : raw
    }
    return this.make(asker, model, values)
  }

  /** References to the record become empty. */
  remove(place: number): void {
    const model = this.rows[place]?.model
    this.rows[place] = null
    for (const row of this.rows) {
      for (const [name, field] of Object.entries(row ? this.shape[row.model] : {})) {
        if (!row || field.target !== model) continue
        if (field.kind === 'many2one' && row.values[name] === place) row.values[name] = null
        if (field.kind === 'many2many')
          row.values[name] = ((row.values[name] ?? []) as number[]).filter((other) => other !== place)
      }
    }
  }
}
