// Exports of few records whose cells one statement returns: their own columns, and names of the records
// that they refer to. The rows are written as text.
import { InvalidValue } from '../../errors.ts'
import { shown } from '../../kit/text.ts'
import { assertWithin } from '../../limits.ts'
import { type Sql, type Statement, sql } from '../../sql/index.ts'
import type { FieldDef, Ids, ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { comodelOf, leadsToOne } from '../language/field-options.ts'
import type { Scope } from '../language/scope.ts'
import type { Listed } from '../read/rendered.ts'
import { idsKey, canonicalJson as paramJson } from '../read/request-keys.ts'
import { answerFormOf, jsonOf } from '../read/selection.ts'
import { IDS_MARK, idsValues } from '../read/shapes.ts'
import { compactText, largeTableCount, needOf } from '../read/short/dictionary.ts'
import {
  arrayForm,
  type Cell,
  dictionaryCell,
  directCell,
  rawTextCell,
  type ShortForm,
  TOGETHER,
  textCell,
} from '../read/short/form.ts'
import { shortByIds, shortJson } from '../read/short/statements.ts'
import { assertModel, fieldNamed, hiddenRecordsError } from '../rights/judge.ts'
import { raisesRightsVersion, unrestricted } from '../rights/tables.ts'
import { planned, type RequestKey } from '../row/plans.ts'
import { type Labels, labelsOf } from '../terms/labels.ts'
import { splitPath } from './layout.ts'

export function exportKey(env: Environment, model: ModelDef, ids: Ids, fields: unknown): RequestKey | null {
  const paths = paramJson(fields)
  return paths === null ? null : idsKey(env, model, ids, `export_data ${paths}`)
}

/**
 * The rows of few distinct records by one statement; null if one statement is not enough. `plan`
 * describes the cells. Throws AccessError as `exportRows`.
 */
export async function exportList(
  env: Environment,
  model: ModelDef,
  ids: Ids,
  plan: readonly Step[],
  request: RequestKey,
): Promise<Listed | null> {
  const cells = [...plan.flatMap(cellsIn)].sort((one, other) => one.at - other.at)
  if (cells.some(({ at }, i) => at !== i) || !plan.every(isOwn)) return null
  assertModel(env, model, 'read')
  const { unit } = env
  const labels = await labelsOf(env, model)
  // Labels are cached for a version of the rights, and so are plans that contain them.
  if (unit.rights === unrestricted || raisesRightsVersion(unit)) return null
  const paths = cells.map(({ name }) => name).join()
  const shape = `export ${model.name} ${paths} ${ids.length >= TOGETHER} ${largeTableCount()}`
  const make = (marked: boolean) => {
    const form = (scope: Scope) => arrayForm(scope, cells, ({ step }) => cellOf(scope, step, labels))
    const some = marked ? IDS_MARK : ids
    const short = shortByIds(env, model, { ids: some, most: ids.length }, form)
    return { statement: short?.statement ?? sql`SELECT ${some}::int[]`, rest: short?.rest.short ?? null }
  }
  const { statement, rest: form } = planned<ShortForm | null>(env, shape, idsValues(ids), make, request)
  if (!form) return null
  return (await listed(env, model, ids, statement, form)) ?? exportList(env, model, ids, plan, request)
}

/** The rows by a cached plan; null if it must be composed again. Throws AccessError as `exportRows`. */
export async function listed(
  env: Environment,
  model: ModelDef,
  ids: Ids,
  statement: Statement,
  form: ShortForm,
): Promise<Listed | null> {
  const list = await shortJson(env, statement, form, ids, true)
  if (list?.counted) throw hiddenRecordsError(env, model, 'read')
  return list?.answer ?? null
}

/** A cell of a row: its position, the step that fills it, and a name for the cache key. */
interface Place {
  readonly at: number
  readonly step: Step
  readonly name: string
}

function cellsIn(step: Step): readonly Place[] {
  if (step.kind === 'relation')
    return step.below.flatMap((below) =>
      'at' in below ? [{ at: below.at, step, name: `${step.field.name}/` }] : [],
    )
  return [{ at: step.at, step, name: step.kind === 'value' ? step.field.name : step.kind }]
}

/** Whether a step reads only the record's own row and names of its targets. */
const isOwn = (step: Step): boolean => (step.kind === 'relation' ? named(step) : step.kind !== 'xmlid')

function cellOf(scope: Scope, step: Step, labels: Labels): Cell | null {
  switch (step.kind) {
    case 'id':
      return textCell(scope.id, (id) => `"${id}"`)
    case 'xmlid':
      return null
    case 'value':
      return valueCell(scope, step.field, labels)
    case 'relation':
      return leadsToOne(step.field) ? nameCell(scope, step.field) : null
  }
}

const EMPTY = '""'

function valueCell(scope: Scope, field: FieldDef, labels: Labels): Cell | null {
  const value = scope.value(field)
  const { direct, typedAs, unset } = field.type
  if (field.kind === 'selection' && value) {
    const texts = new Map(
      Object.entries(labels.options(field)).map(([key, label]) => [key, JSON.stringify(label)]),
    )
    return textCell(value, (key) => (key === null ? EMPTY : (texts.get(String(key)) ?? JSON.stringify(key))))
  }
  if (value && direct) return directCell(value, direct, typedAs ? EMPTY : String(unset))
  const json: Sql | null = jsonOf(scope, field, answerFormOf(null))
  return json && textCell(json, (one) => JSON.stringify(exportCell(field, one, labels)))
}

/** The display name of a target, which users who read the record may see. */
function nameCell(scope: Scope, field: FieldDef): Cell | null {
  const value = scope.value(field)
  if (!value) return null
  const show = (target: Scope) => {
    const name = target.displayName()
    return name && sql`COALESCE(to_json(${name}), '""'::json)`
  }
  const need = needOf(scope.env, comodelOf(field), show)
  if (need) return dictionaryCell(value, need, EMPTY, compactText)
  const name = scope.join(field).privileged().displayName()
  return name && rawTextCell(name, EMPTY)
}

// The plan of an export: paths of fields as steps over relations and cells to fill.

export type Plan = readonly Step[]
export type Step =
  | { readonly kind: 'id'; readonly at: number }
  | { readonly kind: 'xmlid'; readonly at: number }
  | { readonly kind: 'value'; readonly at: number; readonly field: FieldDef }
  | { readonly kind: 'relation'; readonly field: FieldDef; readonly below: Plan }

/** Whether a step reads the display names of targets and nothing else of them. */
export const named = ({ field, below }: Step & { kind: 'relation' }): boolean =>
  leadsToOne(field) && below.every((step) => step.kind === 'value' && step.field.name === 'display_name')

/** Validates paths from a client. Throws InvalidValue, PayloadTooLarge. */
export function pathsIn(paths: unknown): readonly string[] {
  if (!Array.isArray(paths) || !paths.every((path) => typeof path === 'string'))
    throw new InvalidValue('fields_to_export must be a list of paths')
  assertWithin('fields', paths.length)
  return paths
}

/** Throws InvalidValue for unknown fields, AccessError for fields that the user may not read. */
export const planFor = (env: Environment, model: ModelDef, paths: readonly string[]): Plan =>
  planOf(
    env,
    model,
    paths.map((path, at) => ({ at, steps: splitPath(path) })),
  )

const MAX_STEPS = 20

interface Path {
  readonly at: number
  readonly steps: readonly string[]
}

function planOf(env: Environment, model: ModelDef, paths: readonly Path[]): Plan {
  const plan: Step[] = []
  const below = new Map<FieldDef, Path[]>()
  for (const { at, steps } of paths) {
    const [name = '', ...rest] = steps
    if (steps.length > MAX_STEPS)
      throw new InvalidValue(`A path to export may have at most ${MAX_STEPS} steps.`)
    if (rest.length === 0 && name === '.id') plan.push({ kind: 'id', at })
    else if (rest.length === 0 && name === 'id') plan.push({ kind: 'xmlid', at })
    else {
      const field = fieldNamed(env, model, name)
      if (field.comodel)
        below.set(field, [...(below.get(field) ?? []), { at, steps: rest.length ? rest : ['display_name'] }])
      else if (rest.length)
        throw new InvalidValue(
          `${model.name}.${name} is not a relational field, so ${shown(steps.join('/'))} is not a valid path.`,
        )
      else plan.push({ kind: 'value', at, field })
    }
  }
  for (const [field, deeper] of below)
    plan.push({ kind: 'relation', field, below: planOf(env, comodelOf(field), deeper) })
  return plan
}

export type ExportCell = string | number | boolean

/** From the wire form: numbers and booleans keep their type, selections show labels, unset is empty. */
export function exportCell(field: FieldDef, value: unknown, labels: Labels): ExportCell {
  if (field.kind === 'boolean') return value === true
  if (value === false || value === null || value === undefined) return ''
  if (field.kind === 'selection') return labels.options(field)[value as string] ?? String(value)
  if (typeof value === 'object')
    return Array.isArray(value) && value.length === 0 ? '' : JSON.stringify(value)
  return value as ExportCell
}
