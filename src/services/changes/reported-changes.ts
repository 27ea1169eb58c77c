// Changes as a page has them: each record in its current state, or every change without values, and declared
// events; within the caller's rights.
import { present } from '../../kit/present.ts'
import { parseDomain } from '../../models/domain/parse.ts'
import type { FieldDef } from '../../models/language/definitions.ts'
import { type Environment, NO_PREFERENCES } from '../../models/language/environment.ts'
import { eachLeaf } from '../../models/language/tree.ts'
import { BETWEEN, elementsOf, Listed, Rendered } from '../../models/read/rendered.ts'
import { limitOfShort } from '../../models/read/short/form.ts'
import { recordsOf } from '../../models/unit/environment.ts'
import { declaredNames, isNotStored } from './computed-fields.ts'
import type { Followed, Place, Question } from './question.ts'
import { delegateChanges, type Item } from './rows.ts'
import { visibleBefore } from './visibility.ts'

/** A change in an answer. */
export interface ReportedChange {
  readonly model: string
  readonly id: number
  readonly op: 'upsert' | 'remove' | 'event'
  readonly event?: string | undefined
  readonly seq?: number | undefined
  /** Names of fields, as JSON. */
  readonly fields?: string | undefined
  /** As JSON: what PostgreSQL made of a record is passed on as it came. */
  readonly values?: string | undefined
}

/** A change as JSON. Names of models and events have nothing that JSON would write otherwise. */
export function textOf({ model, id, op, event, seq, fields, values }: ReportedChange): string {
  let text = `{"model":"${model}","id":${id},"op":"${op}"`
  if (event !== undefined) text += `,"event":"${event}"`
  if (seq !== undefined) text += `,"seq":"${seq}"`
  if (fields !== undefined) text += `,"fields":${fields}`
  if (values !== undefined) text += `,"values":${values}`
  return `${text}}`
}

type At = Extract<Place, { phase: 'changes' }>

/** With its place, to be put in order by. */
export interface Placed {
  readonly change: ReportedChange
  readonly at: At
}

/** Rows as JSON, by their ids. */
type Values = ReadonlyMap<number, string>

/** Compares positions in the changes, for sorting. */
export const inOrder = (a: At, b: At) =>
  a.seq - b.seq || a.n - b.n || a.k - b.k || a.model - b.model || a.id - b.id

/** Values of a record in an answer: none if no fields are wanted. */
export const valued = ({ fields }: Followed, values: string): string | undefined =>
  fields?.length === 0 ? undefined : values

/** Rows of the caller's, by id, in its order. */
export async function read(
  env: Environment,
  { model, fields, domain, form }: Followed,
  more: readonly unknown[],
  limit: number | null = null,
): Promise<Values> {
  const names = fields === null ? ['display_name'] : fields.map(({ name }) => name)
  const params = { domain: [...more, ...domain], fields: names.length ? names : ['id'], order: 'id', limit }
  if (form) env.unit.answer.keepPreferences({ ...NO_PREFERENCES, typed: form })
  return textsOf(await recordsOf(env, model, []).invoke('search_read', params))
}

type Row = Readonly<Record<string, unknown>> & { readonly id: number }

/** Rows as JSON, by their ids: as they came, however their list was made. */
export function textsOf(list: unknown): Values {
  const rows = list instanceof Rendered ? null : (list as readonly Row[])
  if (rows) return new Map(rows.map((row) => [row.id, JSON.stringify(row)]))
  const { json } = list as Rendered
  const count = list instanceof Listed ? list.count : null
  return new Map(partsOf(json, count).map((text) => [idIn(text), text]))
}

/** The texts of the rows of a list; `count` is null where their number is unknown. */
function partsOf(json: string, count: number | null): string[] {
  const texts = json.slice(1, -1).split(BETWEEN)
  const isPlain = !texts.some((text) => text.includes('\n'))
  if (isPlain && texts.length === (count ?? (JSON.parse(json) as Row[]).length)) return texts
  // Lists within rows may be parted in the same manner, and others make lists otherwise. A stream takes a
  // line for each.
  return elementsOf(json).map((text) => text.replaceAll('\n', ' '))
}

