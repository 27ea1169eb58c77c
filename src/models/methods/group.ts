// Methods that put records into groups (spec/models-api.md section 7).

import { InvalidValue } from '../../errors.ts'
import { optional, required, returns } from '../contract/param.ts'
import { parseDomain } from '../domain/index.ts'
import { filledGroups, formatGroups, groupsKey } from '../grouping/formatted.ts'
import { legacyGroups, readProgress } from '../grouping/legacy.ts'
import { type GroupTerm, parseGroupOrder } from '../grouping/order.ts'
import { parseGroups } from '../grouping/properties.ts'
import { cachedGroups } from '../grouping/query.ts'
import { type AggregateSpec, type GroupSpec, parseAggregate, specList } from '../grouping/specs.ts'
import { unfoldedGroups } from '../grouping/unfold.ts'
import type { LooseRecords } from '../language/definitions.ts'
import { assertModel } from '../rights/judge.ts'
import { type GenericMethods, generic } from './bind.ts'

const domain = required<unknown[]>('domain', {
  doc: 'Conditions; an empty list matches all records.',
  annotation: 'DomainType',
})
const aggregates = optional<unknown>('any', [], {
  doc: '`field:function` or `__count`.',
  annotation: 'list[str]',
})
const order = optional<unknown>('any', null, {
  doc: 'Groupby specs and aggregates, each with asc or desc.',
  annotation: 'str | None',
})
const limit = optional<unknown>('limit', null, { annotation: 'int | None' })
const offset = optional<unknown>('offset', 0, { annotation: 'int' })
const groupby = { doc: 'Fields; dates with a granularity, as `date:month`.', annotation: 'list[str]' }
const groups = returns<object[]>('array', 'list[dict]')

