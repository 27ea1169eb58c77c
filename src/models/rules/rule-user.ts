// The name `user` in record rules: the attributes of a user that rules can read, and their form.
import { Attributes } from '../../kit/expression/index.ts'
import { isInteger } from '../../kit/present.ts'
import type { FieldDef, Ids, ModelDef, Registry } from '../language/definitions.ts'
import type { FieldType } from '../language/field-type.ts'
import type { UserProfile } from '../language/rights.ts'
import { eachLeaf, leaf, type Tree } from '../language/tree.ts'

/**
 * A column of the user's row, or of their partner's. Both rows' versions are checked with every
 * credential, so rules never read outdated values.
 */
export interface UserColumn {
  readonly owner: 'res.users' | 'res.partner'
  readonly name: string
  /** A many2one is read as a record, other types as their value. */
  readonly type: FieldType
}

/** A user as rules see them: the snapshot and further values that rules read. */
export interface RuleUser extends UserProfile {
  /** Assigned groups, without implied ones. */
  readonly directGroupIds: Ids
  readonly commercialPartnerId: number
  /** By each company of the user: the company and all its parents. */
  readonly companiesAbove: ReadonlyMap<number, Ids>
  /** Further columns that rules of this database read, by `columnKey`. */
  readonly columns: ReadonlyMap<string, unknown>
}

export const columnKey = (column: Pick<UserColumn, 'owner' | 'name'>): string =>
  `${column.owner}.${column.name}`

/** The column of an attribute of `user` or `user.partner_id`; null if rules cannot read it. */
function userColumn(registry: Registry, owner: UserColumn['owner'], name: string): UserColumn | null {
  const field = registry.get(owner)?.fields.get(name)
  if (!field || secret(field)) return null
  if (owner === 'res.users' && field.inherited) return userColumn(registry, 'res.partner', name)
  const plain =
    field.column && !field.translate && !field.options.companyDependent && field.type.ruleSample !== undefined
  return plain ? { owner, name, type: field.type } : null
}

/** Rules cannot read passwords and other fields that only some groups may see. */
function secret(field: FieldDef): boolean {
  return field.groups.length > 0 || field.name === 'password'
}

export type ReadColumn = (owner: UserColumn['owner'], name: string) => unknown

export function loadedColumns(registry: Registry, user: UserProfile): ReadColumn {
  const columns = (user as Partial<RuleUser>).columns
  return (owner, name) => {
    const column = userColumn(registry, owner, name)
    const value = column && columns?.get(columnKey(column))
    if (!column || value === undefined) return undefined
    return column.type.relation === 'one' ? record(value as number | null) : (value ?? false)
  }
}

/** Sample values for every column that could be loaded: for checking a rule before it is stored. */
export function possibleColumns(registry: Registry): ReadColumn {
  return (owner, name) => {
    const type = userColumn(registry, owner, name)?.type
    return type?.relation === 'one' ? record(1) : type?.ruleSample
  }
}

/** Attributes of a user: some are built in, `columnOf` returns the others. */
export function userAttributes(user: UserProfile, columnOf: ReadColumn): Attributes {
  const ruleUser = user as UserProfile & Partial<RuleUser>
  const partner = (name: string): unknown =>
    name === 'commercial_partner_id'
      ? record(ruleUser.commercialPartnerId ?? user.partnerId)
      : columnOf('res.partner', name)
  const read: Readonly<Record<string, () => unknown>> = {
    id: () => user.id,
    ids: () => [user.id],
    login: () => user.login,
    name: () => user.name,
    active: () => user.active,
    lang: () => user.lang ?? false,
    tz: () => user.tz ?? false,
    share: () => !user.groups.has('base.group_user'),
    partner_id: () => record(user.partnerId, partner),
    commercial_partner_id: () => partner('commercial_partner_id'),
    company_id: () => record(user.companyId),
    company_ids: () => records(user.companyIds),
    group_ids: () => records(ruleUser.directGroupIds ?? user.groupIds),
    all_group_ids: () => records(user.groupIds),
    has_group: () => (name: unknown) => user.groups.has(String(name)),
  }
  return new Attributes((name) => (Object.hasOwn(read, name) ? read[name]?.() : columnOf('res.users', name)))
}

/** Attributes of the user and the partner that `userAttributes` has built in. */
const builtIn = new Set([
  ...[
    'id',
    'ids',
    'login',
    'name',
    'active',
    'lang',
    'tz',
    'share',
    'partner_id',
    'commercial_partner_id',
    'company_id',
    'company_ids',
  ],
  ...['group_ids', 'all_group_ids', 'has_group'],
])

/** Columns that attribute paths of `user` need in addition to the snapshot. Unknown paths are left out. */
export function userColumns(registry: Registry, paths: readonly (readonly string[])[]): UserColumn[] {
  const columns = new Map<string, UserColumn>()
  for (const [first, second] of paths) {
    let column: UserColumn | null = null
    if (first === 'partner_id' && second && !['id', 'ids', 'commercial_partner_id'].includes(second)) {
      column = userColumn(registry, 'res.partner', second)
    } else if (first && !builtIn.has(first)) column = userColumn(registry, 'res.users', first)
    if (column) columns.set(columnKey(column), column)
  }
  return [...columns.values()]
}

function record(id: number | null, more?: (name: string) => unknown): Attributes {
  return new Attributes((name) => {
    if (name === 'id') return id ?? false
    if (name === 'ids') return id === null ? [] : [id]
    return more?.(name)
  }, id !== null)
}

function records(ids: Ids): Attributes {
  return new Attributes((name) => {
    if (name === 'ids') return [...ids]
    if (name === 'id' && ids.length < 2) return ids[0] ?? false
    return undefined
  }, ids.length > 0)
}

// Parent companies of the caller's companies, in the conditions of record rules. They are cached with
// the caller, because a company's parent never changes. A lookup in each statement would make PostgreSQL
// plan a further subquery.

/** `parent_of` companies of the user become the ids of these and their parents. */
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
