// Searching and reading, as clients call them (spec/models-api.md sections 3 and 4).
import { optional, required, returns } from '../contract/param.ts'
import { parseDomain } from '../domain/index.ts'
import type { ModelDef } from '../language/definitions.ts'
import type { Environment, Typed } from '../language/environment.ts'
import type { SearchOptions } from '../language/records.ts'
import { searchPageIds } from '../read/keyset.ts'
import { ResultSize, WHOLE_ROWS } from '../read/long-answer.ts'
import { searchNames } from '../read/names.ts'
import { readRows } from '../read/read.ts'
import { Listed, Rendered, type RowSearch } from '../read/rendered.ts'
import { areNames, countIn, domainKey, isNone, isOrder, lastRowOf, readKey } from '../read/request-keys.ts'
import { type Answer, finish } from '../read/rows.ts'
import { counted, searchCount, searchIds } from '../read/search.ts'
import { manyRows, rowsPlan, type SearchRest, searchPageRows } from '../read/searched.ts'
import { answerFormOf, CLASSIC, readableFields } from '../read/selection.ts'
import { shortJson } from '../read/short/statements.ts'
import { cachedPlan, type RequestKey } from '../row/plans.ts'
import { type GenericMethods, generic } from './bind.ts'

const window = {
  offset: optional<unknown>('offset', 0, { doc: 'Number of records to skip.', annotation: 'int' }),
  limit: optional<unknown>('limit', null, {
    doc: 'Maximum number of records; null for all.',
    annotation: 'int | None',
  }),
  order: optional<string | null>('order', null, {
    doc: 'Fields to order by, such as name desc, id; null for the order of the model.',
    annotation: 'str | None',
  }),
}
const domain = required<unknown[]>('domain', {
  doc: 'Conditions; an empty list matches all records.',
  annotation: 'DomainType',
})
const load = optional<unknown>('any', CLASSIC, {
  doc: 'By default many2one values are pairs of id and name; with null they are ids.',
  annotation: 'str | None',
})

export const queryMethods: GenericMethods = {
  search: generic({
    doc: 'Finds the records that match a domain. Returns their ids.',
    level: 'model',
    readonly: true,
    params: { domain, ...window },
    returns: returns<number[]>('ids', 'list[int]'),
    pages: true,
    run: async ({ env, def }, p) => {
      const [tree, preferences, options] = [
        parseDomain(p.domain),
        env.unit.answer.takePreferences(),
        p as SearchOptions,
      ]
      const { page, tell } = preferences
      return counted(env, def, tree, preferences, async () =>
        page
          ? searchPageIds(env, { model: def, domain: p.domain, tree, options }, { page, tell })
          : [...(await searchIds(env, def, tree, options))],
      )
    },
  }),
  search_count: generic({
    doc: 'Counts the records that match a domain, at most up to a limit.',
    level: 'model',
    readonly: true,
    params: { domain, limit: window.limit },
    returns: returns<number>('integer', 'int'),
    run: ({ env, def }, p) => searchCount(env, def, p),
  }),
  search_read: generic({
    doc: 'Searches and reads in one transaction.',
    level: 'model',
    readonly: true,
    params: {
      domain: optional<unknown[] | null>('domain', null, { annotation: 'DomainType | None' }),
      fields: optional<unknown>('fields', null, {
        doc: 'Names of fields. Default: all fields that the caller may read.',
        annotation: 'list[str] | None',
      }),
      ...window,
      load: { ...load, gathered: 'read_kwargs' },
    },
    returns: returns<object[]>('array', 'list[dict]'),
    tellsValues: true,
    pages: true,
    run: async ({ env, def }, p) => {
      const [mayBeLong, preferences] = [env.unit.answer.mayStream(), env.unit.answer.takePreferences()]
      const { page, count, tell } = preferences
      const parse = () => parseSearch(env, def, p, preferences.typed)
      if (!page && count === null)
        return searchRows(env, searchReadKey(env, def, p, preferences.typed), parse, mayBeLong)
      const search = parse()
      return counted(env, def, search.question.tree, preferences, async () =>
        page ? searchPageRows(search, { page, tell }) : searchRows(env, null, () => search, mayBeLong),
      )
    },
  }),
  read: generic({
    doc: 'Reads fields of records, in the order of the ids. Deleted records are left out.',
    readonly: true,
    params: { fields: optional<unknown>('fields', null, { annotation: 'list[str] | None' }), load },
    returns: returns<object[]>('array', 'list[dict]'),
    tellsValues: true,
    run: async ({ env, def, ids }, p) => {
      const [mayBeLong, { typed }] = [env.unit.answer.mayStream(), env.unit.answer.takePreferences()]
      const request = readKey(env, def, ids, p, typed)
      const reading = () => ({
        form: answerFormOf(p.load, typed),
        fields: readableFields(env, def, p.fields),
      })
      return readRows(env, def, ids, request, { reading, mayBeLong })
    },
  }),
  name_search: generic({
    doc: 'Finds records by their display name. Returns pairs of id and name.',
    level: 'model',
    readonly: true,
    params: {
      name: optional<unknown>('any', '', { annotation: 'str' }),
      domain: optional<unknown[] | null>('domain', null, { annotation: 'DomainType | None' }),
      operator: optional<unknown>('any', 'ilike', { annotation: 'str' }),
      limit: optional<unknown>('limit', 100, { annotation: 'int | None' }),
    },
    returns: returns<[number, string][]>('array', 'list[tuple[int, str]]'),
    run: ({ env, def }, p) => searchNames(env, def, p),
  }),
}