/** The id stands first. */
const idIn = (text: string): number =>
  text.startsWith('{"id":') ? Number.parseInt(text.slice(6, 20), 10) : (JSON.parse(text) as Row).id

/** Changes for the answer to a question, in order. */
export async function describeChanges(
  env: Environment,
  question: Question,
  items: readonly Item[],
): Promise<Placed[]> {
  const parts: Placed[] = []
  for (const [place, followed] of question.models.entries()) {
    const { model } = followed
    const modelItems = items.filter((item) => item.model === model && item.op !== 'e')
    if (model.inherits.size) modelItems.push(...(await delegateChanges(env, model, items)))
    const relevant = modelItems.filter(concerns(env, followed))
    if (relevant.length === 0) continue
    const form = question.compact ? compactly : each
    parts.push(...(await form(env, { ...followed, place }, relevant)))
  }
  parts.push(...(await happened(env, question, items)))
  return parts.sort((a, b) => inOrder(a.at, b.at))
}

/** A model of a question with its place in it. */
type Placeable = Followed & { readonly place: number }

/** The position after a record's change. */
const behind = ({ seq, n, k, id }: Item, model: number): At => ({ phase: 'changes', seq, n, k, model, id })

/** `make`, run once for each list of names: most changes of a page share one (rows.ts). */
function perNames<T>(make: (names: readonly string[]) => T): (names: readonly string[]) => T {
  const cache = new Map<readonly string[], { readonly value: T }>()
  return (names) => {
    const entry = cache.get(names) ?? { value: make(names) }
    cache.set(names, entry)
    return entry.value
  }
}

/**
 * Returns whether a change may matter: it is of a requested field that the caller may see, of one that the
 * domain or a rule reads, or of any that they may see where values or conditions are computed.
 */
function concerns(env: Environment, followed: Followed): (item: Item) => boolean {
  const { model, fields, domain } = followed
  const decide = new Set((env.unit.rights.ruled(model) ?? []).map(({ name }) => name))
  if (model.active) decide.add(model.active.name)
  const [words, conditions] = [JSON.stringify(domain), conditionsOf(followed)]
  for (const { name } of conditions) decide.add(name)
  const all =
    !fields?.length ||
    fields.some((field) => !field.inherited && (!field.column || field.related)) ||
    [...fields, ...conditions].some(isNotStored)
  const matters = perNames((changed) =>
    changed.some((name) => {
      if (decide.has(name) || words.includes(name)) return true
      const field = model.fields.get(name)
      return field !== undefined && sees(env, field) && (all || fields.includes(field))
    }),
  )
  return ({ op, fields: changed }) => op !== 'u' || changed.length === 0 || matters(changed)
}

const HIERARCHICAL: ReadonlySet<string> = new Set(['child_of', 'parent_of'])

/** Fields of the model that the domain's conditions begin with: of places in a tree, what leads upwards. */
function conditionsOf({ model, domain }: Followed): FieldDef[] {
  const fields = new Set<FieldDef>()
  eachLeaf(parseDomain(domain), (condition) => {
    const [first = ''] = condition.path
    const name = first === 'id' && HIERARCHICAL.has(condition.operator) ? (model.parent ?? first) : first
    const field = model.fields.get(name)
    if (field) fields.add(field)
    return condition
  })
  return [...fields]
}

const sees = (env: Environment, field: FieldDef) => env.unit.rights.mayField(env.user, field)

/**
 * Gives those of changed fields that the caller sees and wants, as JSON, and those that are asked for, are
 * kept nowhere and follow from them; undefined for none.
 */
