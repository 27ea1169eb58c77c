// Expected results of reads, groups and exports in the plain model.
import type { ModelKey } from './plan.ts'
import type { FieldShape } from './shape.ts'
import { type Asker, type Standing, World } from './world.ts'

export class Reader extends World {
  read(asker: Asker, places: readonly number[], names: readonly string[]): unknown {
    return places.map((place) => [
      place,
      Object.fromEntries(names.map((name) => [name, this.wire(asker, place, name)])),
    ])
  }

  /**
   * Pairs of key and [count, sum]. A key that is a hidden record counts as unset; only visible lines
   * count.
   */
  groupsOf(asker: Asker, model: ModelKey, places: readonly number[], by: string, sum: string): unknown {
    const [first = '', second] = by.split('.')
    const field = this.field(asker.user, model, first)
    this.field(asker.user, model, sum)
    if (second) {
      this.assertModel(asker, field.target as ModelKey, 'read')
      this.field(asker.user, field.target as ModelKey, second)
    } else if (field.kind === 'many2many') this.assertModel(asker, field.target as ModelKey, 'read')
    const groups = new Map<string, [unknown, number, number]>()
    for (const place of places) {
      let keys: unknown[]
      if (second)
        keys = this.related(place, first).map(
          (other) => this.passes(asker, 'read', other) && this.key(other, second),
        )
      else if (field.kind === 'many2many')
        keys = (this.wire(asker, place, first) as number[]).map((other) => [other, this.name(other)])
      else keys = [this.key(place, first)]
      for (const key of keys.length ? keys : [false]) {
        const group = groups.get(JSON.stringify(key)) ?? [key, 0, 0]
        group[1] += 1
        group[2] += (this.rows[place]?.values[sum] as number | null) ?? 0
        groups.set(JSON.stringify(key), group)
      }
    }
    return [...groups.values()]
  }

  key(place: number, name: string): unknown {
    const row = this.rows[place] as NonNullable<Standing>
    const { kind, target } = this.shape[row.model][name] as FieldShape
    const value = row.values[name] ?? null
    if (value === null) return false
    if (kind !== 'many2one') return value
    return target === 'company' || target === 'user' ? [value] : [value, this.name(value as number)]
  }

  webRead(
    asker: Asker,
    model: ModelKey,
    places: readonly number[],
    name: string,
    below: readonly string[],
  ): unknown {
    const field = this.field(asker.user, model, name)
    const target = field.target as ModelKey
    for (const inner of below) if (inner !== 'display_name') this.field(asker.user, target, inner)
    this.assertRows(asker, model, places, 'read')
    const seen = (place: number) =>
      this.related(place, name).filter(
        (other) => field.kind === 'many2one' || this.passes(asker, 'read', other),
      )
    const named = field.kind === 'many2one' && below.every((inner) => inner === 'display_name')
    if (!named) this.assertRows(asker, target, places.flatMap(seen), 'read')
    const object = (other: number) => [
      other,
      Object.fromEntries(
        below.map((inner) => [
          inner,
          inner === 'display_name' ? this.name(other) : this.wire(asker, other, inner),
        ]),
      ),
    ]
    return places.map((place) => [place, seen(place).map(object)])
  }

  export(asker: Asker, model: ModelKey, places: readonly number[], paths: readonly string[]): unknown {
    const steps = paths.map((path) => path.split('/') as [string, string?])
    for (const [name, inner] of steps) {
      const field = this.field(asker.user, model, name)
      if (inner) this.field(asker.user, field.target as ModelKey, inner)
    }
    this.assertRows(asker, model, places, 'read')
    const cells = steps.map(([name, inner]) => {
      const field = this.shape[model][name] as FieldShape
      if (!field.target)
        return places.map((place) => this.wire(asker, place, name) || (field.kind === 'integer' ? 0 : ''))
      const seen = (place: number) =>
        this.related(place, name).filter(
          (other) => field.kind === 'many2one' || this.passes(asker, 'read', other),
        )
      const others = [...new Set(places.flatMap(seen))]
      const named = steps.every(([n, i]) => n !== name || !i) && field.kind === 'many2one'
      if (!named) this.assertRows(asker, field.target as ModelKey, others, 'read')
      return places.map((place) => {
        const keys = seen(place).map((other) => (inner ? this.wire(asker, other, inner) : this.name(other)))
        return field.kind === 'many2many' ? keys.join(',') : (keys[0] ?? '')
      })
    })
    return places.map((_, at) => cells.map((column) => column[at]))
  }
}
