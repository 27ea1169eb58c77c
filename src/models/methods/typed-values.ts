// Values that came in the typed form, on their way into a method.
import { untyped } from '../kinds/typed.ts'
import type { ModelDef } from '../language/definitions.ts'
import { leadsToMany } from '../language/relations.ts'
import type { Bound } from './bind.ts'

/** Parameters that hold values of records. */
const HOLDING: ReadonlySet<string> = new Set(['vals', 'vals_list'])

/** Whether a method takes values of records. */
export const takesValues = (params: object): boolean => Object.keys(params).some((name) => HOLDING.has(name))

/** A call's parameters, with the values of records in the documented form. */
export function withUntyped(model: ModelDef, { ids, params }: Bound): Bound {
  const entries = Object.entries(params).map(([name, value]) => [
    name,
    HOLDING.has(name) ? valuesOf(model, value) : value,
  ])
  return { ids, params: Object.fromEntries(entries) }
}

function valuesOf(model: ModelDef, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((one) => valuesOf(model, one))
  if (typeof value !== 'object' || value === null) return value
  return untypedVals(model, value)
}

/** Values of one record in the documented form. */
export function untypedVals(model: ModelDef, typedVals: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(typedVals).map(([name, value]) => {
      const field = model.fields.get(name)
      if (!field) return [name, value]
      const { comodel } = field
      const lines = comodel && leadsToMany(field) && Array.isArray(value)
      return [name, lines ? value.map((line) => lineOf(comodel, line)) : untyped(field, value)]
    }),
  )
}

/** A command of lines: those that create and change have values at their end. */
function lineOf(model: ModelDef, line: unknown): unknown {
  if (!Array.isArray(line) || (line[0] !== 0 && line[0] !== 1)) return line
  return [line[0], line[1], valuesOf(model, line[2])]
}
