// Records that the cells of an import name: by display name, external id or database id, with one query
// per model and kind. External ids are stored by one statement, and generated if an export needs them.
import { randomBytes } from 'node:crypto'
import { AccessError } from '../../errors.ts'
import { idList, join, sql } from '../../sql/index.ts'
import type { Ids, ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { leaf } from '../language/tree.ts'
import { existing } from '../load/links.ts'
import { loadPaths } from '../load/load.ts'
import { searchIds, searchQuery } from '../read/search.ts'
import { english, type Labels, labelsOf } from '../terms/labels.ts'
import type { NamedBy } from './layout.ts'

interface ExternalId {
  readonly xmlid: string
  readonly noupdate: boolean
}

/** External ids of records, the oldest first. */
export async function externalIds(
  env: Environment,
  model: string,
  ids: Ids,
): Promise<Map<number, ExternalId[]>> {
  const idsByRecord = new Map<number, ExternalId[]>()
  if (ids.length === 0) return idsByRecord
  const rows = await env.query(
    sql`SELECT res_id, module || '.' || name, COALESCE(noupdate, false) FROM ir_model_data WHERE model = ${model} AND res_id = ANY(${idList(ids)}) ORDER BY id`,
  )
  for (const [record, xmlid, noupdate] of rows as [number, string, boolean][])
    idsByRecord.set(record, [...(idsByRecord.get(record) ?? []), { xmlid, noupdate }])
  return idsByRecord
}

export interface Target {
  readonly model: string
  readonly id: number
}

/**
 * Completes external ids of imports without a module: with the context's module, or the module of
 * imports (spec/models-api.md section 9).
 */
export function complete(env: Environment, xmlid: string): string {
  if (xmlid.includes('.')) return xmlid
  const { module } = env.context
  return `${typeof module === 'string' && module ? module : '__import__'}.${xmlid}`
}

export function splitExternalId(xmlid: string): { module: string; name: string } {
  const dot = xmlid.indexOf('.')
  return { module: xmlid.slice(0, dot), name: xmlid.slice(dot + 1) }
}

/** Records by complete external id, without deleted ones. One query, and one per model. */
export async function targetsOfExternalIds(
  env: Environment,
  xmlids: readonly string[],
): Promise<Map<string, Target>> {
  if (xmlids.length === 0) return new Map()
  const wanted = JSON.stringify([...new Set(xmlids)].map(splitExternalId))
  const rows = (await env.query(
    sql`SELECT d.module || '.' || d.name, d.model, d.res_id FROM jsonb_to_recordset(${wanted}::jsonb) AS x(module text, name text) JOIN ir_model_data d ON d.module = x.module AND d.name = x.name`,
  )) as readonly (readonly [string, string, number])[]
  const targets = new Map<string, Target>()
  for (const name of new Set(rows.map((row) => row[1]))) {
    const model = env.unit.registry.get(name)
    if (!model?.hasRows) continue
    const ofModel = rows.filter((row) => row[1] === name)
    const existingIds = new Set(
      await existing(
        env,
        model,
        ofModel.map((row) => row[2]),
      ),
    )
    for (const [xmlid, , id] of ofModel) if (existingIds.has(id)) targets.set(xmlid, { model: name, id })
  }
  return targets
}

/**
 * Stores external ids of records. The external id of a deleted record is reused. Throws AccessError for one
 * under the name of a module that the server has, whether or not it is installed: what the module installs
 * later would be this record. Administrators, who create external ids as records, may do so.
 */
export async function enter(
  env: Environment,
  model: ModelDef,
  records: readonly { readonly xmlid: string; readonly id: number }[],
): Promise<void> {
  if (records.length === 0) return
  const rows = JSON.stringify(records.map(({ xmlid, id }) => ({ ...splitExternalId(xmlid), id })))
  if (!env.su && !env.unit.rights.mayModel(env.user, env.def('ir.model.data'), 'create'))
    env.unit.buffer.check(
      sql`SELECT 1 FROM jsonb_to_recordset(${rows}::jsonb) AS x(module text) JOIN ir_module_module m ON m.name = x.module`,
      () =>
        new AccessError(
          'External IDs of a module are for administrators: choose another prefix, such as __import__.',
        ),
    )
  await env.query(sql`INSERT INTO ir_model_data (module, name, model, res_id, noupdate, create_uid, create_date, write_uid, write_date)
    SELECT x.module, x.name, ${model.name}, x.id, ${Boolean(env.context.noupdate)}::bool, ${env.uid}::int, now() AT TIME ZONE 'UTC', ${env.uid}::int, now() AT TIME ZONE 'UTC'
    FROM jsonb_to_recordset(${rows}::jsonb) AS x(module text, name text, id int)
    ON CONFLICT (module, name) DO UPDATE SET model = excluded.model, res_id = excluded.res_id, noupdate = excluded.noupdate`)
}

/** The first external id of each record. Records without one get a generated one, which is stored. */
export async function ensureExternalIds(
  env: Environment,
  model: ModelDef,
  ids: Ids,
): Promise<Map<number, string>> {
  const idsByRecord = await externalIds(env, model.name, ids)
  const nameless = [...new Set(ids)].filter((id) => !idsByRecord.has(id))
  const generated = nameless.map((id) => ({
    id,
    xmlid: `__export__.${model.table}_${id}_${randomBytes(4).toString('hex')}`,
  }))
  await enter(env, model, generated)
  const names = new Map(generated.map(({ id, xmlid }) => [id, xmlid]))
  for (const [id, [first]] of idsByRecord) if (first) names.set(id, first.xmlid)
  return names
}

export interface Want {
  readonly by: NamedBy
  readonly model: ModelDef
  readonly text: string
}

/** Names per statement, if each needs the model's search rule. */
const CHUNK = 200
const INT32 = 2 ** 31
/** Most records whose composed display names are compared. */
const CANDIDATES = 5000
const SEPARATORS = 10

export class Lookup {
  readonly env: Environment
  readonly #xmlids = new Map<string, Target>()
  readonly #found = new Map<string, Ids>()

  /** Records with an external id that record rules hide: no link names them. */
  readonly #hidden = new Map<ModelDef, ReadonlySet<number>>()
  readonly #labels = new Map<ModelDef, Labels>()

  constructor(env: Environment) {
    this.env = env
  }

  async learnLabels(models: readonly ModelDef[]): Promise<void> {
    for (const model of models) this.#labels.set(model, await labelsOf(this.env, model))
  }

  /** The labels of a model's fields; English if they were not loaded. */
  labels(model: ModelDef): Labels {
    return this.#labels.get(model) ?? english
  }

  async prepare(wants: readonly Want[]): Promise<void> {
    const open = wants.filter((want) => this.find(want).length === 0)
    const xmlids = open.filter((want) => want.by === 'id').map((want) => complete(this.env, want.text))
    const targets = await targetsOfExternalIds(this.env, xmlids)
    for (const [xmlid, target] of targets) this.#xmlids.set(xmlid, target)
    for (const model of new Set(open.map((want) => want.model))) {
      await this.#hide(model, [...targets.values()])
      const texts = (by: NamedBy) => [
        ...new Set(open.filter((want) => want.model === model && want.by === by).map((want) => want.text)),
      ]
      await this.#byId(model, texts('.id'))
      await this.#byName(model, texts('name'))
    }
  }

  /** Ids of the records with this name: none, one, or several for an ambiguous name. */
  find(want: Want): Ids {
    if (want.by !== 'id') return this.#found.get(key(want)) ?? []
    const target = this.owner(want.text)
    if (target?.model !== want.model.name || this.#hidden.get(want.model)?.has(target.id)) return []
    return [target.id]
  }

  owner(xmlid: string): Target | undefined {
    return this.#xmlids.get(complete(this.env, xmlid))
  }

  learn(xmlid: string, target: Target): void {
    this.#xmlids.set(complete(this.env, xmlid), target)
  }

  async #hide(model: ModelDef, targets: readonly Target[]): Promise<void> {
    const ids = targets.flatMap((target) => (target.model === model.name ? [target.id] : []))
    const { rights } = this.env.unit
    if (ids.length === 0 || this.env.su || !rights.mayModel(this.env.user, model, 'read')) return
    if (rights.rules(this.env, model, 'read') === null) return
    const visible = await this.#visible(model, ids)
    const hidden = ids.filter((id) => !visible.has(id))
    this.#hidden.set(model, new Set([...(this.#hidden.get(model) ?? []), ...hidden]))
  }

  async #visible(model: ModelDef, ids: readonly number[]): Promise<Set<number>> {
    const env = this.env.withContext({ active_test: false })
    return new Set(await searchIds(env, model, leaf(['id'], 'in', ids), {}))
  }

  async #byId(model: ModelDef, texts: readonly string[]): Promise<void> {
    const ids = texts.filter((text) => /^\d+$/.test(text) && Number(text) < INT32).map(Number)
    if (ids.length === 0) return
    const visible = await this.#visible(model, ids)
    for (const text of texts)
      if (visible.has(Number(text))) this.#found.set(key({ by: '.id', model, text }), [Number(text)])
  }

  /**
   * Exact display names first, then other results of the model's search by name (codes, logins), then
   * composed display names that this search does not match as a whole: `[code] name`.
   */
  async #byName(model: ModelDef, texts: readonly string[]): Promise<void> {
    if (texts.length === 0) return
    const missing = (all: readonly string[]) =>
      all.filter((text) => !this.#found.has(key({ by: 'name', model, text })))
    await this.#shown(model, texts, texts)
    const rest = missing(texts)
    if (rest.length) await this.#oneByOne(model, rest)
    const parts = [...new Set(missing(rest).flatMap(partsOf))]
    if (parts.length) await this.#shown(model, missing(rest), parts, CANDIDATES)
  }

  /** Records named exactly as one of `texts`, among the first `limit` of a search for `names`. */
  async #shown(
    model: ModelDef,
    texts: readonly string[],
    names: readonly string[],
    limit?: number,
  ): Promise<void> {
    const window = limit === undefined ? {} : { limit }
    const ids = await searchIds(this.env, model, leaf(['display_name'], 'in', names), window)
    const wanted = new Set(texts)
    const exact = new Map<string, number[]>()
    for (const { id, display_name } of await loadPaths(this.env.sudo(), model, ids, ['display_name'])) {
      const name = String(display_name)
      if (wanted.has(name)) exact.set(name, [...(exact.get(name) ?? []), id])
    }
    for (const [text, matches] of exact) this.#found.set(key({ by: 'name', model, text }), matches)
  }

  async #oneByOne(model: ModelDef, texts: readonly string[]): Promise<void> {
    for (let start = 0; start < texts.length; start += CHUNK) {
      const chunk = texts.slice(start, start + CHUNK)
      const queries = []
      for (const [i, text] of chunk.entries()) {
        const { scope, where } = await searchQuery(this.env, model, leaf(['display_name'], '=', text))
        queries.push(sql`SELECT ${i}::int, ${scope.id} FROM ${scope.from()} WHERE ${where}`)
      }
      const rows = (await this.env.query(sql`${join(queries, ' UNION ALL ')}`)) as readonly (readonly [
        number,
        number,
      ])[]
      for (const [i, text] of chunk.entries()) {
        const matches = rows.filter((row) => row[0] === i).map((row) => row[1])
        if (matches.length)
          this.#found.set(
            key({ by: 'name', model, text }),
            matches.sort((a, b) => a - b),
          )
      }
    }
  }
}

/**
 * The possible parts of composed display names such as `[code] name (variant)` and `number - bank`: the
 * texts on both sides of each separator, because names contain separators too.
 */
const partsOf = (text: string): readonly string[] => {
  const separators = [...text.matchAll(/^\[|\]\s?|\s\(|\)$|,\s|:\s|\s-\s/g)].slice(0, SEPARATORS)
  const starts = [0, ...separators.map((separator) => separator.index + separator[0].length)]
  const ends = [...separators.map((separator) => separator.index), text.length]
  return starts.flatMap((start, i) =>
    [text.slice(start), text.slice(0, ends[i]), text.slice(start, ends[i])].flatMap((part) => {
      const name = part.trim()
      return name === '' || name === text ? [] : [name]
    }),
  )
}

const key = ({ by, model, text }: Want) => `${model.name}/${by}/${text}`
