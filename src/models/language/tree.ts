// The frozen syntax tree of a domain. It depends on no user or environment: all steps after parsing use it.

/** Conditions with normalized operators: lower case, `==` and `<>` replaced, `in` with a list. */
export type Tree = Always | Not | All | AnyOf | Leaf

/** True or false for every record. */
export interface Always {
  readonly type: 'always'
  readonly value: boolean
}
export interface Not {
  readonly type: 'not'
  readonly child: Tree
}
export interface All {
  readonly type: 'all'
  readonly children: readonly Tree[]
}
export interface AnyOf {
  readonly type: 'anyOf'
  readonly children: readonly Tree[]
}
/** One condition: `path` is the dotted field path, split. */
export interface Leaf {
  readonly type: 'leaf'
  readonly path: readonly string[]
  readonly operator: string
  readonly value: unknown
}

export const always = (value: boolean): Always => Object.freeze({ type: 'always', value })
export const not = (child: Tree): Tree =>
  child.type === 'not' ? child.child : Object.freeze({ type: 'not', child })
export const all = (children: readonly Tree[]): Tree =>
  children.length === 1
    ? present(children[0])
    : children.length === 0
      ? always(true)
      : Object.freeze({ type: 'all', children: Object.freeze([...children]) })
export const anyOf = (children: readonly Tree[]): Tree =>
  children.length === 1
    ? present(children[0])
    : children.length === 0
      ? always(false)
      : Object.freeze({ type: 'anyOf', children: Object.freeze([...children]) })
export const leaf = (path: readonly string[], operator: string, value: unknown): Leaf =>
  Object.freeze({ type: 'leaf', path: Object.freeze([...path]), operator, value })

/**
 * The same conditions over a model that refers to theirs: each path gets `prefix` (required
 * many2ones, so that every condition has its record). A condition on the record's id becomes a condition
 * on the last many2one itself, which hierarchy operators support too.
 */
export function throughPath(prefix: readonly string[], tree: Tree): Tree {
  if (prefix.length === 0) return tree
  return eachLeaf(tree, ({ path, operator, value }) => {
    const isOnId = path.length === 1 && path[0] === 'id'
    return leaf(isOnId ? prefix : [...prefix, ...path], operator, value)
  })
}

/** Whether one of the conditions passes the test. */
export function someLeaf(tree: Tree, test: (leaf: Leaf) => boolean): boolean {
  if (tree.type === 'leaf') return test(tree)
  if (tree.type === 'not') return someLeaf(tree.child, test)
  return tree.type !== 'always' && tree.children.some((child) => someLeaf(child, test))
}

/** A copy with other trees in the place of conditions, asked for one after the other: they share a connection. */
export async function replaceLeaves(tree: Tree, by: (leaf: Leaf) => Tree | Promise<Tree>): Promise<Tree> {
  if (tree.type === 'leaf') return by(tree)
  if (tree.type === 'not') return not(await replaceLeaves(tree.child, by))
  if (tree.type === 'always') return tree
  const children: Tree[] = []
  for (const child of tree.children) children.push(await replaceLeaves(child, by))
  return tree.type === 'all' ? all(children) : anyOf(children)
}

/** A copy of the tree with changed conditions. */
export function eachLeaf(tree: Tree, change: (leaf: Leaf) => Leaf): Tree {
  switch (tree.type) {
    case 'always':
      return tree
    case 'not':
      return not(eachLeaf(tree.child, change))
    case 'all':
      return all(tree.children.map((child) => eachLeaf(child, change)))
    case 'anyOf':
      return anyOf(tree.children.map((child) => eachLeaf(child, change)))
    case 'leaf':
      return change(tree)
  }
}

import { present } from '../../kit/present.ts'
