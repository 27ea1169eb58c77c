// Compares what units of work know of records with what a read gives: at each COMMIT, of all that was read or
// kept since the unit began.
import { isDeepStrictEqual } from 'node:util'
import type { FieldDef } from '../../src/models/language/definitions.ts'
import { loadFields } from '../../src/models/load/load.ts'
import { ValueCache } from '../../src/models/unit/cache.ts'
import { environmentOf } from '../../src/models/unit/environment.ts'
import { SYSTEM } from '../../src/models/unit/options.ts'
import { UnitOfWork } from '../../src/models/unit/unit.ts'

export interface Known {
  /** Values that were compared. */
  readonly compared: number
  /** Those that were not what a read gives. */
  readonly wrong: readonly string[]
  stop(): void
}

interface Place {
  readonly field: FieldDef
  readonly context: Readonly<Record<string, unknown>>
  readonly values: ReadonlyMap<number, unknown>
}

/** Looks at every unit of this process when it commits what it wrote, until it is stopped. */
export function watchKnown(): Known {
  const places = new WeakMap<object, Map<string, { readonly field: FieldDef; readonly variant: string }>>()
  const wrong: string[] = []
  let compared = 0
  const { of } = ValueCache.prototype
  const { commit } = UnitOfWork.prototype
  ValueCache.prototype.of = function (field, variant) {
    const mine = places.get(this) ?? new Map()
    places.set(this, mine.set(`${field.model.name}.${field.name} ${variant}`, { field, variant }))
    return of.call(this, field, variant)
  }
  const placesOf = (unit: UnitOfWork): Place[] =>
    [...(places.get(unit.cache)?.values() ?? [])].flatMap(({ field, variant }) => {
      const context = isComparable(unit, field) ? contextOf(variant) : null
      return context ? [{ field, context, values: new Map(of.call(unit.cache, field, variant)) }] : []
    })
  const compare = async (unit: UnitOfWork): Promise<void> => {
    const places = placesOf(unit)
    unit.cache.clear()
    const key = ({ field, context }: Place) => `${field.model.name} ${JSON.stringify(context)}`
    for (const group of Map.groupBy(places, key).values()) {
      const [{ field, context }] = group as [Place, ...Place[]]
      const env = environmentOf(unit, SYSTEM, context, true)
      const ids = [...new Set(group.flatMap(({ values }) => [...values.keys()]))]
      const fields = group.map((place) => place.field)
      const { of: read, existing } = await loadFields(env, field.model, ids, fields)
      for (const place of group)
        for (const id of existing) if (place.values.has(id)) judge(place, id, read.get(place.field)?.get(id))
    }
    unit.cache.clear()
  }
  const judge = ({ field, values }: Place, id: number, now: unknown) => {
    compared++
    const before = values.get(id)
    if (!isDeepStrictEqual(before, now))
      wrong.push(`${field.model.name}.${field.name} of ${id}: ${textOf(before)} is ${textOf(now)}`)
  }
  UnitOfWork.prototype.commit = async function () {
    if (!this.isIdle && this.recomputation.pending.size === 0) await compare(this)
    return commit.call(this)
  }
  return {
    get compared() {
      return compared
    },
    wrong,
    stop() {
      ValueCache.prototype.of = of
      UnitOfWork.prototype.commit = commit
    },
  }
}

const textOf = (value: unknown): string => JSON.stringify(value) ?? 'unknown'

/** Columns, lists, and what follows from declared paths alone. */
const isComparable = ({ registry }: UnitOfWork, field: FieldDef): boolean =>
  registry.get(field.model.name) === field.model &&
  field.model.hasTable &&
  field.name !== 'id' &&
  !['binary', 'properties'].includes(field.kind) &&
  (field.column || field.stored || field.related !== null || field.compute?.pure === true)

/** Values that a superuser sees with nothing but a language and companies in the context; null for others. */
function contextOf(variant: string): Record<string, unknown> | null {
  if (!variant) return {}
  const [lang, companies, seen = '', keys] = variant.split('|')
  if (keys || (seen && !seen.startsWith('0/'))) return null
  return {
    ...(lang ? { lang } : {}),
    ...(companies ? { allowed_company_ids: companies.split(',').map(Number) } : {}),
    ...(seen === '0/false' ? { active_test: false } : {}),
  }
}
