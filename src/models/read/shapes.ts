// Shapes of domains: what the text of a condition follows from, without the values that only stand in it.

import { present } from '../../kit/present.ts'
import { isTree, senseOf } from '../domain/index.ts'
import { displayNameDomain } from '../domain/search-rule.ts'
import type { FieldDef, Ids, ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { leadsToOne } from '../language/field-options.ts'
import { eachLeaf, type Leaf, leaf, type Tree } from '../language/tree.ts'
import type { Values } from '../row/plans.ts'
import { MOST, markFor, type Operand, type OperandKind, operandReader } from './operands.ts'
import { isText, wordFor } from './request-keys.ts'

/** A condition with values that are parameters. */
interface Slot {
  readonly condition: Leaf
  readonly operand: Operand
  readonly values: readonly unknown[]
}

/** The shape of a domain, which is part of the key of a plan, and its values. */
interface DomainShape {
  readonly shape: string
  readonly values: Values
  /** The domain with `marks` in the place of its values. */
  marked(): Tree
}

/** Values of a call with further ones, each with its own mark. */
export function withValues(
  values: Values,
  ...more: readonly (readonly [value: unknown, mark: unknown])[]
): Values {
  if (more.length === 0) return values
  return {
    ...values,
    real: [...values.real, ...more.map(([value]) => value)],
    marks: () => [...values.marks(), ...more.map(([, mark]) => mark)],
  }
}

const NO_VALUES: Values = { real: [], marks: () => [] }

/** Stands for ids of records where a plan is made. */
export const IDS_MARK = [1_999_999_998, 1_999_999_997]

export const idsValues = (ids: Ids): Values => withValues(NO_VALUES, [ids, IDS_MARK])

/** The shape of a prepared domain; null where its text follows from values or the clock. */
export function domainShape(env: Environment, model: ModelDef, tree: Tree): DomainShape | null {
  const slots: Slot[] = []
  const shape = treeShape(env, model, tree, slots)
  if (shape === null || slots.length > MOST) return null
  const marks = slots.map(({ condition, operand }, n) => markFor(operand, condition.value, n))
  return {
    shape,
    values: {
      real: slots.flatMap(({ values }) => values),
      marks: () => {
        const all: unknown[] = []
        for (const [n, { operand }] of slots.entries()) wordFor(env, operand, marks[n], all)
        return all
      },
    },
    marked: () => marked(tree, new Map(slots.map(({ condition }, n) => [condition, marks[n]]))),
  }
}

const marked = (tree: Tree, marks: ReadonlyMap<Leaf, unknown>): Tree =>
  eachLeaf(tree, (condition) => {
    if (isTree(condition.value))
      return leaf(condition.path, condition.operator, marked(condition.value, marks))
    return marks.has(condition) ? leaf(condition.path, condition.operator, marks.get(condition)) : condition
  })

function treeShape(env: Environment, model: ModelDef, tree: Tree, slots: Slot[]): string | null {
  switch (tree.type) {
    case 'always':
      return String(tree.value)
    case 'leaf':
      return leafShape(env, model, tree.path, tree, slots)
    default: {
      const children = tree.type === 'not' ? [tree.child] : tree.children
      let parts = `${tree.type}(`
      for (const child of children) {
        const part = treeShape(env, model, child, slots)
        if (part === null) return null
        parts += `${part},`
      }
      return `${parts})`
    }
  }
}

function leafShape(
  env: Environment,
  model: ModelDef,
  path: readonly string[],
  condition: Leaf,
  slots: Slot[],
): string | null {
  const name = present(path[0])
  const field = model.fields.get(name)
  if (field?.name === 'display_name' && path.length === 1)
    return nameShape(env, model, field, condition, slots)
  if (!field || field.search || field.options.companyDependent) return null
  const lines = field.comodel !== undefined && !leadsToOne(field)
  if (
    lines ? !field.stored || field.compute !== null || field.related !== null : name !== 'id' && !field.column
  )
    return null
  if (path.length > 1) {
    const rest = field.comodel ? leafShape(env, field.comodel, path.slice(1), condition, slots) : null
    return rest && `${name}.${rest}`
  }
  const { operator, value } = condition
  if (isTree(value)) {
    const inside = field.comodel ?? (name === 'id' ? model : undefined)
    const part = inside && operator.endsWith('any') ? treeShape(env, inside, value, slots) : null
    return part && `${name} ${operator}(${part})`
  }
  const operand = operandReader(field, operator)
  const values: unknown[] = []
  const word = wordFor(env, operand, value, values)
  if (values.length > 0) slots.push({ condition, operand, values })
  return word && `${name} ${operator} ${word}`
}

/** Kinds of which all fields that name a record have the same value. */
const named: ReadonlySet<OperandKind> = new Set(['text', 'texts', 'pattern'])

/** A condition on the name: the same one on each of the fields that name a record. */
function nameShape(
  env: Environment,
  model: ModelDef,
  field: FieldDef,
  condition: Leaf,
  slots: Slot[],
): string | null {
  const { operator, value } = condition
  const isPlain = isText(value) || (Array.isArray(value) && value.every(isText))
  const { positive } = senseOf(operator)
  const tree = isPlain && !field.search ? displayNameDomain(env, model, positive, value) : null
  if (!tree) return null
  const childSlots: Slot[] = []
  const shape = treeShape(env, model, tree, childSlots)
  const [first] = childSlots
  const leaves = tree.type === 'anyOf' ? tree.children.length : 1
  if (!shape || !first || childSlots.length < leaves) return null
  const { operand, values } = first
  if (!named.has(operand.kind) || childSlots.some((one) => one.operand.kind !== operand.kind)) return null
  slots.push({ condition, operand, values })
  return `${field.name} ${operator}(${shape})`
}
