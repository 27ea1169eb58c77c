// Merges many conditions of one type: a chain of "or" on one field, or through one relation, becomes one
// comparison or one subquery. PostgreSQL handles few conditions best as they are, so only many are merged.

import { present } from '../../kit/present.ts'
import type { FieldDef, ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { leadsToOne } from '../language/field-options.ts'
import { all, anyOf, type Leaf, leaf, not, type Tree } from '../language/tree.ts'
import { isTree } from './hierarchy.ts'
import { isEquality, isHierarchy, isPattern, type Positive, senseOf } from './operators.ts'
import { displayNameDomain, matchesAll, mentions } from './search-rule.ts'

export const MANY = 8

export interface Subject {
  readonly env: Environment
  readonly model: ModelDef
}

/** The children of an "or", with one in the place of many alike. They come to the same. */
export function mergedAny(subject: Subject, children: readonly Tree[]): readonly Tree[] {
  if (children.length < MANY) return children
  const plain = children.flatMap((child) => withoutNames(subject, child))
  return grouped(plain, (child) => (child.type === 'leaf' ? kindOf(subject, child) : null), joinedAny)
}

/** As `mergedAny` for an "and": negated conditions, and conditions on the one target of a many2one. */
export function mergedAll(subject: Subject, children: readonly Tree[]): readonly Tree[] {
  if (children.length < MANY) return children
  const denied = children.map((child) => complement(child))
  const rest = children.filter((_, i) => denied[i] === null)
  const none = denied.filter((child) => child !== null)
  const behind = grouped(
    rest,
    (child) => (child.type === 'leaf' ? relatedKind(subject, child) : null),
    joinedAll,
  )
  return none.length < MANY
    ? [...behind, ...none.map(not)]
    : [...behind, ...mergedAny(subject, none).map(not)]
}

interface Kind {
  readonly key: string
  readonly join: 'values' | 'related'
}

/** One tree for each group of many; all others as they are, in their places. */
function grouped(
  children: readonly Tree[],
  kindOf: (child: Tree) => Kind | null,
  join: (alike: readonly Leaf[], kind: Kind) => Tree,
): Tree[] {
  const kinds = children.map(kindOf)
  const groups = Map.groupBy(children.keys(), (i) => kinds[i]?.key)
  return children.flatMap((child, i) => {
    const kind = kinds[i]
    const alike = kind ? (groups.get(kind.key) ?? []) : []
    if (!kind || alike.length < MANY) return [child]
    return alike[0] === i
      ? [
          join(
            alike.map((at) => children[at] as Leaf),
            kind,
          ),
        ]
      : []
  })
}

function joinedAny(alike: readonly Leaf[], { join }: Kind): Tree {
  const [first] = alike as readonly [Leaf]
  if (join === 'related')
    return leaf(first.path.slice(0, 1), 'any', anyOf(alike.flatMap((one) => parts(below(one), 'anyOf'))))
  const { positive } = senseOf(first.operator)
  return leaf(
    first.path,
    positive === '=' ? 'in' : positive,
    alike.flatMap(({ value }) => value),
  )
}

const joinedAll = (alike: readonly Leaf[]): Tree =>
  leaf(present(alike[0]).path.slice(0, 1), 'any', all(alike.flatMap((one) => parts(below(one), 'all'))))

function below({ path, operator, value }: Leaf): Tree {
  if (path.length > 1) return leaf(path.slice(1), operator, value)
  return isTree(value) ? value : leaf(['display_name'], operator, value)
}

const parts = (tree: Tree, type: 'all' | 'anyOf'): readonly Tree[] =>
  tree.type === type ? tree.children : [tree]

/** The negated condition; null for a condition that is not negated. */
function complement(tree: Tree): Tree | null {
  if (tree.type === 'not') return tree.child
  if (tree.type !== 'leaf' || tree.path.length > 1) return null
  const { positive, negated } = senseOf(tree.operator)
  return negated ? leaf(tree.path, positive, tree.value) : null
}

/** Display names by the fields that name a record, each a condition of its own. */
function withoutNames({ env, model }: Subject, tree: Tree): readonly Tree[] {
  if (tree.type !== 'leaf' || tree.path.length > 1 || tree.path[0] !== 'display_name') return [tree]
  const { positive, negated } = senseOf(tree.operator)
  if (negated || matchesAll(model.displayName, positive, tree.value) || model.displayName.search)
    return [tree]
  const names = positive === '=?' ? null : displayNameDomain(env, model, positive, tree.value)
  return names ? parts(names, 'anyOf') : [tree]
}

function kindOf({ model }: Subject, leaf: Leaf): Kind | null {
  const field = model.fields.get(present(leaf.path[0]))
  const { positive, negated } = senseOf(leaf.operator)
  if (!field || field.search) return null
  if (leaf.path.length > 1 && field.comodel) return isPlain(field, below(leaf)) ? behind(field) : null
  if (negated) return null
  if (field.comodel && (positive === 'any' || isNamed(positive, leaf.value)))
    return isPlain(field, below(leaf)) ? behind(field) : null
  return isListed(field, leaf, positive)
    ? { key: `${positive === '=' ? 'in' : positive} ${leaf.path.join('.')}`, join: 'values' }
    : null
}

/** Conditions through a many2one: all of them are about the same record. */
function relatedKind({ model }: Subject, leaf: Leaf): Kind | null {
  const field = model.fields.get(present(leaf.path[0]))
  if (field?.kind !== 'many2one' || field.search) return null
  const { positive, negated } = senseOf(leaf.operator)
  const looks = leaf.path.length > 1 || (!negated && (positive === 'any' || isNamed(positive, leaf.value)))
  return looks ? behind(field) : null
}

const behind = (field: FieldDef): Kind => ({ key: `behind ${field.name}`, join: 'related' })

const isNamed = (operator: Positive, value: unknown): boolean =>
  isPattern(operator) && value !== '' && value !== false

/** Whether archived lines are left out as usual: a condition that speaks of them stays alone. */
function isPlain(field: FieldDef, tree: Tree): boolean {
  const active = field.comodel?.active?.name
  return leadsToOne(field) || active === undefined || !mentions(tree, active, () => true)
}

/** Whether a condition compares with values, none of which stands for "unset": lists of them say the same. */
function isListed(field: FieldDef, { path, value }: Leaf, operator: Positive): boolean {
  const isPart = path.length > 1
  if (isPart && field.kind !== 'date' && field.kind !== 'datetime') return false
  if (!field.comodel && !comparable.has(field.type.comparison)) return false
  if (isEquality(operator) || (isHierarchy(operator) && !isTree(value))) return [value].flat().every(isValue)
  return isPattern(operator) && !isPart && field.name !== 'display_name' && isNamed(operator, value)
}

const comparable: ReadonlySet<string> = new Set([
  'text',
  'selection',
  'reference',
  'number',
  'integerReference',
  'date',
  'datetime',
  'ordered',
])

const isValue = (value: unknown): boolean =>
  typeof value === 'number' || (typeof value === 'string' && value !== '')
