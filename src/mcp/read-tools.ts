// The tools that read: what they ask of the server, and how much of the answer an agent gets to carry.
import { describedModel, listedModels } from '../docs/index.ts'
import { AccessError, UnprocessableEntity } from '../errors.ts'
import { textOf } from '../services/changes/index.ts'
import { fitting, type Row, shortened, weightOf, withinBudget } from './plain-values.ts'
import { budgetOf, callReadOnly, type Visit, verbs } from './visit.ts'

export type Arguments = Readonly<Record<string, unknown>>
type Reading = (visit: Visit, toolArguments: Arguments) => Promise<object>

/** Groups that are asked for. */
const MOST_GROUPS = 1000

/** Bytes left for the rest of an answer. */
const FRAME = 512

/** Bytes that rows may take: what the key's policy gives, or less where less is asked for. */
async function bytesFor(visit: Visit, { budget }: Arguments): Promise<number> {
  const most = await budgetOf(visit)
  return Math.max(2048, Math.min(most, typeof budget === 'number' ? budget * 1024 : most)) - FRAME
}

const rowsIn = (value: unknown): Row[] => (Array.isArray(value) ? value : [])

/** Characters of a search among models. */
const LONGEST_SEARCH = 200

/** Names that a tool takes at once. */
const MOST_NAMES = 500

/** Throws UnprocessableEntity for too many. */
function namesIn(value: unknown): string[] | null {
  if (!Array.isArray(value)) return null
  if (value.length > MOST_NAMES)
    throw new UnprocessableEntity(`Too many names: at most ${MOST_NAMES} per call.`, { code: 'too_many' })
  return value.map(String)
}

/** Fields to read: the named ones that may be shown, `*` for all; without names the brief ones. */
async function fieldsFor(visit: Visit, { model, fields }: Arguments) {
  const { brief, markup, silent, all } = await verbs.fieldsByUse(visit, String(model))
  const named = namesIn(fields)
  const wanted = named === null ? brief : named.includes('*') ? all : ['id', ...named]
  const shownFields = [...new Set(wanted)].filter((name) => !silent.has(name))
  return { fields: shownFields, markup, omitted: named?.filter((name) => silent.has(name)) ?? [] }
}

/** Notes on an answer that is incomplete. */
const missing = (cut: readonly string[], omitted: readonly string[]) => ({
  ...(cut.length > 0 && { cut }),
  ...(omitted.length > 0 && { omitted }),
})

async function search(visit: Visit, toolArguments: Arguments): Promise<object> {
  const { model, domain = [], order, limit = 20, cursor = null, count } = toolArguments
  const { fields, markup, omitted } = await fieldsFor(visit, toolArguments)
  const page = async (size: number, counts: boolean) => {
    const body = { domain, fields, limit: size, ...(order !== undefined && { order }) }
    const { value, headers } = await callReadOnly(
      visit,
      { model: String(model), method: 'search_read', body },
      { page: { cursor: cursor === null ? null : String(cursor) }, count: counts ? 'exact' : null },
    )
    return { ...shortened(rowsIn(value), markup), headers }
  }
  const first = await page(Number(limit), count === true)
  const room = await bytesFor(visit, toolArguments)
  const fits = fitting(first.rows, room)
  // The cursor has to point after the last row that is shown, so a page that is too heavy is read again.
  const { rows, cut, headers } = fits > 0 && fits < first.rows.length ? await page(fits, false) : first
  const [only] = rows
  const heavy = fits === 0 && only ? withinBudget(only, room) : null
  const total = first.headers.get('total-count')
  return {
    records: heavy ? [heavy.row] : rows,
    next_cursor: headers.get('next-cursor') ?? null,
    truncated: fits < first.rows.length,
    ...(total !== undefined && { total: Number(total) }),
    ...missing(cut, [...omitted, ...(heavy?.left ?? [])]),
  }
}

/** Records by id. Hidden records are left out like missing ones, so that the answer does not reveal them. */
async function rowsById(visit: Visit, model: string, ids: readonly number[], fields: readonly string[]) {
  const rows = async (some: readonly number[]) =>
    rowsIn((await callReadOnly(visit, { model, method: 'read', body: { ids: some, fields } })).value)
  try {
    return await rows(ids)
  } catch (error) {
    const isHidden = error instanceof AccessError && error.about.kind === 'rule'
    if (!isHidden) throw error
    const seen = new Set(await verbs.visibleAmong(visit, model, ids))
    const left = ids.filter((id) => seen.has(id))
    // Hidden by something else than the rules of these records: the refusal stands.
    if (left.length === ids.length) throw error
    return left.length ? await rows(left) : []
  }
}

