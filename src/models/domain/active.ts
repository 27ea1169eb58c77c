// Archived records: the condition that leaves them out, unless a domain speaks of them itself
// (spec/models-api.md section 2, "Archived records").
import type { ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { all, type Leaf, leaf, type Tree } from '../language/tree.ts'
import { readBoolean } from './number.ts'

/**
 * The domain without archived records: as given when the model has none, `active_test` is off or the domain
 * has a condition on the field.
 */
export function activeDomain(env: Environment, model: ModelDef, tree: Tree): Tree {
  return without(env, model, tree, () => true)
}

/**
 * As `activeDomain` for the lines of an x2many: a condition that lets archived and others through alike does
 * not count there.
 */
export function activeLines(env: Environment, model: ModelDef, tree: Tree): Tree {
  return without(env, model, tree, (condition) => !saysNothing(condition))
}

function without(env: Environment, model: ModelDef, tree: Tree, counts: (condition: Leaf) => boolean): Tree {
  const name = model.active?.name
  if (!name || !env.activeTest || mentions(tree, name, counts)) return tree
  const condition = leaf([name], '=', true)
  if (tree.type === 'always') return tree.value ? condition : tree
  return tree.type === 'all' ? all([condition, ...tree.children]) : all([condition, tree])
}

/** Whether a tree has a condition on a field of the record itself, one that counts. */
export function mentions(tree: Tree, name: string, counts: (condition: Leaf) => boolean): boolean {
  switch (tree.type) {
    case 'always':
      return false
    case 'not':
      return mentions(tree.child, name, counts)
    case 'leaf':
      return tree.path.length === 1 && tree.path[0] === name && counts(tree)
    default:
      return tree.children.some((child) => mentions(child, name, counts))
  }
}

function saysNothing({ operator, value }: Leaf): boolean {
  if (operator === '=?') return !value
  if (!Array.isArray(value)) return false
  const truths = new Set(value.map(readBoolean))
  return operator === 'in' ? truths.size === 2 : truths.size === 0
}
