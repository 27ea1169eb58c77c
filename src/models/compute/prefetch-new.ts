// Prefetch for new records: records that they link to, as far as their computed fields read them. It
// leaves with the next awaited statement and only fills the cache.

import { ServiceError } from '../../errors.ts'
import { oncePer } from '../../kit/once-per.ts'
import { isId } from '../../kit/present.ts'
import { Slot } from '../../kit/slot.ts'
import type { LooseVals, ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { needsNoRecomputation } from '../load/pending-fields.ts'
import { prefetch } from '../load/prefetch.ts'
import { leadsAnywhere } from '../load/prefetch-related.ts'
import { type GrowingTree, grow, isDeeper, type PathTree } from '../load/tree.ts'
import { pathsOf } from './prefetch.ts'
import { storedComputed } from './recompute.ts'

/** New records, with lines, that are prefetched for: more would push the first out of the cache. */
const MOST = 200

/** Targets of links of new records, by the paths that are read there. */
type Wanted = Map<PathTree, { readonly model: ModelDef; readonly ids: Set<number> }>

/** By session: number of new records of a model that were prefetched for together with their parents. */
const lines = new Slot<Map<ModelDef, number>>()

/** Begins to read the targets of links in values, which are not checked yet. */
export function prefetchForNew(env: Environment, model: ModelDef, list: readonly unknown[]): void {
  const seen = lines.get(env.unit)
  const left = (seen?.get(model) ?? 0) - list.length
  if (seen && left >= 0) return void seen.set(model, left)
  if (list.length > MOST) return
  const su = env.sudo()
  const wanted: Wanted = new Map()
  const lineCounts = new Map<ModelDef, number>()
  collect(companyOf(env), model, list, wanted, lineCounts)
  let count = 0
  for (const many of lineCounts.values()) count += many
  if (wanted.size === 0 || count > MOST) return
  const reads = [...wanted].map(([tree, { model, ids }]) => ({ model, tree, ids }))
  if (!reads.every(({ model, tree }) => needsNoRecomputation(su, model, tree))) return
  if (lineCounts.size) lines.set(env.unit, lineCounts)
  // A failure is thrown by the call's next statement.
  prefetch(su, reads, { rounds: 1, leads: leadsAnywhere }).catch(() => undefined)
}

/** The caller's company; null where the requested companies are refused, which fails where it is needed. */
function companyOf(env: Environment): number | null {
  try {
    return env.companyId
  } catch (error) {
    if (error instanceof ServiceError) return null
    throw error
  }
}

/**
 * Adds targets of values, and of values of new lines; counts these. A record that needs a company and
 * has no explicit one nearly always gets the caller's.
 */
function collect(
  company: number | null,
  model: ModelDef,
  list: readonly unknown[],
  wanted: Wanted,
  lineCounts: Map<ModelDef, number>,
): void {
  const { links, lists } = lookedAt(model)
  if (links.length + lists.length === 0) return
  for (const vals of list) {
    if (typeof vals !== 'object' || vals === null) continue
    const record = vals as LooseVals
    for (const { name, comodel, below, isOwn } of links) {
      const id = isOwn ? (record[name] ?? company) : record[name]
      if (!isId(id)) continue
      const of = wanted.get(below)
      if (of) of.ids.add(id)
      else wanted.set(below, { model: comodel, ids: new Set([id]) })
    }
    for (const { name, comodel } of lists) {
      const lineValues = newLines(record[name])
      if (lineValues.length === 0) continue
      lineCounts.set(comodel, (lineCounts.get(comodel) ?? 0) + lineValues.length)
      collect(company, comodel, lineValues, wanted, lineCounts)
    }
  }
}

function newLines(commands: unknown): readonly unknown[] {
  if (!Array.isArray(commands) || commands.length > MOST) return []
  const lineValues: unknown[] = []
  for (const command of commands) if (Array.isArray(command) && command[0] === 0) lineValues.push(command[2])
  return lineValues
}

interface LookedLink {
  readonly name: string
  readonly comodel: ModelDef
  readonly below: PathTree
  /** Whether each record has to have a company by it. */
  readonly isOwn: boolean
}

/** Links of a model's new records with the paths that are read through them, and lists of lines. */
interface Looked {
  readonly links: readonly LookedLink[]
  readonly lists: readonly { readonly name: string; readonly comodel: ModelDef }[]
}

const lookedAt = oncePer(lookFrom)

function lookFrom(model: ModelDef): Looked {
  const tree: GrowingTree = {}
  for (const field of storedComputed(model)) for (const path of pathsOf(field)) grow(tree, path)
  const links: Looked['links'][number][] = []
  const lists: Looked['lists'][number][] = []
  for (const { name, kind, comodel, column, required } of model.fields.values()) {
    if (!comodel?.hasTable) continue
    const below = tree[name]
    const isOwn = required && comodel.name === 'res.company'
    if (kind === 'many2one' && column && below && isDeeper(below)) links.push({ name, comodel, below, isOwn })
    if (kind === 'one2many') lists.push({ name, comodel })
  }
  return { links, lists }
}
