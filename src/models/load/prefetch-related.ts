// Prefetch of related records, in one flush with the relations themselves; of those that links of a few
// records lead to, in one statement with the records. It only fills the cache: the walk along the path
// reads what is missing.
import { present } from '../../kit/present.ts'
import { idList, type Sql, sql } from '../../sql/index.ts'
import type { FieldDef, ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { leadsToMany } from '../language/field-options.ts'
import { scopeOver } from '../row/scope.ts'
import { needsNoRecomputation } from './pending-fields.ts'
import { isDeeper, type PathTree } from './tree.ts'
import {
  cachedValuesOf,
  expressionOrNull,
  fillCache,
  hasExpression,
  relatedValue,
  type TargetValue,
  type Value,
} from './values.ts'

/** The most records whose relations are prefetched: many lead to the same few records. */
const MOST = 200

/** The most records that are joined with targets: more would return the same ones many times. */
const FEW = 20

/** Links that one statement follows at most: PostgreSQL plans all orders in which it could follow them. */
const MOST_LINKS = 6

/** Whether a relation is worth prefetching before its targets are read. */
export type Leads = (field: FieldDef) => boolean

interface Ahead {
  /** Reads that are under way to fill the cache, one a relation and level. */
  readonly reads: readonly Promise<unknown>[]
  /** Values that are read in one statement with the records. */
  readonly along: readonly TargetValue[]
}

const NOTHING: Ahead = { reads: [], along: [] }

/**
 * Begins to read the targets of `fields` of the records. The prefetch of a recomputation gives `leads`,
 * since pending values are in tables by then.
 */
export function prefetchRelated(
  env: Environment,
  model: ModelDef,
  ids: ReadonlySet<number>,
  fields: readonly FieldDef[],
  tree: PathTree,
  leads?: Leads,
): Ahead {
  // Reads of users are judged first; what waits to be computed may change where a path leads.
  if (!env.su || (!leads && (ids.size > MOST || !needsNoRecomputation(env, model, tree)))) return NOTHING
  const plan: Found = { reads: [], along: [], links: new Set() }
  for (const field of fields) {
    const below = belowOf(tree, field, leads)
    if (!below) continue
    const link = ids.size <= FEW && isLink(field) ? field : null
    addReads(
      env,
      { model, field, link, before: null, text: `${model.name} ${field.name}` },
      below,
      plan,
      leads,
    )
  }
  const list = [...ids]
  const reads = plan.reads.map(({ way, fields: filled }) =>
    fillCache(env, present(way.field.comodel), filled, {
      shape: `behind ${way.text}`,
      values: [list],
      ids: ([some]) => reached(env, way, idList(some ?? [])),
    }),
  )
  return { reads, along: plan.along }
}

/** A path of relations from the records. */
interface Way {
  readonly model: ModelDef
  readonly field: FieldDef
  /** The relations that lead to `model`; null where the records are its own. */
  readonly before: Way | null
  /** The same way as a link that may be followed along with the records. */
  readonly link: Value | null
  readonly text: string
}

interface Read {
  readonly way: Way
  readonly fields: readonly FieldDef[]
}

interface Found {
  readonly reads: Read[]
  readonly along: TargetValue[]
  readonly links: Set<Value>
}

/** The paths after a relation that has targets; null without any. */
function belowOf(tree: PathTree, field: FieldDef, leads: Leads = leadsSurely): PathTree | null {
  const below = tree[field.name]
  return below && isDeeper(below) && field.comodel?.hasTable && leads(field) ? below : null
}

/**
 * Required many2ones, and lines that go with their record. Others often lead to nothing, and a read in vain
 * costs more than one that comes later.
 */
const leadsSurely: Leads = (field) => {
  const key = field.kind === 'one2many' ? field.comodel?.fields.get(field.inverse ?? '') : field
  return key?.kind === 'many2one' && key.required && (key === field || key.options.ondelete === 'cascade')
}

/** Many2ones that tables keep, and lines that go with their record: others are often none. */
export const leadsAnywhere: Leads = (field) =>
  leadsSurely(field) || (field.kind === 'many2one' && field.column)

/** As `leadsSurely`, and links whose target cannot be removed before: what a record is about. */
export const leadsMostly: Leads = (field) =>
  leadsSurely(field) || (field.kind === 'many2one' && field.column && field.options.ondelete === 'restrict')

function addReads(env: Environment, way: Way, below: PathTree, plan: Found, leads?: Leads): void {
  const { comodel } = way.field
  if (!comodel || !hasExpression(env, way.field)) return
  const fields: FieldDef[] = []
  for (const name in below) {
    const field = comodel.fields.get(name)
    // Where something is known of a field, it is likely to be that of these records.
    if (!field || (field.compute && !field.stored) || cachedValuesOf(env, field).size) continue
    if (hasExpression(env, field)) fields.push(field)
  }
  if (fields.length === 0) return
  const link = linkAlong(plan, way, fields)
  if (link) for (const field of fields) plan.along.push(relatedValue(link, field))
  else plan.reads.push({ way, fields })
  for (const field of fields) {
    const deeper = belowOf(below, field, leads)
    if (!deeper) continue
    const next = way.link && isLink(field) ? relatedValue(way.link, field) : null
    addReads(
      env,
      { model: comodel, field, link: next, before: way, text: `${way.text} ${field.name}` },
      deeper,
      plan,
      leads,
    )
  }
}

/** The link of a way if these values may come along by it: lists of lines would be made for each record. */
function linkAlong({ links }: Found, { link }: Way, fields: readonly FieldDef[]): Value | null {
  if (!link || fields.some(leadsToMany) || (links.size >= MOST_LINKS && !links.has(link))) return null
  links.add(link)
  return link
}

function reached(env: Environment, { model, field, before }: Way, ids: Sql): Sql {
  const from = scopeOver(env, model)
  const link = present(expressionOrNull(from, field))
  const ends = field.type.relation === 'many' ? sql`unnest(${link})` : link
  const begins = before ? sql`${from.id} IN (${reached(env, before, ids)})` : sql`${from.id} = ANY(${ids})`
  return sql`SELECT ${ends} FROM ${from.from()} WHERE ${begins}`
}

/**
 * Many2ones in a table, with a foreign key, so that their targets exist. A query may name records that
 * do not exist, and the cache must not contain anything of these.
 */
const isLink = (field: FieldDef): boolean =>
  field.kind === 'many2one' &&
  field.column &&
  field.model.hasTable &&
  !field.options.companyDependent &&
  field.comodel.hasTable
