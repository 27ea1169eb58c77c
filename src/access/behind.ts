// Conditions of a model as conditions of one that leads to it: rules of a delegate, seen from the model that
// delegates.
import { all, anyOf, leaf, not, type Tree } from '../models/language/tree.ts'

/**
 * The same conditions, each path beginning with `path` (required many2ones, so that every condition has its
 * record).
 * A condition on the delegate's id is one on the last many2one itself, which hierarchies understand too.
 */
export function behind(path: readonly string[], tree: Tree): Tree {
  if (path.length === 0) return tree
  switch (tree.type) {
    case 'always':
      return tree
    case 'not':
      return not(behind(path, tree.child))
    case 'all':
      return all(tree.children.map((child) => behind(path, child)))
    case 'anyOf':
      return anyOf(tree.children.map((child) => behind(path, child)))
    case 'leaf': {
      const own = tree.path.length === 1 && tree.path[0] === 'id'
      return leaf(own ? path : [...path, ...tree.path], tree.operator, tree.value)
    }
  }
}
