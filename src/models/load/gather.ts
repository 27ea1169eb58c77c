// Reading paths level by level, as far as levels must wait for each other: what stands behind relations that
// are known is read beside what is not. It only fills the cache.
import type { ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { variantOf } from '../row/held.ts'
import { together } from '../unit/together.ts'
import type { Leads } from './ahead.ts'
import { loadColumns } from './columns.ts'
import { isDeeper, levelOf, type PathTree } from './tree.ts'

/** Paths from some records of a model. */
interface Wanted {
  readonly model: ModelDef
  readonly ids: Iterable<number>
  readonly tree: PathTree
}

interface Ways {
  /** Flushes at most. */
  readonly rounds: number
  /** Which relations are looked behind before it is known where they lead. */
  readonly leads?: Leads
  /** Records that are left to others, by model. */
  readonly apart?: ReadonlyMap<ModelDef, ReadonlySet<number>>
}

/** Fills the cache with what tables keep at the end of paths, and on the way there. */
export async function gather(env: Environment, wanted: readonly Wanted[], ways: Ways): Promise<void> {
  for (let round = 0; round < ways.rounds; round++) {
    const { statements } = env.unit
    await together(...wanted.map(({ model, ids, tree }) => read(env, model, ids, tree, ways)))
    if (env.unit.statements === statements) return
  }
}

const NONE: ReadonlySet<number> = new Set()

/** Reads a level, and what stands behind relations that lead somewhere, or are known already. */
async function read(
  env: Environment,
  model: ModelDef,
  records: Iterable<number>,
  tree: PathTree,
  ways: Ways,
): Promise<void> {
  const ids = [...records]
  const fields = levelOf(model, tree).given
  if (fields.length === 0 || ids.length === 0) return
  const behind = fields.flatMap((field) => {
    const below = tree[field.name] ?? {}
    if (!field.comodel?.hasTable || !isDeeper(below)) return []
    const known = env.unit.cache.of(field, variantOf(env, field))
    if (!ids.every((id) => known.has(id))) return []
    const all = new Set(ids.flatMap((id) => (known.get(id) ?? []) as number | number[]))
    const targets = all.difference(ways.apart?.get(field.comodel) ?? NONE)
    return targets.size ? [read(env, field.comodel, targets, below, ways)] : []
  })
  await together(loadColumns(env, model, ids, fields, tree, ways.leads), ...behind)
}
