// Readers of a removed record: those whose rules held before, checked on its last row.

import type { ModelDef } from '../../models/language/definitions.ts'
import type { Environment } from '../../models/language/environment.ts'
import { fieldOf } from '../../models/language/field-options.ts'
import type { Scope } from '../../models/language/scope.ts'
import { leaf, type Tree } from '../../models/language/tree.ts'
import { ruleOf } from '../../models/row/access.ts'
import { scopeOver } from '../../models/row/scope.ts'
import { and, idList, join, literal, not, or, raw, type Sql, sql, TRUE } from '../../sql/index.ts'

/**
 * Of records that the caller's domain does not find now, those that the caller may know of: they can be read
 * without the domain, or could be before one of the transactions. One statement, and none if no rules are
 * in force.
 */
export async function visibleBefore(
  env: Environment,
  model: ModelDef,
  ids: readonly number[],
  txs: readonly string[],
): Promise<ReadonlySet<number>> {
  if (ids.length === 0) return new Set()
  const now = scopeOver(env, model)
  const rule = ruleOf(now, model, 'read')
  if (!rule) return new Set(ids)
  const rows = await env.query<
    [number]
  >(sql`SELECT ${now.id} FROM ${now.from()} WHERE ${now.id} = ANY(${idList(ids)}) AND (${rule})
    UNION SELECT b.res_id FROM comptoir_change_before b
      WHERE b.tx = ANY(${[...txs]}::bigint[]) AND b.model = ${model.name} AND b.res_id = ANY(${idList(ids)}) AND ${held(env, model, raw('b.image'), 'i')}`)
  return new Set(rows.map((row) => row[0]))
}

/** Whether a row as it was, and those that it delegated to, were the caller's to read. */
function held(env: Environment, model: ModelDef, image: Sql, alias: string): Sql {
  const scope = scopeOver(env, model, alias)
  const delegates = [...model.inherits.values()].flatMap((via, n) => {
    const { comodel } = fieldOf(model, via)
    return comodel
      ? [
          {
            via,
            scope: scopeOver(env, comodel, `${alias}${n}`),
            image: sql`(${image}->${literal(`${via}.`)})`,
          },
        ]
      : []
  })
  const rules = (queryScope: Scope, at: readonly Delegate[]) => {
    const ruleTree = env.unit.rights.ownRules(env, queryScope.model)
    return ruleTree ? conditionOf(ruleTree, queryScope, at) : TRUE
  }
  const conditions = [rules(scope, delegates)]
  if (!model.options.readsDelegates)
    for (const delegate of delegates) conditions.push(rules(delegate.scope, []))
  const from = [
    scope.fromImage(image),
    ...delegates.map((delegate) => delegate.scope.fromImage(delegate.image)),
  ]
  return sql`EXISTS (SELECT FROM (SELECT) AS one, ${join(from)} WHERE ${scope.id} IS NOT NULL AND ${and(conditions)})`
}

interface Delegate {
  readonly via: string
  readonly scope: Scope
}

/** A rule over a row; its conditions on a delegate apply to the delegate's joined row. */
function conditionOf(tree: Tree, scope: Scope, delegates: readonly Delegate[]): Sql {
  const inner = (child: Tree) => conditionOf(child, scope, delegates)
  switch (tree.type) {
    case 'all':
      return and(tree.children.map(inner))
    case 'anyOf':
      return or(tree.children.map(inner))
    case 'not':
      return not(inner(tree.child))
    default: {
      const beside =
        tree.type === 'leaf' && tree.path.length > 1
          ? delegates.find(({ via }) => via === tree.path[0])
          : undefined
      const meant =
        beside && tree.type === 'leaf' ? leaf(tree.path.slice(1), tree.operator, tree.value) : tree
      return scope.env.unit.registry.engine.condition((beside?.scope ?? scope).privileged(), meant)
    }
  }
}
