// Catalogued records: those that mirror what modules declare (models, fields, options of selections),
// and custom ones created over the API. Declared ones cannot be edited; custom ones can be changed and
// removed (spec/models-api.md section 10, "Made models").
import { claimModels, manualChanged } from '#engine'
import type { Environment, ModelName } from '#models'
import { id, idList, sql } from '../../../sql/index.ts'
import { givenVals } from '../caller-arguments.ts'

export interface Any {
  readonly env: Environment
  readonly name: ModelName
  readonly ids: readonly number[]
}
type Run<R> = (records: R, params: Record<string, unknown>) => Promise<unknown>
type Wrap = <R extends Any>(next: Run<R>) => Run<R>
type Vals = Record<string, unknown>

export interface Mirror {
  /** Fields of declared records that cannot be written. */
  readonly frozen: readonly string[]
  /** Fields of made ones that stay what they were. */
  readonly settled: readonly string[]
  /** SQL condition for made ones, over the alias `t`. */
  readonly made: ReturnType<typeof sql>
  /** Models that the condition reads in addition to its own. */
  readonly reads: readonly ModelName[]
  readonly refuse: () => Error
  /** Values to create made ones with. */
  prepare(env: Environment, list: readonly Vals[]): Promise<readonly Vals[]>
  /** Values to write on made ones. */
  prepareWrite?(env: Environment, vals: Vals, ids: readonly number[]): Promise<Vals>
  /** Before made ones are removed. */
  beforeUnlink?(env: Environment, ids: readonly number[]): Promise<void>
}

/**
 * Wraps of a mirror's generic methods. Callers without any right get that error first. The installer
 * fills these tables itself and bypasses the wraps.
 */
export function mirrored(mirror: Mirror): Record<'create' | 'write' | 'unlink', Wrap> {
  return {
    create: (next) => async (records, params) => {
      assertRight(records, 'create')
      await claimModels(records.env)
      const list = givenVals(params.vals_list)
      records.env.unit.quota.charge('definitions', list.length)
      const vals = await mirror.prepare(records.env, list)
      const created = await next(records, { ...params, vals_list: vals })
      manualChanged(records.env)
      return created
    },
    write: (next) => async (records, params) => {
      assertRight(records, 'write')
      const vals = params.vals
      if (!records.ids.length || typeof vals !== 'object' || vals === null) return next(records, params)
      await claimModels(records.env)
      const customIds = await madeOnes(records, mirror)
      const values = vals as Vals
      if (customIds.length < new Set(records.ids).size && mirror.frozen.some((name) => name in values))
        throw mirror.refuse()
      if (customIds.length && (await changes(records, mirror.settled, customIds, values)))
        throw mirror.refuse()
      const ready =
        customIds.length && mirror.prepareWrite
          ? await mirror.prepareWrite(records.env, values, customIds)
          : values
      const result = await next(records, { ...params, vals: ready })
      manualChanged(records.env)
      return result
    },
    unlink: (next) => async (records, params) => {
      assertRight(records, 'unlink')
      if (records.ids.length === 0) return next(records, params)
      records.env.unit.quota.charge('definitions', new Set(records.ids).size)
      await claimModels(records.env)
      const customIds = await madeOnes(records, mirror)
      if (customIds.length < new Set(await existingIds(records)).size) throw mirror.refuse()
      await mirror.beforeUnlink?.(records.env, customIds)
      const result = await next(records, params)
      manualChanged(records.env)
      return result
    },
  }
}

async function madeOnes({ env, name, ids }: Any, mirror: Mirror): Promise<number[]> {
  const rows = await env.rows(
    sql`SELECT t."id" FROM ${id(env.def(name).table)} t WHERE t."id" = ANY(${idList([...ids])}) AND ${mirror.made}`,
    { reads: [name, ...mirror.reads], row: ['int'] },
  )
  return rows.map((row) => row[0])
}

async function existingIds({ env, name, ids }: Any): Promise<number[]> {
  const rows = await env.rows(
    sql`SELECT t."id" FROM ${id(env.def(name).table)} t WHERE t."id" = ANY(${idList([...ids])})`,
    { reads: [name], row: ['int'] },
  )
  return rows.map((row) => row[0])
}

/** Whether a settled field would get another value; the one it has may be given again. */
async function changes(
  { env, name }: Any,
  settled: readonly string[],
  ids: readonly number[],
  vals: Vals,
): Promise<boolean> {
  const settledNames = settled.filter((field) => field in vals)
  for (const field of settledNames) {
    const value = vals[field] === false || vals[field] === null ? null : String(vals[field])
    const table = id(env.def(name).table)
    const [row] = await env.rows(
      sql`SELECT EXISTS (SELECT FROM ${table} t WHERE t."id" = ANY(${idList([...ids])}) AND COALESCE(t.${id(field)}::text, '') <> COALESCE(${value}::text, ''))`,
      { reads: [name], row: ['bool'] },
    )
    if (row?.[0]) return true
  }
  return false
}

function assertRight({ env, name }: Any, operation: 'create' | 'write' | 'unlink'): void {
  const def = env.def(name)
  if (!env.su && !env.unit.rights.mayModel(env.user, def, operation))
    throw env.unit.rights.refusal(env.user, def, operation)
}
