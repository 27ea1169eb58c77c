// Methods that read and save by a specification of fields (spec/models-api.md section 4, "Specifications").

import { InvalidValue } from '../../errors.ts'
import { isEmptyList } from '../../kit/nothing.ts'
import { present } from '../../kit/present.ts'
import { shown } from '../../kit/text.ts'
import { optional, required, returns } from '../contract/param.ts'
import { parseDomain } from '../domain/index.ts'
import type { SearchOptions } from '../language/records.ts'
import { Listed, Rendered } from '../read/rendered.ts'
import { pageKey } from '../read/request-keys.ts'
import {
  listBySpecification,
  objectsOf,
  readBySpecification,
  type SpecifiedPage,
  searchBySpecification,
} from '../read/specification.ts'
import type { Specification, SpecifiedRow } from '../read/wanted.ts'
import { createByCaller } from '../write/commands/worker.ts'
import { writeEach } from '../write/entry.ts'
import { type GenericMethods, generic } from './bind.ts'

const specification = required<Specification>('specification', {
  doc: 'Names of fields, each with {}, or with the fields to return of a relation.',
  annotation: 'dict[str, dict]',
})
const rows = returns<SpecifiedRow[]>('array', 'list[dict]')

/** A page and how many records there are in all, which is known where the page is the last one. */
function pageAnswer({ rows, total }: SpecifiedPage, offset: number, isText: boolean): object {
  const count = rows instanceof Listed ? rows.count : rows.length
  const length = count && (total ?? offset + count)
  return isText && rows instanceof Listed
    ? new Rendered(`{"length":${length},"records":${rows.json}}`)
    : { length, records: objectsOf(rows) }
}

