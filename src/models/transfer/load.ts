// Imports: rows of texts become records, all of them or none (spec/models-api.md section 9).

import { InvalidValue } from '../../errors.ts'
import { isInteger, present } from '../../kit/present.ts'
import type { Ids, ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { attempt } from './attempt.ts'
import { type Converted, convert, mostWantsOf, type Remark, wantsOf } from './convert.ts'
import { type Draft, type Layout, layoutOf, splitRows, textOf, textRows } from './layout.ts'
import { complete, Lookup, type Want } from './named-records.ts'
import { Progress, storeRows } from './store.ts'

/** A remark on the wire. Rows count from 0 and include those of child records. */
export interface Message {
  readonly type: 'error' | 'warning'
  readonly message: string
  readonly rows: { readonly from: number; readonly to: number }
  readonly record: number
  readonly field?: string
  readonly field_name?: string
  readonly moreinfo?: string | readonly string[]
}

/** `ids` in the order of the records; false if a message is an error, and then nothing is stored. */
export interface Loaded {
  readonly ids: Ids | false
  readonly messages: readonly Message[]
  readonly nextrow: number
}

/**
 * Imports rows. With `_import_limit` in the context it imports at most so many records: `nextrow` is
 * then the first row that is left, or 0. Clients import long lists by repeated calls from that row,
 * which show progress and keep transactions short. Throws InvalidValue for unknown columns and malformed
 * input, AccessError without the right to write.
 */
export async function importRows(
  env: Environment,
  model: ModelDef,
  header: unknown,
  data: unknown,
): Promise<Loaded> {
  const layout = layoutOf(env, model, header)
  const limit = limitOf(env)
  // The number of records is known only after all rows are split. Clients that import in parts send at
  // most one part too many.
  if (Array.isArray(data) && limit === null) env.unit.quota.reserve('records', data.length)
  const rows = textRows(data)
  if (rows.length === 0) return { ids: [], messages: [], nextrow: 0 }
  const drafts = splitRows(layout, rows)
  const part = drafts.slice(0, limit ?? drafts.length)
  const nextrow = drafts[part.length]?.from ?? 0
  const work = new Import(env, layout)
  return attempt(
    env,
    async () => ({ ...(await work.run(part)), nextrow }),
    (loaded) => loaded.ids !== false,
  )
}

/** Throws InvalidValue for other values than a number of records. */
function limitOf({ context }: Environment): number | null {
  const limit = context._import_limit
  if (limit === undefined || limit === null || limit === false || limit === 0) return null
  if (!isInteger(limit) || limit < 0) throw new InvalidValue('_import_limit must be a number of records.')
  return limit as number
}

/** Most records per batch: bounds the size of statements and their parameters. */
const TOGETHER = 1000

/** An import in progress: records are buffered until a later one needs them, and then stored in one batch. */
class Import {
  readonly layout: Layout
  readonly lookup: Lookup
  readonly ids: number[] = []
  readonly messages: Message[] = []
  readonly #models: ReadonlySet<ModelDef>
  readonly #progress = new Progress()
  #waiting: { readonly item: Converted; readonly record: number; readonly draft: Draft }[] = []
  /** External ids of buffered records, and existing records that they update. */
  #names = new Set<string>()
  #targets = new Set<number>()

  constructor(env: Environment, layout: Layout) {
    this.layout = layout
    this.lookup = new Lookup(env)
    this.#models = new Set(modelsOf(layout))
  }

  async run(drafts: readonly Draft[]): Promise<Loaded> {
    await this.lookup.learnLabels([...this.#models])
    const mostWants = drafts.reduce((sum, draft) => sum + mostWantsOf(draft), 0)
    this.lookup.env.unit.quota.charge('links', mostWants)
    const wants = drafts.map(wantsOf)
    await this.lookup.prepare(wants.flat())
    for (const [record, draft] of drafts.entries()) {
      await this.#await(present(wants[record]))
      if (this.#progress.isHopeless) break
      const item = convert(draft, this.lookup)
      const names = namesGiven(draft).map((name) => complete(this.lookup.env, name))
      const remarks = [...item.remarks, ...remarksOn(names)]
      for (const remark of remarks) this.#tell(remark, record, draft)
      if (remarks.some((remark) => remark.type === 'error')) continue
      // A record that occurs twice is updated twice, one after the other.
      if (item.target !== null && this.#targets.has(item.target)) await this.#store()
      this.#waiting.push({ item, record, draft })
      if (item.target !== null) this.#targets.add(item.target)
      for (const name of names) this.#names.add(name)
      if (this.#waiting.length >= TOGETHER) await this.#store()
    }
    if (!this.#progress.isHopeless) await this.#store()
    this.messages.sort((a, b) => a.record - b.record)
    if (this.#progress.isHopeless) this.#reportAborted()
    const failed = this.messages.some((message) => message.type === 'error')
    return { ids: failed ? false : this.ids, messages: this.messages, nextrow: 0 }
  }

  async #await(wants: readonly Want[]): Promise<void> {
    if (this.#waiting.length === 0) return
    const open = wants.filter((want) => this.lookup.find(want).length === 0)
    const named = open.some(
      (want) => want.by === 'id' && this.#names.has(complete(this.lookup.env, want.text)),
    )
    const byName = open.filter((want) => want.by === 'name' && this.#models.has(want.model))
    if (!named && byName.length === 0) return
    // A list in which each record refers to the previous one is stored record by record.
    this.lookup.env.unit.quota.charge('rounds', 1)
    await this.#store()
    await this.lookup.prepare(open)
  }

  async #store(): Promise<void> {
    const waiting = this.#waiting
    this.#waiting = []
    this.#names = new Set()
    this.#targets = new Set()
    const items = waiting.map(({ item }) => item)
    const outcomes = await storeRows(this.lookup, this.layout.model, items, this.#progress)
    for (const [i, { record, draft }] of waiting.entries()) {
      const outcome = outcomes[i]
      if (outcome && 'id' in outcome) this.ids.push(outcome.id)
      else if (outcome) this.#tell(outcome.remark, record, draft, false)
    }
  }

  #reportAborted(): void {
    const { rows, record } = present(this.messages.at(-1))
    this.messages.push({
      type: 'warning',
      message: 'Found more than 10 errors and more than one error per 10 records: the rest was not tried.',
      rows,
      record,
    })
  }

  #tell(
    { type, message, field, moreinfo }: Remark,
    record: number,
    { from, to }: Draft,
    labelled = true,
  ): void {
    this.messages.push({
      type,
      message,
      rows: { from, to },
      record,
      ...(field ? { field: field.name } : {}),
      ...(field && labelled ? { field_name: this.lookup.labels(field.model).label(field) } : {}),
      ...(moreinfo === undefined ? {} : { moreinfo }),
    })
  }
}

function modelsOf(layout: Layout): ModelDef[] {
  return [layout.model, ...layout.lines.flatMap((group) => modelsOf(group.layout))]
}

function remarksOn(names: readonly string[]): Remark[] {
  const times = new Map<string, number>()
  for (const name of names) times.set(name, (times.get(name) ?? 0) + 1)
  return [...times].flatMap(([name, count]): Remark[] => {
    if (!/^[^.]+\../.test(name))
      return [{ type: 'error', message: `The external ID '${name}' is incomplete: write it as module.name.` }]
    if (count === 1) return []
    return [
      {
        type: 'error',
        message: `The external ID '${name}' is given to more than one of the record and its lines.`,
      },
    ]
  })
}

function namesGiven(draft: Draft): string[] {
  const xmlid = textOf(draft, draft.layout.xmlid)
  return [...(xmlid ? [xmlid] : []), ...draft.lines.flat().flatMap(namesGiven)]
}
