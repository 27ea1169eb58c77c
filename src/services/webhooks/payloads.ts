// Payloads of changes: made with the rights of each endpoint's user, with current values. One search and one
// read per user and model.

import { everyModels, matchesPatterns } from '../../kit/event-patterns.ts'
import { isTracked } from '../../models/changes/log.ts'
import type { FieldDef, ModelDef } from '../../models/language/definitions.ts'
import { type Environment, NO_PREFERENCES } from '../../models/language/environment.ts'
import { comodelOf, fieldOf } from '../../models/language/field-options.ts'
import { Rendered } from '../../models/read/rendered.ts'
import { recordsOf } from '../../models/unit/environment.ts'
import { idList, id as name, sql } from '../../sql/index.ts'
import { changingNames } from '../changes/computed-fields.ts'
import { delegateChanges, type Item } from '../changes/rows.ts'
import { visibleBefore } from '../changes/visibility.ts'
import type { Endpoint, NewDelivery } from './rows.ts'

/** Bytes of a body with values. */
const MOST_BYTES = 20_000

export interface Facts {
  /** Position → when it was committed. */
  readonly times: ReadonlyMap<number, string>
  /** Of the database. */
  readonly name: string
  /** Whether values are too long to be read: payloads are then sent without, and say so. */
  readonly thin?: boolean
}

/** An event of a record, for one endpoint. */
interface Happened {
  readonly item: Item
  readonly event: string
  readonly endpoint: Endpoint
}

type Values = Readonly<Record<string, unknown>>

/** Deliveries for changes, in the order of their commits. */
export async function deliveriesFor(
  env: Environment,
  endpoints: readonly Endpoint[],
  items: readonly Item[],
  facts: Facts,
): Promise<NewDelivery[]> {
  const deliveries: { readonly item: Item; readonly delivery: NewDelivery }[] = []
  const isModel = (text: string) => env.unit.registry.get(text) !== undefined
  const listening = endpoints.map((endpoint) => ({
    endpoint,
    means: matchesPatterns(endpoint.events, isModel),
  }))
  for (const [uid, theirs] of Map.groupBy(listening, ({ endpoint }) => endpoint.user)) {
    const as = (await env.asUser(uid)).withContext({ active_test: false })
    for (const model of candidates(env, items)) {
      const wanted = theirs.filter(({ means }) =>
        eventsOf(model).some((event) => means({ model: model.name, event })),
      )
      if (wanted.length === 0 || !(as.su || as.unit.rights.mayModel(as.user, model, 'read'))) continue
      const modelItems = await itemsFor(as, model, items)
      const events = modelItems.flatMap((item): Happened[] =>
        wanted.flatMap(({ endpoint, means }) => {
          const event = eventOf(item)
          const isMeant = item.seq > endpoint.begins && means({ model: model.name, event })
          return isMeant && concerns(endpoint, item, model) ? [{ item, event, endpoint }] : []
        }),
      )
      if (events.length) deliveries.push(...(await deliveriesOf(as, model, events, facts)))
    }
  }
  const before = (a: Item, b: Item) => a.seq - b.seq || a.n - b.n || a.k - b.k
  return deliveries.sort((a, b) => before(a.item, b.item)).map(({ delivery }) => delivery)
}

/** Models that changes may concern: their own, and those that show fields of the changed ones. */
function candidates(env: Environment, items: readonly Item[]): ModelDef[] {
  const changed = new Set(items.map(({ model }) => model))
  return [...env.unit.registry.models.values()].filter(
    (model) =>
      isTracked(model) &&
      (changed.has(model) ||
        [...model.inherits.values()].some((via) => changed.has(comodelOf(fieldOf(model, via))))),
  )
}

const eventsOf = (model: ModelDef) => [...everyModels, ...Object.keys(model.options.events ?? {})]