export const webMethods: GenericMethods = {
  web_read: generic({
    doc: 'Reads the fields of a specification, including those of related records.',
    readonly: true,
    params: { specification },
    returns: rows,
    tellsValues: true,
    run: async ({ env, def, ids }, p) => {
      const isText = env.unit.answer.mayReturnText()
      const { typed } = env.unit.answer.takePreferences()
      const rows = await listBySpecification(env, def, ids, p.specification, typed)
      return isText ? rows : objectsOf(rows)
    },
  }),
  web_search_read: generic({
    doc: 'Searches records, reads the fields of a specification, and counts all matches.',
    level: 'model',
    readonly: true,
    params: {
      domain: required<unknown[]>('domain', { annotation: 'DomainType' }),
      specification,
      offset: optional<unknown>('offset', 0, { annotation: 'int' }),
      limit: optional<unknown>('limit', null, { annotation: 'int | None' }),
      order: optional<string | null>('order', null, { annotation: 'str | None' }),
      count_limit: optional<unknown>('limit', null, { annotation: 'int | None' }),
    },
    returns: returns<object>('object', 'dict'),
    tellsValues: true,
    pages: true,
    run: async ({ env, def }, p) => {
      const [options, isText, preferences] = [
        p as SearchOptions,
        env.unit.answer.mayReturnText(),
        env.unit.answer.takePreferences(),
      ]
      const request = preferences.page || preferences.count ? null : pageKey(env, def, p, preferences.typed)
      const search = () => ({
        model: def,
        domain: p.domain,
        tree: parseDomain(p.domain),
        specification: p.specification,
        options,
        counting: { always: Boolean(env.context.force_search_count), limit: p.count_limit },
      })
      const page = await searchBySpecification(env, request, search, preferences)
      return pageAnswer(page, (p.offset as number) || 0, isText)
    },
  }),
  web_name_search: generic({
    doc: 'Finds records by name, and reads the fields of a specification.',
    level: 'model',
    readonly: true,
    params: {
      name: required<unknown>('any', { annotation: 'str' }),
      specification,
      domain: optional<unknown[] | null>('domain', null, { annotation: 'DomainType | None' }),
      operator: optional<unknown>('any', 'ilike', { annotation: 'str' }),
      limit: optional<unknown>('limit', 100, { annotation: 'int | None' }),
    },
    returns: rows,
    tellsValues: true,
    run: async (recordset, p) => {
      const { env, def } = recordset
      const { typed } = env.unit.answer.takePreferences()
      // Models that are found in their own way, by codes first, are found so here too.
      const matches = await recordset.invoke('name_search', {
        name: p.name,
        domain: p.domain ?? [],
        operator: p.operator,
        limit: p.limit,
      })
      const ids = (matches as readonly [number, string][]).map(([id]) => id)
      const records = await readBySpecification(env, def, ids, p.specification, typed)
      const names = Object.keys(p.specification)
      if (names.length !== 1 || names[0] !== 'display_name') return records
      const formatted = await readBySpecification(
        env.withContext({ formatted_display_name: true }),
        def,
        ids,
        p.specification,
      )
      return records.map((record, i) => ({ ...record, __formatted_display_name: formatted[i]?.display_name }))
    },
  }),
  web_save: generic({
    doc: 'Creates or updates a record, then reads the fields of a specification; with next_id it reads that record instead.',
    params: {
      vals: required<Record<string, unknown>>('vals', { annotation: 'ValuesType' }),
      specification,
      next_id: optional<number | null>('any', null, { annotation: 'int | None' }),
    },
    returns: rows,
    tellsValues: true,
    run: async (records, p) => {
      const { typed } = records.env.unit.answer.takePreferences()
      if (records.length) await records.invoke('write', { vals: p.vals })
      const saved = records.length ? records.ids : await createByCaller(records.env, records.def, [p.vals])
      const next = typeof p.next_id === 'number' ? [p.next_id] : saved
      return readBySpecification(records.env, records.def, next, p.specification, typed)
    },
  }),
  web_save_multi: generic({
    doc: 'Updates each record with its own values, then reads the fields of a specification.',
    params: { vals_list: required<unknown[]>('array', { annotation: 'list[ValuesType]' }), specification },
    returns: rows,
    tellsValues: true,
    run: async (records, p) => {
      const { typed } = records.env.unit.answer.takePreferences()
      records.env.unit.quota.charge('records', p.vals_list.length)
      if (p.vals_list.length !== records.length)
        throw new InvalidValue('vals_list must have one object of values for each record.')
      if (
        p.vals_list.some(
          (vals) => typeof vals !== 'object' || vals === null || (Array.isArray(vals) && vals.length),
        )
      )
        throw new InvalidValue('Each item of vals_list must be an object of values.')
      await writeEach(
        records.env,
        records.def,
        p.vals_list.map((vals, i) => ({
          ids: [present(records.ids[i])],
          vals: isEmptyList(vals) ? {} : vals,
        })),
      )
      return readBySpecification(records.env, records.def, records.ids, p.specification, typed)
    },
  }),
  web_resequence: generic({
    doc: 'Numbers the records from offset on, in the order of the given ids.',
    params: {
      specification,
      field_name: optional<unknown>('any', 'sequence', { annotation: 'str' }),
      offset: optional<unknown>('offset', 0, { annotation: 'int' }),
    },
    returns: rows,
    tellsValues: true,
    run: async (records, p) => {
      const { typed } = records.env.unit.answer.takePreferences()
      const field = typeof p.field_name === 'string' ? records.def.fields.get(p.field_name) : undefined
      if (!field) return []
      if (!Number.isInteger(p.offset)) throw new InvalidValue(`Invalid offset ${shown(p.offset)}`)
      records.env.unit.quota.charge('records', records.length)
      const changes = records.ids.map((id, i) => ({
        ids: [id],
        vals: { [field.name]: (p.offset as number) + i },
      }))
      await writeEach(records.env, records.def, changes)
      return readBySpecification(records.env, records.def, records.ids, p.specification, typed)
    },
  }),
}
