// Exports: records as rows of cells, records of one2manys in rows below each other (spec/models-api.md
// section 9).

import { Pace } from '../../kit/pace.ts'
import { idList, sql } from '../../sql/index.ts'
import type { Ids, ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { comodelOf } from '../language/field-options.ts'
import { LongAnswer, WHOLE_ROWS } from '../read/long-answer.ts'
import { readObjects } from '../read/read.ts'
import { type Listed, Rendered, type WireRow } from '../read/rendered.ts'
import { answerFormOf } from '../read/selection.ts'
import type { ShortForm } from '../read/short/form.ts'
import { cachedPlan } from '../row/plans.ts'
import { type Labels, labelsOf } from '../terms/labels.ts'
import {
  type ExportCell,
  exportCell,
  exportKey,
  exportList,
  listed,
  named,
  type Plan,
  pathsIn,
  planFor,
  type Step,
} from './export-list.ts'
import { ensureExternalIds } from './named-records.ts'

type Row = readonly ExportCell[]

/** Throws InvalidValue for unknown fields, AccessError for what the user may not read. */
export async function exportRows(
  env: Environment,
  model: ModelDef,
  ids: Ids,
  fields: unknown,
): Promise<Row[]> {
  const paths = pathsIn(fields)
  return planned(env, model, ids, paths, planFor(env, model, paths))
}

/** As `exportRows`, but as text if one statement returns all cells. */
export async function exportText(
  env: Environment,
  model: ModelDef,
  ids: Ids,
  fields: unknown,
): Promise<readonly Row[] | Listed> {
  const request = exportKey(env, model, ids, fields)
  const cached = cachedPlan<ShortForm | null>(request)
  const cachedList = cached?.rest && (await listed(env, model, ids, cached.statement, cached.rest))
  if (cachedList) return within(env, cachedList, fields)
  const paths = pathsIn(fields)
  const plan = planFor(env, model, paths)
  const list = request && (await exportList(env, model, ids, plan, request))
  return list ? within(env, list, fields) : planned(env, model, ids, paths, plan)
}

function within(env: Environment, list: Listed, paths: unknown): Listed {
  const width = (paths as readonly unknown[]).length
  env.unit.shown.add(list.count * (2 * width + 1) + Math.floor(list.json.length / LONG_CELL))
  return list
}

/** Records per batch of rows, if the answer is streamed. */
const PIECE = 500

/**
 * Rows of many records as objects by path, streamed in batches. Null if there are few records, or if the
 * export creates external ids: a slow client would keep the transaction with these rows open. Throws as
 * `exportRows`.
 */
export function longExport(env: Environment, model: ModelDef, ids: Ids, fields: unknown): LongAnswer | null {
  const paths = pathsIn(fields)
  const plan = planFor(env, model, paths)
  if (ids.length <= WHOLE_ROWS || namesRecords(plan)) return null
  const wanted = sql`SELECT i.id::text FROM unnest(${idList(ids)}) WITH ORDINALITY AS i (id, n) ORDER BY i.n`
  return new LongAnswer(env, wanted, PIECE, async (inside, json) => {
    const rows = await planned(inside, model, JSON.parse(json) as number[], paths, plan)
    const objects = rows.map((row) => Object.fromEntries(paths.map((path, at) => [path, row[at]])))
    return new Rendered(JSON.stringify(objects))
  })
}

const namesRecords = (plan: Plan): boolean =>
  plan.some((step) => step.kind === 'xmlid' || (step.kind === 'relation' && namesRecords(step.below)))

async function planned(
  env: Environment,
  model: ModelDef,
  ids: Ids,
  paths: readonly string[],
  plan: Plan,
): Promise<Row[]> {
  await env.unit.shown.expect(ids.length * paths.length)
  const rowsById = await rowsOf(env, model, [...new Set(ids)], plan, paths.length)
  const rows = ids.flatMap((id) => rowsById.get(id) ?? [])
  env.unit.shown.reach(rows.length * paths.length)
  return rows
}

/** Rows by record, with one query per model and level. Deleted records have no rows. */
async function rowsOf(
  env: Environment,
  model: ModelDef,
  ids: Ids,
  plan: Plan,
  width: number,
): Promise<Map<number, Row[]>> {
  if (ids.length === 0) return new Map()
  const fields = [...new Set(plan.flatMap((step) => ('field' in step ? [step.field] : [])))].filter(
    (field) => field.name !== 'id',
  )
  const { rows: records } = await readObjects(env, model, ids, { fields, form: answerFormOf(null) })
  const xmlids = plan.some((step) => step.kind === 'xmlid')
    ? await ensureExternalIds(
        env,
        model,
        records.map((record) => record.id),
      )
    : new Map<number, string>()
  const related = new Map<Step, Map<number, Row[]>>()
  for (const step of plan) {
    if (step.kind !== 'relation') continue
    const targets = [...new Set(records.flatMap((record) => targetsIn(record[step.field.name])))]
    related.set(step, await behind(env, step, targets, width))
  }
  const labels = await labelsOf(env, model)
  const pace = new Pace()
  const rows = new Map<number, Row[]>()
  for (const record of records) {
    env.unit.shown.add((1 + linesOf(record, related)) * width)
    const cells = recordRows(record, plan, width, xmlids, related, labels)
    env.unit.shown.add(lengthIn(cells))
    rows.set(record.id, cells)
    await pace.step()
  }
  return rows
}

function linesOf(record: WireRow, related: ReadonlyMap<Step, ReadonlyMap<number, Row[]>>): number {
  let lines = 0
  for (const [step, rows] of related) {
    if (step.kind === 'relation')
      for (const target of targetsIn(record[step.field.name])) lines += rows.get(target)?.length ?? 0
  }
  return lines
}

/** So many characters of a cell count as one more cell. */
const LONG_CELL = 32

/** Texts in units of `LONG_CELL`: cells of many2manys contain those of all their records. */
function lengthIn(rows: readonly Row[]): number {
  let length = 0
  for (const row of rows) for (const cell of row) if (typeof cell === 'string') length += cell.length
  return Math.floor(length / LONG_CELL)
}

/**
 * Users who may read a record may see the display name of its target. Other fields of the target need
 * the right to read it.
 */
function behind(
  env: Environment,
  step: Step & { kind: 'relation' },
  targets: Ids,
  width: number,
): Promise<Map<number, Row[]>> {
  const { field, below } = step
  return rowsOf(named(step) ? env.sudo() : env, comodelOf(field), targets, below, width)
}

const targetsIn = (value: unknown): Ids =>
  Array.isArray(value) ? (value as number[]) : typeof value === 'number' ? [value] : []

function recordRows(
  record: WireRow,
  plan: Plan,
  width: number,
  xmlids: ReadonlyMap<number, string>,
  related: ReadonlyMap<Step, ReadonlyMap<number, Row[]>>,
  labels: Labels,
): Row[] {
  const first: ExportCell[] = Array(width).fill('')
  const further: Row[] = []
  for (const step of plan) {
    if (step.kind === 'id') first[step.at] = String(record.id)
    else if (step.kind === 'xmlid') first[step.at] = xmlids.get(record.id) ?? ''
    else if (step.kind === 'value') first[step.at] = exportCell(step.field, record[step.field.name], labels)
    else {
      const rows = targetsIn(record[step.field.name]).map((target) => related.get(step)?.get(target) ?? [])
      const [head, ...rest] = step.field.kind === 'many2many' ? joined(rows, width) : rows.flat()
      for (const [at, cell] of (head ?? []).entries()) if (cell !== '') first[at] = cell
      // One by one: a call takes some hundred thousand arguments at most.
      for (const row of rest) further.push(row)
    }
  }
  return [first, ...further]
}

/** A many2many takes one row: its cells are joined by commas. */
export function joined(rows: readonly (readonly Row[])[], width: number): Row[] {
  const all = rows.flat()
  if (all.length === 0) return []
  return [
    Array.from({ length: width }, (_, at) =>
      all
        .map((row) => row[at] ?? '')
        .filter((cell) => cell !== '')
        .join(','),
    ),
  ]
}
