// Rules that follow from others: what a line's rules say of its order, the order's need not say again.
import { present } from '../../kit/present.ts'
import type { FieldDef, ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { eachLeaf, leaf, type Tree, throughPath } from '../language/tree.ts'

/**
 * Whether rules that let a user read a row include those of the record that `link`, which every row has,
 * leads to. A stored related field is what it is related to.
 */
export function impliesRules(env: Environment, { name, model, comodel }: FieldDef): boolean {
  const { rights } = env.unit
  const theirs = comodel && rights.rules(env, comodel, 'read')
  if (!theirs) return comodel !== undefined
  const ours = rights.rules(env, model, 'read')
  const said = new Set(ours ? conditions(unrelated(model, ours)) : [])
  return conditions(throughPath([name], theirs)).every((condition) => said.has(condition))
}

/** The conditions that must all hold, each as text; none for a tree that is always true. */
function conditions(tree: Tree): string[] {
  if (isTrue(tree)) return []
  return tree.type === 'all' ? tree.children.flatMap(conditions) : [JSON.stringify(tree)]
}

function isTrue(tree: Tree): boolean {
  if (tree.type === 'always') return tree.value
  return tree.type === 'anyOf' && tree.children.some(isTrue)
}

/** The same conditions with paths in the place of stored related fields. */
const unrelated = (model: ModelDef, tree: Tree): Tree =>
  eachLeaf(tree, (condition) => {
    const [first, ...rest] = condition.path
    const field = model.fields.get(present(first))
    const path = field?.stored && field.column && !field.options.companyDependent ? field.related : null
    return path ? leaf([...path, ...rest], condition.operator, condition.value) : condition
  })