function visibleTo(env: Environment, { model, fields }: Followed) {
  const reckoned = (fields ?? [])
    .filter(isNotStored)
    .map((field) => ({ name: field.name, by: declaredNames(field) }))
  return perNames((changed) => {
    const visible = changed.filter((name) => {
      const field = model.fields.get(name)
      return field && sees(env, field) && (!fields?.length || fields.includes(field))
    })
    const more = reckoned.filter(({ by }) => changed.some((name) => by.has(name)))
    const names = [...new Set([...visible, ...more.map(({ name }) => name)])]
    return names.length ? JSON.stringify(names) : undefined
  })
}

const NONE: ReadonlySet<number> = new Set()

/** Each record once, as it is now. */
async function compactly(env: Environment, followed: Placeable, items: readonly Item[]): Promise<Placed[]> {
  const byId = Map.groupBy(items, ({ id }) => id)
  const lives = [...byId].flatMap(([id, of]) => (of.some(({ op }) => op === 'd') ? [] : [id]))
  const rows: Values = lives.length
    ? await read(env, followed, [['id', 'in', lives]], limitOfShort(lives.length))
    : new Map()
  const lost = [...byId.keys()].filter((id) => !rows.has(id))
  const seen = lost.length ? await visibleBefore(env, followed.model, lost, txsOf(items)) : NONE
  const visible = visibleTo(env, followed)
  const model = followed.model.name
  const placed: Placed[] = []
  for (const [id, of] of byId) {
    const row = rows.get(id)
    if (!row && !seen.has(id)) continue
    const at = lastOf(of, followed.place)
    const isNew = !row || of.some(({ op }) => op === 'c')
    const fields = isNew ? undefined : visible(of.length === 1 ? present(of[0]).fields : fieldsOf(of))
    const values = row && valued(followed, row)
    placed.push({
      change: { model, id, op: row ? 'upsert' : 'remove', seq: at.seq, fields, values },
      at,
    })
  }
  return placed
}

const fieldsOf = (items: readonly Item[]) => items.flatMap(({ fields }) => fields)

/** The position after the last of a record's changes. */
function lastOf(items: readonly Item[], place: number): At {
  let last = behind(present(items[0]), place)
  for (const item of items.slice(1)) {
    const position = behind(item, place)
    if (inOrder(position, last) > 0) last = position
  }
  return last
}

/** Every change, without values. */
async function each(env: Environment, followed: Placeable, items: readonly Item[]): Promise<Placed[]> {
  const seen = await visibleBefore(env, followed.model, [...new Set(items.map(({ id }) => id))], txsOf(items))
  const visible = visibleTo(env, followed)
  const model = followed.model.name
  return items
    .filter(({ id }) => seen.has(id))
    .map((item) => ({
      change: {
        model,
        id: item.id,
        op: item.op === 'd' ? 'remove' : 'upsert',
        seq: item.seq,
        fields: visible(item.fields) ?? '[]',
      },
      at: behind(item, followed.place),
    }))
}

const txsOf = (items: readonly Item[]) => [...new Set(items.map(({ tx }) => tx))]

/** Events of records that the caller may see now, with the fields that the contract names. */
async function happened(env: Environment, { events, models, form }: Question, items: readonly Item[]) {
  const wanted = items.filter(({ op, event }) => op === 'e' && event !== null && events.has(event))
  const placed: Placed[] = []
  const names = [...events.keys()]
  for (const [event, of] of Map.groupBy(wanted, (item) => present(item.event))) {
    const place = models.length + names.indexOf(event)
    const model = present(events.get(event))
    const named = model.options.events?.[event.slice(model.name.length + 1)]?.fields ?? []
    const fields = named.flatMap((name) => model.fields.get(name) ?? []).filter((field) => sees(env, field))
    const domain = models.find((followed) => followed.model === model)?.domain ?? []
    const rows = await read(env.withContext({ active_test: false }), { model, fields, domain, form }, [
      ['id', 'in', [...new Set(of.map(({ id }) => id))]],
    ])
    for (const item of of) {
      const { id, seq } = item
      const values = rows.get(id)
      if (!values) continue
      const change = { model: model.name, id, op: 'event', event, seq, values } as const
      placed.push({ change, at: behind(item, place) })
    }
  }
  return placed
}
