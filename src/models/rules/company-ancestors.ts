// Companies above the caller's own, in the conditions of record rules: they are known with the caller, for a
// company keeps its parent as long as it lives. Whoever looked for them in each statement had PostgreSQL plan
// a query more.
import { isInteger } from '../../kit/present.ts'
import type { ModelDef } from '../language/definitions.ts'
import type { UserProfile } from '../language/rights.ts'
import { eachLeaf, leaf, type Tree } from '../language/tree.ts'
import type { RuleUser } from './rule-user.ts'

/** The conditions with `parent_of` companies of the user told by the ids that it stands for. */
export function withAncestors(tree: Tree, model: ModelDef | undefined, user: UserProfile): Tree {
  const above = (user as Partial<RuleUser>).companiesAbove
  if (!above || !model) return tree
  return eachLeaf(tree, (one) => {
    if (one.operator !== 'parent_of' || !Array.isArray(one.value) || !leadsToCompany(model, one.path))
      return one
    const lines = one.value.map((id: unknown) => (isInteger(id) ? above.get(id) : undefined))
    const known = lines.filter((line) => line !== undefined)
    return known.length < lines.length ? one : leaf(one.path, 'in', [...new Set(known.flat())])
  })
}

/**
 * Whether a path ends in one company: in a link to it, or in its own id. A link from company to company
 * stands for the company that has it.
 */
function leadsToCompany(model: ModelDef, path: readonly string[]): boolean {
  let here: ModelDef | null | undefined = model
  for (const name of path.slice(0, -1)) here = here?.fields.get(name)?.comodel
  const last = path.at(-1) ?? ''
  if (last === 'id') return here?.name === 'res.company'
  if (here?.name === 'res.company') return false
  const field = here?.fields.get(last)
  return field?.kind === 'many2one' && field.comodel?.name === 'res.company'
}
