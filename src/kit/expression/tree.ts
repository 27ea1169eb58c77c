// The frozen tree that an expression is parsed into. `at` is the position in the text, for messages.

export type Comparison = '==' | '!=' | '<' | '<=' | '>' | '>=' | 'in' | 'not in' | 'is' | 'is not'
export type Arithmetic = '+' | '-' | '*' | '/' | '//' | '%'

export type Node =
  | { readonly type: 'literal'; readonly value: string | number | boolean | null; readonly at: number }
  | { readonly type: 'list'; readonly items: readonly Node[]; readonly at: number }
  | { readonly type: 'dict'; readonly entries: readonly (readonly [Node, Node])[]; readonly at: number }
  | { readonly type: 'name'; readonly name: string; readonly at: number }
  | { readonly type: 'attribute'; readonly of: Node; readonly name: string; readonly at: number }
  | { readonly type: 'item'; readonly of: Node; readonly index: Node; readonly at: number }
  | { readonly type: 'call'; readonly of: Node; readonly args: readonly Node[]; readonly at: number }
  | { readonly type: 'unary'; readonly operator: '-' | '+' | 'not'; readonly of: Node; readonly at: number }
  | {
      readonly type: 'arithmetic'
      readonly operator: Arithmetic
      readonly left: Node
      readonly right: Node
      readonly at: number
    }
  | {
      readonly type: 'compare'
      readonly first: Node
      readonly rest: readonly (readonly [Comparison, Node])[]
      readonly at: number
    }
  | {
      readonly type: 'logic'
      readonly operator: 'and' | 'or'
      readonly parts: readonly Node[]
      readonly at: number
    }
  | {
      readonly type: 'conditional'
      readonly test: Node
      readonly then: Node
      readonly otherwise: Node
      readonly at: number
    }

/** The nodes directly below a node. */
function childrenOf(node: Node): readonly Node[] {
  switch (node.type) {
    case 'literal':
    case 'name':
      return []
    case 'list':
      return node.items
    case 'dict':
      return node.entries.flat()
    case 'attribute':
    case 'unary':
      return [node.of]
    case 'item':
      return [node.of, node.index]
    case 'call':
      return [node.of, ...node.args]
    case 'arithmetic':
      return [node.left, node.right]
    case 'compare':
      return [node.first, ...node.rest.map(([, right]) => right)]
    case 'logic':
      return node.parts
    case 'conditional':
      return [node.test, node.then, node.otherwise]
  }
}

/** Every name that the expression reads. */
export function namesOf(node: Node): Set<string> {
  const names = new Set<string>()
  const visit = (n: Node): void => {
    if (n.type === 'name') names.add(n.name)
    childrenOf(n).forEach(visit)
  }
  visit(node)
  return names
}

/**
 * Attribute paths read from the name `root`, each as far as it goes: `user.partner_id.id` gives
 * `['partner_id', 'id']`, a bare `user` gives `[]`.
 */
export function attributePathsOf(node: Node, root: string): string[][] {
  const paths: string[][] = []
  const visit = (n: Node): void => {
    const path = pathFrom(n, root)
    if (path) paths.push(path)
    else childrenOf(n).forEach(visit)
  }
  visit(node)
  return paths
}

function pathFrom(node: Node, root: string): string[] | null {
  if (node.type === 'name') return node.name === root ? [] : null
  if (node.type !== 'attribute') return null
  const before = pathFrom(node.of, root)
  return before && [...before, node.name]
}