export const groupMethods: GenericMethods = {
  formatted_read_group: generic({
    doc: 'Groups the records that match a domain. Returns one object per group, with its values, its domain and its aggregates.',
    level: 'model',
    readonly: true,
    params: {
      domain,
      groupby: optional<unknown>('any', [], groupby),
      aggregates,
      having: optional<unknown>('any', [], { doc: 'Conditions on aggregates.', annotation: 'DomainType' }),
      offset,
      limit,
      order,
    },
    returns: groups,
    tellsValues: true,
    run: async (records, p) => {
      const { typed } = records.env.unit.answer.takePreferences()
      // The call's own method comes first: nothing is pending that a cached plan would have to wait for.
      const request = records.env.unit.answer.mayReturnText()
        ? groupsKey(records.env, records.def, p, typed)
        : null
      const cached = await cachedGroups(records.env, request)
      if (cached) return formatGroups(records.env, cached.table, cached.asked.groups, cached.asked.aggregates)
      const { env, def } = readable(records)
      const specs = await parseGroups(env, def, specList('groupby', p.groupby))
      const wanted = aggregatesOf(records, p.aggregates)
      const options = {
        having: p.having,
        order: parseGroupOrder(p.order),
        limit: p.limit,
        offset: p.offset,
        last: true,
        typed,
        request,
      }
      return formatGroups(
        env,
        await filledGroups(env, def, parseDomain(p.domain), specs, wanted, options),
        specs,
        wanted,
        typed,
      )
    },
  }),
  formatted_read_grouping_sets: generic({
    doc: 'Groups the same records in several ways. Returns one list of groups per set; an empty set is the total.',
    level: 'model',
    readonly: true,
    params: {
      domain,
      grouping_sets: required<unknown>('array', { annotation: 'list[list[str]]' }),
      aggregates,
      order,
    },
    returns: returns<object[][]>('array', 'list[list[dict]]'),
    tellsValues: true,
    run: async (records, p) => {
      const { env, def } = readable(records)
      const { typed } = env.unit.answer.takePreferences()
      const sets: GroupSpec[][] = []
      for (const set of setsOf(p.grouping_sets))
        sets.push(await parseGroups(env, def, specList('grouping_sets', set)))
      const wanted = aggregatesOf(records, p.aggregates)
      const tree = parseDomain(p.domain)
      const groupedSpecs = new Set(sets.flatMap((set) => set.map(({ spec }) => spec)))
      const terms = parseGroupOrder(p.order)
      const answers: object[][] = []
      for (const set of sets) {
        // A set is ordered by what it has: terms of other sets say nothing about it.
        const appliesToSet = (term: GroupTerm) =>
          !groupedSpecs.has(term.spec) || set.some(({ spec }) => spec === term.spec)
        env.unit.shown.addQuery()
        answers.push(
          await formatGroups(
            env,
            await filledGroups(env, def, tree, set, wanted, { order: terms.filter(appliesToSet), typed }),
            set,
            wanted,
            typed,
          ),
        )
      }
      return answers
    },
  }),
  read_group: generic({
    doc: 'Groups records, in the older form: prefer formatted_read_group.',
    level: 'model',
    readonly: true,
    params: {
      domain,
      fields: required<unknown>('any', { annotation: 'list[str]' }),
      groupby: required<unknown>('any', { ...groupby, annotation: 'str | list[str]' }),
      offset,
      limit,
      orderby: optional<unknown>('any', false, { annotation: 'str' }),
      lazy: optional<unknown>('any', true, { doc: 'Groups by the first field only.', annotation: 'bool' }),
    },
    returns: groups,
    run: (records, p) => {
      const { env, def } = readable(records)
      return legacyGroups(env, def, p.domain, p)
    },
  }),
  read_progress_bar: generic({
    doc: 'Counts the records of each group by those values of a field that have a color.',
    level: 'model',
    readonly: true,
    params: {
      domain,
      group_by: required<unknown>('any', { annotation: 'str' }),
      progress_bar: required<unknown>('object', {
        doc: '`field` and `colors`: key → color.',
        annotation: 'dict',
      }),
    },
    returns: returns<object>('object', 'dict[str, dict[str, int]]'),
    run: (records, p) => {
      const { env, def } = readable(records)
      return readProgress(env, def, parseDomain(p.domain), p.group_by, p.progress_bar)
    },
  }),
  web_read_group: generic({
    doc: 'Groups records, counts the groups, and opens some of them.',
    level: 'model',
    readonly: true,
    params: {
      domain,
      groupby: required<unknown>('any', groupby),
      aggregates,
      limit,
      offset,
      order,
      auto_unfold: optional<unknown>('any', false, {
        doc: 'Opens the first ten groups.',
        annotation: 'bool',
      }),
      opening_info: optional<unknown>('any', null, { annotation: 'list[dict] | None' }),
      unfold_read_specification: optional<unknown>('any', null, { annotation: 'dict[str, dict] | None' }),
      unfold_read_default_limit: optional<unknown>('limit', 80, { annotation: 'int | None' }),
      groupby_read_specification: optional<unknown>('any', null, { annotation: 'dict[str, dict] | None' }),
    },
    returns: returns<object>('object', 'dict'),
    run: (records, p) => {
      const { env, def } = readable(records)
      return unfoldedGroups(env, def, parseDomain(p.domain), p)
    },
  }),
}

/** Environment and model, once the user may read it: before anything is said about its fields. */
function readable({ env, def }: LooseRecords): Pick<LooseRecords, 'env' | 'def'> {
  assertModel(env, def, 'read')
  return { env, def }
}

/** Each key once. */
function aggregatesOf({ env, def }: LooseRecords, value: unknown): AggregateSpec[] {
  const aggregateByKey = new Map<string, AggregateSpec>()
  for (const spec of specList('aggregates', value)) {
    const aggregate = parseAggregate(env, def, spec)
    aggregateByKey.set(aggregate.key, aggregate)
  }
  return [...aggregateByKey.values()]
}

function setsOf(value: unknown): unknown[] {
  if (!Array.isArray(value) || value.length === 0 || !value.every(Array.isArray))
    throw new InvalidValue('grouping_sets must be a list of lists of groupby specs')
  if (value.length > 100) throw new InvalidValue('grouping_sets has more than 100 sets')
  return value
}
