// Records that the cells of an import name: by name, external id or database id, each kind asked for once a
// model.

import { join, sql } from '../../sql/index.ts'
import type { ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { leaf } from '../language/tree.ts'
import { loadPaths } from '../load/load.ts'
import { searchIds, searchQuery } from '../read/search.ts'
import { english, type Labels, labelsOf } from '../terms/labels.ts'
import { complete, type Target, targetsOf } from './external-ids.ts'
import type { NamedBy } from './layout.ts'

/** A record that a cell names. */
export interface Want {
  readonly by: NamedBy
  readonly model: ModelDef
  readonly text: string
}

/** Names whose search rule must be asked one by one, in one statement of so many. */
const CHUNK = 200
const INT32 = 2 ** 31
/** Records looked at, at most, for display names that are put together. */
const CANDIDATES = 5000
/** Separators of one display name, at most, at which it is taken apart. */
const SEPARATORS = 10

export class Lookup {
  readonly env: Environment
  readonly #xmlids = new Map<string, Target>()
  readonly #found = new Map<string, readonly number[]>()

  readonly #labels = new Map<ModelDef, Labels>()

  constructor(env: Environment) {
    this.env = env
  }

  /** Reads what the models' fields are called. */
  async learnLabels(models: readonly ModelDef[]): Promise<void> {
    for (const model of models) this.#labels.set(model, await labelsOf(this.env, model))
  }

  /** What the fields of a model are called; English for one whose labels were not learnt. */
  labels(model: ModelDef): Labels {
    return this.#labels.get(model) ?? english
  }

  /** Looks up what is not yet known. */
  async prepare(wants: readonly Want[]): Promise<void> {
    const open = wants.filter((want) => this.find(want).length === 0)
    const xmlids = open.filter((want) => want.by === 'id').map((want) => complete(this.env, want.text))
    for (const [xmlid, target] of await targetsOf(this.env, xmlids)) this.#xmlids.set(xmlid, target)
    for (const model of new Set(open.map((want) => want.model))) {
      const texts = (by: NamedBy) => [
        ...new Set(open.filter((want) => want.model === model && want.by === by).map((want) => want.text)),
      ]
      await this.#byId(model, texts('.id'))
      await this.#byName(model, texts('name'))
    }
  }

  /** Ids of the records named: none when there is none, several for an ambiguous name. */
  find(want: Want): readonly number[] {
    if (want.by !== 'id') return this.#found.get(key(want)) ?? []
    const target = this.owner(want.text)
    return target?.model === want.model.name ? [target.id] : []
  }

  /** The record of any model that bears an external id. */
  owner(xmlid: string): Target | undefined {
    return this.#xmlids.get(complete(this.env, xmlid))
  }

  /** An external id that was just entered. */
  learn(xmlid: string, target: Target): void {
    this.#xmlids.set(complete(this.env, xmlid), target)
  }

  async #byId(model: ModelDef, texts: readonly string[]): Promise<void> {
    const ids = texts.filter((text) => /^\d+$/.test(text) && Number(text) < INT32).map(Number)
    if (ids.length === 0) return
    const there = new Set(
      await searchIds(this.env.withContext({ active_test: false }), model, leaf(['id'], 'in', ids), {}),
    )
    for (const text of texts)
      if (there.has(Number(text))) this.#found.set(key({ by: '.id', model, text }), [Number(text)])
  }

  /**
   * Exact display names first, then what else the model's search by name finds (codes, logins), then display
   * names that it does not find as a whole because they are put together: `[code] name`.
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

  /**
   * Records whose display name is exactly one of `texts`, among the first `limit` that are found by `names`.
   */
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
    for (const [text, found] of exact) this.#found.set(key({ by: 'name', model, text }), found)
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
        const found = rows.filter((row) => row[0] === i).map((row) => row[1])
        if (found.length)
          this.#found.set(
            key({ by: 'name', model, text }),
            found.sort((a, b) => a - b),
          )
      }
    }
  }
}

/**
 * What a display name may be put together of, as `[code] name (variant)` and `number - bank` are: what stands
 * on both sides of each separator, as names hold separators of their own.
 */
const partsOf = (text: string): readonly string[] => {
  const separators = [...text.matchAll(/^\[|\]\s?|\s\(|\)$|,\s|:\s|\s-\s/g)].slice(0, SEPARATORS)
  const starts = [0, ...separators.map((one) => one.index + one[0].length)]
  const ends = [...separators.map((one) => one.index), text.length]
  return starts.flatMap((start, i) =>
    [text.slice(start), text.slice(0, ends[i]), text.slice(start, ends[i])].flatMap((part) => {
      const name = part.trim()
      return name === '' || name === text ? [] : [name]
    }),
  )
}

const key = ({ by, model, text }: Want) => `${model.name}/${by}/${text}`
