// Searching and reading, as clients call them (spec/models-api.md sections 3 and 4).
import { InvalidValue } from '../../errors.ts'
import { isNothing } from '../../kit/nothing.ts'
import { shown } from '../../kit/text.ts'
import { optional, required, returns } from '../contract/param.ts'
import { parseDomain } from '../domain/index.ts'
import type { ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import type { SearchOptions } from '../language/records.ts'
import { all } from '../language/tree.ts'
import type { Typed } from '../language/wishes.ts'
import { askedCount, counted, knownCount } from '../read/count.ts'
import { searchPageIds } from '../read/keyset.ts'
import { areNames, askedAbout, countIn, isNone, isOrder } from '../read/known.ts'
import { askedRows, readKnownRows } from '../read/known-page.ts'
import { Lately } from '../read/lately.ts'
import { WHOLE_ROWS } from '../read/long-answer.ts'
import { askedNames, knownNames, searchNames } from '../read/names.ts'
import { readRows } from '../read/read.ts'
import { readableFields } from '../read/readable.ts'
import { Listed, Rendered } from '../read/rendered.ts'
import type { Rest } from '../read/rows.ts'
import { countRecords, reachOf, searchIds } from '../read/search.ts'
import { type SearchRest, searchMany, searchPageRows, searchRows } from '../read/searched.ts'
import { CLASSIC, formOf } from '../read/selection.ts'
import { written } from '../read/short/statements.ts'
import { type Asked, type Plan, planFor, statementOf } from '../row/plans.ts'
import { type GenericMethods, generic } from './generic.ts'

const window = {
  offset: optional<unknown>('offset', 0, { doc: 'Records left out at the start.', annotation: 'int' }),
  limit: optional<unknown>('limit', null, {
    doc: 'The most there may be; null for all.',
    annotation: 'int | None',
  }),
  order: optional<string | null>('order', null, {
    doc: 'Such as name desc, id; null for the order of the model.',
    annotation: 'str | None',
  }),
}
const domain = required<unknown[]>('domain', {
  doc: 'Conditions; an empty list finds everything.',
  annotation: 'DomainType',
})
const load = optional<unknown>('any', CLASSIC, {
  doc: 'Many2ones as pairs of id and name, or, with null, as bare ids.',
  annotation: 'str | None',
})

export const queryMethods: GenericMethods = {
  search: generic(
    {
      doc: 'Finds the records that satisfy a domain and gives their ids.',
      level: 'model',
      readonly: true,
      params: { domain, ...window },
      returns: returns<number[]>('ids', 'list[int]'),
      pages: true,
    },
    async ({ env, def }, p) => {
      const [tree, wishes, options] = [parseDomain(p.domain), env.unit.takeWishes(), p as SearchOptions]
      const { page, tell } = wishes
      return counted(env, def, tree, wishes, async () =>
        page
          ? searchPageIds(env, { model: def, domain: p.domain, tree, options }, { page, tell })
          : [...(await searchIds(env, def, tree, options))],
      )
    },
  ),
  search_count: generic(
    {
      doc: 'Counts the records that satisfy a domain, at most up to a limit.',
      level: 'model',
      readonly: true,
      params: { domain, limit: window.limit },
      returns: returns<number>('integer', 'int'),
    },
    async ({ env, def }, p) => {
      const asked = askedCount(env, def, p)
      const known = asked && (await knownCount(env, asked))
      return known ?? countRecords(env, def, parseDomain(p.domain), p.limit, asked)
    },
  ),
  search_read: generic(
    {
      doc: 'Searches and reads in one transaction.',
      level: 'model',
      readonly: true,
      params: {
        domain: optional<unknown[] | null>('domain', null, { annotation: 'DomainType | None' }),
        fields: optional<unknown>('fields', null, {
          doc: 'Names of fields; none: all that may be read.',
          annotation: 'list[str] | None',
        }),
        ...window,
        load: { ...load, gathered: 'read_kwargs' },
      },
      returns: returns<object[]>('array', 'list[dict]'),
      tellsValues: true,
      pages: true,
    },
    async ({ env, def }, p) => {
      const [mayBeLong, wishes] = [env.unit.takesLong(), env.unit.takeWishes()]
      const commonForm = wishes.page || wishes.count ? null : askedSearch(env, def, p, wishes.typed)
      const plan = commonForm && planFor<SearchRest>(commonForm)
      const answer =
        commonForm && plan?.rest.slow.length === 0 ? await readKnown(env, plan, commonForm) : 'anew'
      if (typeof answer !== 'string') return answer
      // Archived lines never show here, whatever the context says (spec/models-api.md section 2, "Archived
      // records").
      const lines = env.context.active_test === undefined ? env : env.withContext({ active_test: true })
      const [tree, fields] = [parseDomain(p.domain ?? []), readableFields(env, def, p.fields)]
      const reading = { fields, form: formOf(p.load, wishes.typed) }
      const question = { model: def, domain: p.domain, tree, options: p as SearchOptions, asked: commonForm }
      const { page, tell } = wishes
      if (answer === 'many') return searchMany(env, lines, question, reading, mayBeLong)
      return counted(env, def, tree, wishes, async () =>
        page
          ? searchPageRows(env, lines, question, reading, { page, tell })
          : searchRows(env, lines, question, reading, mayBeLong),
      )
    },
  ),
  read: generic(
    {
      doc: 'Reads fields of records, in the order of the ids; records that are gone are left out.',
      readonly: true,
      params: { fields: optional<unknown>('fields', null, { annotation: 'list[str] | None' }), load },
      returns: returns<object[]>('array', 'list[dict]'),
      tellsValues: true,
    },
    async ({ env, def, ids }, p) => {
      const [mayBeLong, { typed }] = [env.unit.takesLong(), env.unit.takeWishes()]
      const asked = askedRows(env, def, ids, p, typed)
      const plan = asked && planFor<Rest>(asked)
      const list =
        asked && plan?.rest.slow.length === 0 && (await readKnownRows(env, def, plan, { asked, ids }))
      if (list) return list
      const [form, fields] = [formOf(p.load, typed), readableFields(env, def, p.fields)]
      return readRows(env, def, ids, { fields, form }, { mayBeLong, asked })
    },
  ),
  name_search: generic(
    {
      doc: 'Finds records by their display name: pairs of id and name.',
      level: 'model',
      readonly: true,
      params: {
        name: optional<unknown>('any', '', { annotation: 'str' }),
        domain: optional<unknown[] | null>('domain', null, { annotation: 'DomainType | None' }),
        operator: optional<unknown>('any', 'ilike', { annotation: 'str' }),
        limit: optional<unknown>('limit', 100, { annotation: 'int | None' }),
      },
      returns: returns<[number, string][]>('array', 'list[tuple[int, str]]'),
    },
    async ({ env, def }, p) => {
      const asked = askedNames(env, def, p)
      const known = asked && (await knownNames(env, asked))
      const options = { limit: p.limit as number | null }
      return known ?? searchNames(env, def, named(p.name, p.operator, p.domain ?? []), options, asked)
    },
  ),
}

/** The condition that a search by name stands for; no name finds all. */
export function named(name: unknown, comparison: unknown, domain: unknown) {
  const operator = isNothing(comparison) ? 'ilike' : comparison
  if (typeof operator !== 'string') throw new InvalidValue(`Invalid operator ${shown(operator)}`)
  const rest = parseDomain(domain)
  const empty = name === '' || name === false || name === null
  const condition = parseDomain([['display_name', operator, empty ? '' : name]])
  return empty && operator.endsWith('like') && !operator.startsWith('not') ? rest : all([condition, rest])
}

/**
 * The parameters of `search_read`, and how its values are `typed`, as a key and values; null where they are
 * not in their common form.
 */
function askedSearch(
  env: Environment,
  model: ModelDef,
  params: Record<string, unknown>,
  typed: Typed | null,
): Asked | null {
  const { domain, fields, order, offset, load } = params
  const limit = countIn(params.limit)
  const skipped = countIn(offset)
  if (limit === null || skipped === null || !isOrder(order)) return null
  if (!isNone(fields) && !areNames(fields)) return null
  // How far such a window reaches follows from what is read.
  if (skipped && !(limit && limit <= WHOLE_ROWS)) return null
  const reach = skipped ? reachOf({ limit, offset: skipped }) : 0
  const rest = JSON.stringify([fields || null, order || null, limit, reach, load === CLASSIC, typed])
  return askedAbout(env, model, domain, `search_read ${rest}`, skipped)
}

/**
 * The answer to a search that is known; `many` where there are more rows than are read at once, `anew` where
 * its plan holds no more.
 */
async function readKnown(
  env: Environment,
  plan: Plan<SearchRest>,
  { values }: Asked,
): Promise<Rendered | 'many' | 'anew'> {
  const { short, whole } = plan.rest
  const lately = whole === null ? null : new Lately(plan.key, values)
  // Rows that are read only to find that they are too many cost as much as those that are told.
  if (lately?.wereMany) return 'many'
  const statement = statementOf(plan, values)
  if (short) return (await written(env, statement, short, null, true))?.answer ?? 'anew'
  const [row] = await env.unit.run<[string, number]>(statement, true)
  if (!row) throw new Error('A list without a row.')
  const isMany = whole !== null && row[1] > whole
  lately?.note(isMany)
  if (isMany) return 'many'
  return whole === null ? new Rendered(row[0]) : new Listed(row[0], row[1])
}
