// Base of the commands on one2many and many2many fields: commands of one kind are run as a set.
import type { Change, Ids, LooseRecords, LooseVals, ModelDef, X2manyDef } from '../../language/definitions.ts'
import type { Environment } from '../../language/environment.ts'
import { existing } from '../../load/links.ts'
import { missingRecordsError } from '../../rights/judge.ts'
import { guardRecords } from '../../row/access.ts'
import { recordsOf } from '../../unit/environment.ts'
import type { Parsed } from './parse.ts'

export interface Item {
  readonly command: Parsed
  readonly owners: Ids
}

/** A line that is to be made for each of its owners. */
export interface Making {
  readonly vals: Record<string, unknown>
  readonly owners: Ids
}

export abstract class Worker<F extends X2manyDef = X2manyDef> {
  readonly env: Environment
  readonly field: F
  readonly comodel: ModelDef

  constructor(env: Environment, field: F) {
    this.env = env.withContext({ ...stripDefaults(env), ...field.options.context })
    this.field = field
    this.comodel = field.comodel
  }

  async carryOut(code: number, items: readonly Item[], empty: boolean): Promise<void> {
    if (items.length === 0) return
    const idOf = ({ command }: Item) => ('id' in command ? command.id : 0)
    const pairs = items.flatMap((item) => item.owners.map((owner) => ({ owner, line: idOf(item) })))
    if (code === 0)
      return this.make(
        items.map(({ command, owners }) => ({ vals: 'vals' in command ? command.vals : {}, owners })),
      )
    if (code === 1)
      return this.change(
        items.map((item) => ({ ids: [idOf(item)], vals: 'vals' in item.command ? item.command.vals : {} })),
      )
    if (code === 2) return this.remove([...new Set(items.map(idOf))])
    if (code === 3) return this.detach(pairs)
    if (code === 4) return this.attach(pairs)
    const wanted = new Map(
      items.flatMap(({ command, owners }) =>
        owners.map((owner) => [owner, 'ids' in command ? command.ids : []] as const),
      ),
    )
    if (!empty) return this.replace(wanted)
    const first = [...wanted].flatMap(([owner, lines]) => lines.map((line) => ({ owner, line })))
    if (first.length) await this.attach(first)
  }

  async change(changes: readonly Change[]): Promise<void> {
    const lines = changes.flatMap(({ ids }) => ids)
    await guardRecords(this.env, this.comodel, lines, 'write', () =>
      missingRecordsError(this.comodel, lines.length === 1 ? lines : []),
    )
    await this.env.unit.registry.engine.writeEach(this.env, this.comodel, changes)
  }

  async remove(lines: Ids): Promise<void> {
    const existingLines = await existing(this.env, this.comodel, lines)
    if (existingLines.length) await unlinkByCaller(this.env, this.comodel, existingLines)
  }

  abstract make(items: readonly Making[]): Promise<void>
  abstract attach(pairs: readonly Pair[]): Promise<void>
  abstract detach(pairs: readonly Pair[]): Promise<void>
  abstract replace(wanted: ReadonlyMap<number, Ids>): Promise<void>
}

export interface Pair {
  readonly owner: number
  readonly line: number
}

/** `default_*` keys are meant for the outer records. */
function stripDefaults(env: Environment): Record<string, unknown> {
  return Object.fromEntries(
    Object.keys(env.context).flatMap((key) => (key.startsWith('default_') ? [[key, undefined]] : [])),
  )
}

export function unwantedPairs(pairs: Iterable<Pair>, wanted: ReadonlyMap<number, Ids>): Pair[] {
  const kept = new Map([...wanted].map(([owner, lines]) => [owner, new Set(lines)]))
  return [...pairs].filter(({ owner, line }) => !kept.get(owner)?.has(line))
}

// Records that a caller creates or removes, with all overrides of modules: unlike records that code
// creates by a recordset, they are authorized by what users may write.

/** Returns ids in the order of `list`. */
export async function createByCaller(
  env: Environment,
  model: ModelDef,
  list: readonly LooseVals[],
): Promise<Ids> {
  if (list.length === 0) return []
  const records = await recordsOf(env, model, []).invoke('create', { vals_list: list })
  return (records as LooseRecords).ids
}

export async function unlinkByCaller(env: Environment, model: ModelDef, ids: Ids): Promise<void> {
  await recordsOf(env, model, ids).invoke('unlink', {})
}
