// Which conditions of a domain are plain: by their path and operator alone it is known which of their values
// have one shape (shapes.ts), and that they stand in a statement as they were given.
import { optionsOf } from '../domain/index.ts'
import { isHierarchy, isPattern, operatorNamed, type Positive, senseOf } from '../domain/operators.ts'
import type { FieldDef, ModelDef } from '../language/definitions.ts'

/** How plain values of a condition are read before anything is parsed (known.ts). */
export type PlainKind = 'text' | 'texts' | 'pattern' | 'id' | 'ids' | 'boolean' | 'option'

/** A condition by its path and operator alone; `options`: the only values that are plain. */
export interface Plain {
  readonly kind: PlainKind
  readonly options: Readonly<Record<string, string>> | null
}

/**
 * Which values of a condition all have one shape, and stand in its statement as they were given (a pattern
 * between percent signs); null where that takes the whole way.
 */
export function plainValues(model: ModelDef, path: string, operator: string): Plain | null {
  if (operatorNamed(operator) !== operator) return null
  const { positive } = senseOf(operator)
  let [here, field]: [ModelDef | undefined, FieldDef | undefined] = [model, undefined]
  for (const name of path.split('.')) {
    field = here?.fields.get(name)
    here = field?.comodel
  }
  const options = field ? optionsOf(field) : null
  const kind = field && plainKind(field, positive, options !== null)
  return kind ? { kind, options } : null
}

function plainKind(field: FieldDef, positive: Positive, hasOptions: boolean): PlainKind | null {
  const isList = positive === 'in'
  if (positive === 'any' || isHierarchy(positive) || positive.startsWith('=l') || positive.startsWith('=i'))
    return null
  switch (field.kind) {
    case 'char':
    case 'text':
      return isList ? 'texts' : isPattern(positive) ? 'pattern' : 'text'
    case 'selection':
      return hasOptions && (isList || positive === '=') ? 'option' : null
    case 'boolean':
      return positive === '=' ? 'boolean' : null
    case 'integer':
    case 'many2one':
    case 'one2many':
    case 'many2many':
      return isPattern(positive) ? null : isList ? 'ids' : 'id'
    default:
      return null
  }
}