async function read(visit: Visit, toolArguments: Arguments): Promise<object> {
  const { model } = toolArguments
  const ids = Array.isArray(toolArguments.ids) ? toolArguments.ids.map(Number) : []
  const { fields, markup, omitted } = await fieldsFor(visit, toolArguments)
  const { rows, cut } = shortened(await rowsById(visit, String(model), ids, fields), markup)
  const readIds = new Set(rows.map(({ id }) => id))
  const gone = [...new Set(ids)].filter((id) => !readIds.has(id))
  const room = Math.max(0, (await bytesFor(visit, toolArguments)) - (gone.length ? weightOf(gone) : 0))
  const fits = fitting(rows, room)
  const [first] = rows
  const heavy = fits === 0 && first ? withinBudget(first, room) : null
  const shown = heavy ? [heavy.row] : rows.slice(0, fits)
  return {
    records: shown,
    truncated: shown.length < rows.length || heavy !== null,
    ...(shown.length < rows.length && { remaining_ids: rows.slice(shown.length).map(({ id }) => id) }),
    ...(gone.length > 0 && { missing_ids: gone }),
    ...missing(cut, [...omitted, ...(heavy?.left ?? [])]),
  }
}

async function aggregate(visit: Visit, toolArguments: Arguments): Promise<object> {
  const { model, domain = [], groupby, aggregates = ['__count'] } = toolArguments
  const body = { domain, groupby, aggregates, limit: MOST_GROUPS }
  const { value } = await callReadOnly(visit, { model: String(model), method: 'formatted_read_group', body })
  const groups = rowsIn(value)
  const fits = fitting(groups, await bytesFor(visit, toolArguments))
  return { groups: groups.slice(0, fits), truncated: fits < groups.length || groups.length === MOST_GROUPS }
}

async function changes(visit: Visit, toolArguments: Arguments): Promise<object> {
  const { backend, owner } = visit
  const { models, cursor } = toolArguments
  const question = Object.fromEntries((namesIn(models) ?? []).map((name) => [name, {}]))
  const body = () => ({
    models: question,
    limit: 200,
    ...(cursor === undefined ? { from: 'now' } : { cursor }),
  })
  const page = await backend.changes(backend.databases, { ...owner, body, abilities: ['mcp'] })
  const { rows } = shortened(
    page.changes.map((change) => JSON.parse(textOf(change)) as Record<string, unknown>),
    new Set(),
  )
  const fits = fitting(rows, await bytesFor(visit, toolArguments))
  if (fits === 0 && rows.length > 0)
    throw new UnprocessableEntity('budget is too small for one change: raise it, or ask for fewer fields.')
  return {
    changes: rows.slice(0, fits),
    cursor: fits < rows.length ? page.behind(fits - 1) : page.cursor,
    more: page.more || fits < rows.length,
  }
}

/** A tool that reads, by name. */
export const readingTools = {
  list_models: (visit: Visit, { search: wanted, limit = 50 }: Arguments) =>
    verbs.runReadOnly(visit, (env, opens) =>
      listedModels(env, {
        opens,
        search: wanted === undefined ? null : String(wanted).slice(0, LONGEST_SEARCH),
        limit: Number(limit),
      }),
    ),
  describe_model: (visit: Visit, toolArguments: Arguments) =>
    described(visit, String(toolArguments.model), toolArguments),
  search_records: search,
  read_records: read,
  aggregate_records: aggregate,
  read_changes: changes,
} satisfies Readonly<Record<string, Reading>>

/** Whether a tool only reads. */
export const isReading = (name: string): name is keyof typeof readingTools =>
  Object.hasOwn(readingTools, name)

/** A model as the caller sees it; fields and methods that do not fit are named. */
export async function described(visit: Visit, model: string, toolArguments: Arguments): Promise<object> {
  const description = await verbs.runReadOnly(visit, (env, opens) =>
    describedModel(env, model, {
      opens,
      fields: namesIn(toolArguments.fields),
      methods: namesIn(toolArguments.methods),
      extensions: visit.extensions,
    }),
  )
  const half = (await bytesFor(visit, toolArguments)) / 2
  const [fields, methods] = [withinBudget(description.fields, half), withinBudget(description.methods, half)]
  const left = [...fields.left, ...methods.left]
  return {
    ...description,
    fields: fields.row,
    methods: methods.row,
    ...(left.length > 0 && { truncated: true, not_described: left.slice(0, 100) }),
  }
}