function eventOf({ op, event, model }: Item): string {
  if (op === 'e') return (event ?? '').slice(model.name.length + 1)
  return op === 'c' ? 'created' : op === 'd' ? 'deleted' : 'updated'
}

/** Changes of a model and of its delegates, without those of which the user sees no field. */
async function itemsFor(as: Environment, model: ModelDef, items: readonly Item[]): Promise<Item[]> {
  const modelItems = [
    ...items.filter((item) => item.model === model),
    ...(await delegateChanges(as, model, items)).map((item) => ({ ...item, through: true })),
  ]
  return modelItems.flatMap((item) => {
    if (item.op !== 'u' || item.fields.length === 0) return [item]
    const fields = item.fields.filter((fieldName) => {
      const field = model.fields.get(fieldName)
      return field && sees(as, field)
    })
    return fields.length ? [{ ...item, fields }] : []
  })
}

const sees = (env: Environment, field: FieldDef) =>
  !field.options.hidden && (env.su || env.unit.rights.mayField(env.user, field))

/** Whether one of the fields changed that an endpoint waits for, or may have: what it follows from did. */
function concerns({ changed }: Endpoint, { op, fields }: Item, model: ModelDef): boolean {
  const wanted = changed[model.name]
  if (op !== 'u' || !wanted?.length) return true
  return wanted.some((name) => {
    const field = model.fields.get(name)
    const by = field ? changingNames(field) : new Set([name])
    return by === null || fields.some((fieldName) => by.has(fieldName))
  })
}

async function deliveriesOf(as: Environment, model: ModelDef, events: readonly Happened[], facts: Facts) {
  const ids = [...new Set(events.map(({ item }) => item.id))]
  const wanted = new Set(events.flatMap(({ endpoint, event }) => valuesOf(model, endpoint, event)))
  const fields = [...wanted].filter((fieldName) => {
    const field = model.fields.get(fieldName)
    return field && sees(as, field)
  })
  const rows = await read(as, model, ids, facts.thin ? [] : fields)
  const gone = await removalsFor(as, model, events, rows)
  const within = await domainsOf(as, model, events, [...rows.keys()])
  const texts: Texts = new Map()
  return events.flatMap((happened) => {
    const { item, endpoint } = happened
    const row = rows.get(item.id)
    const event = gone(item) ? 'deleted' : happened.event
    if (event === 'deleted' ? !gone(item) : !row || !within(endpoint, item.id)) return []
    const names = new Set(valuesOf(model, endpoint, event).filter((field) => fields.includes(field)))
    const isValued = row && event !== 'deleted' && names.size > 0
    const values = isValued ? (facts.thin ? null : valuesText(row, names, texts)) : undefined
    return [{ item, delivery: deliveryOf(model, { ...happened, event }, values, facts) }]
  })
}

/** Fields whose values go along: those that the endpoint names, and those of a declared event. */
const valuesOf = (model: ModelDef, { fields }: Endpoint, event: string): readonly string[] => [
  ...(fields[model.name] ?? []),
  ...(model.options.events?.[event]?.fields ?? []),
]

/** Values of rows as JSON, by row and field: many endpoints may ask for the same. Null is too long. */
type Texts = Map<Values, Map<string, string | null>>

/** Some values of a row as JSON; null where they are too long to be sent. */
function valuesText(row: Values, names: ReadonlySet<string>, texts: Texts): string | null {
  const rowTexts = texts.get(row) ?? new Map<string, string | null>()
  texts.set(row, rowTexts)
  let all = ''
  for (const field of Object.keys(row)) {
    if (field !== 'id' && !names.has(field)) continue
    const text = rowTexts.get(field) ?? (rowTexts.has(field) ? null : shortText(row[field]))
    rowTexts.set(field, text)
    if (text === null) return null
    all += `${all ? ',' : ''}${JSON.stringify(field)}:${text}`
    if (all.length > MOST_BYTES) return null
  }
  return `{${all}}`
}

