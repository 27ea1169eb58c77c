// Parent companies of the caller's companies, in the conditions of record rules. They are cached with
// the caller, because a company's parent never changes. A lookup in each statement would make PostgreSQL
// plan a further subquery.
import { isInteger } from '../../kit/present.ts'
import type { ModelDef } from '../language/definitions.ts'
import type { UserProfile } from '../language/rights.ts'
import { eachLeaf, leaf, type Tree } from '../language/tree.ts'
import type { RuleUser } from './rule-user.ts'

/**
 * The conditions with `parent_of` companies of the user replaced by the ids of these companies and their
 * parents.
 */
export function withAncestors(tree: Tree, model: ModelDef | undefined, user: UserProfile): Tree {
  const above = (user as Partial<RuleUser>).companiesAbove
  if (!above || !model) return tree
  return eachLeaf(tree, (condition) => {
    if (
      condition.operator !== 'parent_of' ||
      !Array.isArray(condition.value) ||
      !leadsToCompany(model, condition.path)
    )
      return condition
    const lines = condition.value.map((id: unknown) => (isInteger(id) ? above.get(id) : undefined))
    const ancestors = lines.filter((line) => line !== undefined)
    return ancestors.length < lines.length
      ? condition
      : leaf(condition.path, 'in', [...new Set(ancestors.flat())])
  })
}

/**
 * Whether a path ends in one company: in a many2one to it, or in its id. A many2one from company to
 * company stands for the company that has it.
 */
function leadsToCompany(model: ModelDef, path: readonly string[]): boolean {
  let target: ModelDef | null | undefined = model
  for (const name of path.slice(0, -1)) target = target?.fields.get(name)?.comodel
  const last = path.at(-1) ?? ''
  if (last === 'id') return target?.name === 'res.company'
  if (target?.name === 'res.company') return false
  const field = target?.fields.get(last)
  return field?.kind === 'many2one' && field.comodel?.name === 'res.company'
}