function parseSearch(
  env: Environment,
  model: ModelDef,
  params: Record<string, unknown>,
  typed: Typed | null,
): RowSearch {
  const { domain, fields, load } = params
  // Archived lines are never shown, whatever the context says (spec/models-api.md section 2, "Archived
  // records").
  const lines = env.context.active_test === undefined ? env : env.withContext({ active_test: true })
  const question = { model, domain, tree: parseDomain(domain ?? []), options: params as SearchOptions }
  return {
    env,
    lines,
    question,
    reading: { fields: readableFields(env, model, fields), form: answerFormOf(load, typed) },
  }
}

/** The key of `search_read`, whose values are `typed`; null for parameters that have none. */
function searchReadKey(
  env: Environment,
  model: ModelDef,
  params: Record<string, unknown>,
  typed: Typed | null,
): RequestKey | null {
  const { domain, fields, order, load } = params
  const limit = countIn(params.limit)
  const offset = countIn(params.offset)
  if (limit === null || offset === null || !isOrder(order)) return null
  if (!isNone(fields) && !areNames(fields)) return null
  // The reach of such a window follows from what is read.
  if (offset && !(limit && limit <= WHOLE_ROWS)) return null
  const reach = offset ? lastRowOf(limit, offset) : 0
  const rest = JSON.stringify([fields || null, order || null, limit, reach, load === CLASSIC, typed])
  return domainKey(env, model, domain, `search_read ${rest}`, offset)
}

/** `search_read`. `plan`: the cached plan of `request`; without it, one is composed and cached. */
async function searchRows(
  env: Environment,
  request: RequestKey | null,
  parse: () => RowSearch,
  mayBeLong: boolean,
  plan = cachedPlan<SearchRest>(request),
): Promise<Answer> {
  const { statement, rest, values } = plan ?? (await rowsPlan(parse(), request))
  const { short, slow, whole } = rest
  const size = whole === null ? null : new ResultSize(rest, values)
  if (size?.isLarge) return manyRows(parse(), mayBeLong)
  if (short) {
    const list = await shortJson(env, statement, short, null, true)
    return list ? list.answer : searchRows(env, request, parse, mayBeLong, null)
  }
  const [row] = await env.unit.run<[string, null, number]>(statement, slow.length === 0)
  if (!row) throw new Error('A list without a row.')
  const [json, , count] = row
  const isLarge = whole !== null && count > whole
  size?.note(isLarge)
  if (isLarge) return manyRows(parse(), mayBeLong)
  if (slow.length === 0) return whole === null ? new Rendered(json) : new Listed(json, count)
  const { lines, reading } = parse()
  return finish(lines, json, slow, reading.form)
}