/** A value as JSON; null where it alone is too long, which is known of a string without serializing it. */
function shortText(value: unknown): string | null {
  if (typeof value === 'string' && value.length > MOST_BYTES) return null
  const text = JSON.stringify(value)
  return text.length > MOST_BYTES ? null : text
}

/** The user's rows as they are, values in the typed form. */
async function read(
  as: Environment,
  model: ModelDef,
  ids: readonly number[],
  fields: readonly string[],
  domain: readonly unknown[] = [],
): Promise<ReadonlyMap<number, Values>> {
  // The limit on the values of an answer applies to each search by itself.
  as.unit.shown.forget()
  as.unit.answer.keepPreferences({ ...NO_PREFERENCES, typed: { zone: null, decimal: false } })
  const result = await recordsOf(as, model, []).invoke('search_read', {
    domain: [['id', 'in', ids], ...domain],
    fields: fields.length ? fields : ['id'],
  })
  const rows = (result instanceof Rendered ? JSON.parse(result.json) : result) as (Values & { id: number })[]
  return new Map(rows.map((row) => [row.id, row]))
}

/**
 * Returns which changes are sent as removals: the record was removed, or hidden from a user who could see it.
 * For a record that was removed by a later change, that change is the removal.
 */
async function removalsFor(
  as: Environment,
  model: ModelDef,
  events: readonly Happened[],
  rows: ReadonlyMap<number, Values>,
): Promise<(item: Item) => boolean> {
  const lost = [...new Set(events.flatMap(({ item }) => (rows.has(item.id) ? [] : item.id)))]
  if (lost.length === 0) return () => false
  const txs = [...new Set(events.map(({ item }) => item.tx))]
  const seen = await visibleBefore(as, model, lost, txs)
  const existing = new Set(
    (await as.query(sql`SELECT id FROM ${name(model.table)} WHERE id = ANY(${idList(lost)})`)).map(
      (row) => row[0] as number,
    ),
  )
  return ({ id, op }) => seen.has(id) && !rows.has(id) && (op === 'd' || (op === 'u' && existing.has(id)))
}

/** Whether a record is in the domain that an endpoint has for the model. */
async function domainsOf(
  as: Environment,
  model: ModelDef,
  events: readonly Happened[],
  ids: readonly number[],
): Promise<(endpoint: Endpoint, id: number) => boolean> {
  const inside = new Map<Endpoint, ReadonlyMap<number, Values>>()
  for (const endpoint of new Set(events.map((happened) => happened.endpoint))) {
    const domain = endpoint.domains[model.name]
    if (domain?.length) inside.set(endpoint, await read(as, model, ids, [], domain))
  }
  return (endpoint, id) => inside.get(endpoint)?.has(id) ?? true
}

/** `values`: as JSON; null where they are too long, and nothing where none go along. */
function deliveryOf(
  model: ModelDef,
  { item, event, endpoint }: Happened,
  values: string | null | undefined,
  { times, name: database }: Facts,
): NewDelivery {
  const { seq, n, id, fields } = item
  // The row of a delegate's change has ids of the delegate: the model's name keeps the event's id unique.
  const through = 'through' in item ? `${model.name}_` : ''
  const type = `${model.name}.${event}`
  const head = { type, timestamp: times.get(seq), sequence: String(seq), database }
  const thin = { model: model.name, id, ...(event === 'updated' ? { fields } : {}) }
  const short = JSON.stringify({ ...head, data: thin })
  // Values stand at the end of what is said.
  const whole = typeof values === 'string' ? `${short.slice(0, -2)},"values":${values}}}` : short
  const fits = values !== null && Buffer.byteLength(whole) <= MOST_BYTES
  return {
    webhook: endpoint.id,
    user: endpoint.user,
    event: `evt_${seq}_${n}_${through}${id}_w${endpoint.id}`,
    type,
    model: model.name,
    record: id,
    body: fits ? whole : JSON.stringify({ ...head, data: { ...thin, truncated: true } }),
  }
}
