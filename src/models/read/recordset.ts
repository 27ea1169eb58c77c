// Recordsets: records of one model in one environment. Each model has a class of its own, with its methods on
// the prototype.
import { InvalidValue } from '../../errors.ts'
import { prefetchFor } from '../compute/prefetch.ts'
import { parseDomain } from '../domain/index.ts'
import type { Ids, LooseRecords, MethodDef, ModelDef, RecordsetClass } from '../language/definitions.ts'
import type { Context, Environment } from '../language/environment.ts'
import type { SearchOptions } from '../language/records.ts'
import { existing } from '../load/links.ts'
import { loadPaths } from '../load/load.ts'
import { missingRecordsError } from '../rights/judge.ts'
import { indirect, recordsOf } from '../unit/environment.ts'
import { filterIds } from './filter.ts'
import { Rendered } from './rendered.ts'
import { searchIds } from './search.ts'

/** The engine's own view of a recordset; module authors see `Records<N>` (types.ts). */
export class RecordsetBase implements LooseRecords {
  // Set by the constructor alone: each class of records would define them first.
  declare readonly env: Environment
  declare readonly def: ModelDef
  declare readonly ids: Ids

  constructor(env: Environment, def: ModelDef, ids: Ids) {
    this.env = env
    this.def = def
    this.ids = ids
  }

  get length(): number {
    return this.ids.length
  }

  get name(): string {
    return this.def.name
  }

  *[Symbol.iterator](): Iterator<LooseRecords> {
    for (const id of this.ids) yield recordsOf(this.env, this.def, [id])
  }

  browse(ids: Ids): LooseRecords {
    return recordsOf(this.env, this.def, ids)
  }

  load(paths: readonly string[]): Promise<Record<string, unknown>[]> {
    return loadPaths(this.env, this.def, this.ids, paths)
  }

  prefetch(paths: readonly string[], changing?: readonly string[]): Promise<void> {
    return prefetchFor(this.env, this.def, this.ids, paths, changing)
  }

  emit(event: string): void {
    if (!this.def.options.events?.[event]) throw new Error(`${this.def.name} declares no event ${event}.`)
    if (this.ids.length)
      this.env.unit.changes?.emit(this.env.user.id, this.def.name, `${this.def.name}.${event}`, this.ids)
  }

  async one(paths: readonly string[]): Promise<Record<string, unknown>> {
    this.ensureOne()
    const [record] = await this.load(paths)
    if (!record) throw missingRecordsError(this.def, this.ids)
    return record
  }

  async search(domain: readonly unknown[], options: SearchOptions = {}): Promise<LooseRecords> {
    return this.browse(await searchIds(this.env, this.def, parseDomain(domain), options))
  }

  searchCount(domain: readonly unknown[], limit: number | null = null): Promise<number> {
    return this.invoke('search_count', { domain, limit }) as Promise<number>
  }

  async create(vals: readonly Record<string, unknown>[]): Promise<LooseRecords> {
    return (await byCode(this, []).invoke('create', { vals_list: vals })) as LooseRecords
  }

  async write(vals: Record<string, unknown>): Promise<void> {
    await byCode(this, this.ids).invoke('write', { vals })
  }

  async writeEach(values: ReadonlyMap<number, Record<string, unknown>>): Promise<void> {
    const alike = Map.groupBy(values, ([, vals]) => vals)
    const changes = [...alike].map(([vals, same]) => ({ ids: same.map(([id]) => id), vals }))
    await this.env.unit.registry.engine.writeEach(indirect(this.env), this.def, changes)
  }

  async unlink(): Promise<void> {
    await byCode(this, this.ids).invoke('unlink', {})
  }

  async copy(overrides: Record<string, unknown> | null = null): Promise<LooseRecords> {
    return (await byCode(this, this.ids).invoke('copy', { default: overrides })) as LooseRecords
  }

  async filtered(domain: readonly unknown[]): Promise<LooseRecords> {
    return this.browse(await filterIds(this.env, this.def, this.ids, parseDomain(domain)))
  }

  async exists(): Promise<LooseRecords> {
    return this.browse(await existing(this.env, this.def, this.ids))
  }

  read(
    fields: readonly string[] | null = null,
    load: string | null = '_classic_read',
  ): Promise<Record<string, unknown>[]> {
    return this.invoke('read', { fields, load }).then((rows) =>
      rows instanceof Rendered
        ? (JSON.parse(rows.json) as Record<string, unknown>[])
        : (rows as Record<string, unknown>[]),
    )
  }

  union(other: LooseRecords): LooseRecords {
    return this.browse([...new Set([...this.ids, ...other.ids])])
  }

  sudo(): LooseRecords {
    return recordsOf(this.env.sudo(), this.def, this.ids)
  }

  withContext(context: Context): LooseRecords {
    return recordsOf(this.env.withContext(context), this.def, this.ids)
  }

  ensureOne(): number {
    const [only, ...more] = this.ids
    if (only === undefined || more.length)
      throw new InvalidValue(`Expected one record of ${this.def.name}, got ${this.ids.length}.`)
    return only
  }

  async invoke(name: string, params: Record<string, unknown>): Promise<unknown> {
    const method = this.def.methods.get(name)
    if (!method) throw new Error(`${this.def.name} has no method ${name}.`)
    return method.run(this as never, withDefaultParams(method, params))
  }
}

/** As code creates, writes and removes: what callers of the API ask for goes by `invoke`. */
const byCode = ({ env, def }: LooseRecords, ids: Ids): LooseRecords => recordsOf(indirect(env), def, ids)

export function withDefaultParams(
  method: MethodDef,
  params: Record<string, unknown>,
): Record<string, unknown> {
  const bound: Record<string, unknown> = {}
  for (const [name, param] of Object.entries(method.params))
    bound[name] = name in params ? params[name] : param.default
  return bound
}

function recordsetClass(def: ModelDef): RecordsetClass {
  const Class = class extends RecordsetBase {}
  for (const name of def.methods.keys()) {
    if (name in RecordsetBase.prototype) continue
    Object.defineProperty(Class.prototype, name, {
      value(this: RecordsetBase, params: Record<string, unknown> = {}) {
        return this.invoke(name, params)
      },
    })
  }
  return Class
}

export function recordsets(model: () => ModelDef): () => RecordsetClass {
  let Recordset: RecordsetClass | undefined
  return () => {
    Recordset ??= recordsetClass(model())
    return Recordset
  }
}
