// Between plans and the wire: domains and values with ids, and answers with places.
import type { Answer, Condition, ModelKey, Step, Value } from './plan.ts'
import type { FieldShape, Shape } from './shape.ts'
import type { Ids } from './stage.ts'

type Conditions = unknown[]

/** A name of a rule's text that stays without quotes. */
class Name {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

function idsIn(value: Value, ids: Ids): unknown {
  if (value === null) return false
  if (typeof value !== 'object') return value
  if ('var' in value) return new Name(value.var)
  if ('row' in value) return ids.rows[value.row] ?? 0
  if ('company' in value) return ids.companies[value.company]
  if ('user' in value) return ids.users[value.user]
  return value.map((element) => idsIn(element, ids))
}

/** The condition in prefix notation. */
function listOf(condition: Condition, ids: Ids): Conditions {
  switch (condition.kind) {
    case 'and':
    case 'or':
      return [condition.kind === 'and' ? '&' : '|', ...condition.of.flatMap((part) => listOf(part, ids))]
    case 'not':
      return ['!', ...listOf(condition.of, ids)]
    case 'leaf':
      return [[condition.field, condition.by, idsIn(condition.value, ids)]]
    case 'any': {
      const { field, of, dotted } = condition
      const plain =
        of.kind === 'leaf' &&
        of.by !== '!=' &&
        of.by !== 'not in' &&
        !JSON.stringify(of.value).includes('null')
      return plain && dotted
        ? [[`${field}.${of.field}`, of.by, idsIn(of.value, ids)]]
        : [[field, 'any', listOf(of, ids)]]
    }
  }
}

/** A rule's domain in Python's syntax. */
export function domainText(condition: Condition | null, ids: Ids): string {
  return condition ? python(listOf(condition, ids)) : '[]'
}

function python(value: unknown): string {
  if (value instanceof Name) return value.text
  if (value === false) return 'False'
  if (!Array.isArray(value)) return JSON.stringify(value)
  // Lists of companies are concatenated with the other values.
  const lists = value
    .filter((element) => element instanceof Name && element.text === 'company_ids')
    .map(python)
  const rest = value.filter((element) => !(element instanceof Name && element.text === 'company_ids'))
  const plain = `[${rest.map(python).join(', ')}]`
  if (lists.length === 0) return plain
  return rest.length ? `${lists.join(' + ')} + ${plain}` : lists.join(' + ')
}

const methods: Readonly<Record<Step['do'], string>> = {
  search: 'search',
  search_count: 'search_count',
  search_read: 'search_read',
  name_search: 'name_search',
  formatted_read_group: 'formatted_read_group',
  read_group: 'read_group',
  read: 'read',
  web_read: 'web_read',
  export_data: 'export_data',
  has_access: 'has_access',
  write: 'write',
  create: 'create',
  copy: 'copy',
  unlink: 'unlink',
}

export interface Request {
  readonly method: string
  readonly body: Record<string, unknown>
}

/** The call that asks what the step asks. */
export function requestOf(step: Step, shape: Shape, ids: Ids): Request {
  const context = step.companies
    ? { context: { allowed_company_ids: step.companies.map((company) => ids.companies[company]) } }
    : {}
  const rows = 'rows' in step ? { ids: step.rows.map((place) => ids.rows[place]) } : {}
  const domain = 'domain' in step ? { domain: step.domain ? listOf(step.domain, ids) : [] } : {}
  return {
    method: methods[step.do],
    body: { ...context, ...rows, ...domain, ...furtherOf(step, shape, ids) },
  }
}

function furtherOf(step: Step, shape: Shape, ids: Ids): Record<string, unknown> {
  switch (step.do) {
    case 'search':
      return step.order ? { order: step.order } : {}
    case 'search_read':
    case 'read':
      return step.fields ? { fields: step.fields } : {}
    case 'name_search':
      return { name: step.name }
    case 'formatted_read_group':
      return { groupby: [step.by], aggregates: ['__count', `${step.sum}:sum`] }
    case 'read_group':
      return { groupby: [step.by], fields: [`${step.sum}:sum`], lazy: false }
    case 'web_read':
      return {
        specification: { [step.field]: { fields: Object.fromEntries(step.below.map((name) => [name, {}])) } },
      }
    case 'export_data':
      return { fields_to_export: step.paths }
    case 'has_access':
      return { operation: step.operation }
    case 'write':
      return { vals: valsOf(step.values, shape[step.model], ids) }
    case 'create':
      return { vals_list: [valsOf(step.values, shape[step.model], ids)] }
    default:
      return {}
  }
}

function valsOf(
  values: Readonly<Record<string, unknown>>,
  fields: Readonly<Record<string, FieldShape>>,
  ids: Ids,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      const { kind, target } = fields[name] as FieldShape
      if (kind === 'many2many') return [name, [[6, 0, (value as number[]).map((place) => ids.rows[place])]]]
      if (kind !== 'many2one') return [name, value]
      if (value === null) return [name, false]
      return [
        name,
        (target === 'company' ? ids.companies : target === 'user' ? ids.users : ids.rows)[value as number],
      ]
    }),
  )
}

/** The server's answer, with indexes for ids. New ids get the next indexes. */
export function answerOf(step: Step, shape: Shape, ids: Ids, said: Answer): Answer {
  if ('refused' in said) return said
  const places = new Places(shape, ids)
  return { value: places.read(step, said.value) }
}

class Places {
  readonly shape: Shape
  readonly ids: Ids

  constructor(shape: Shape, ids: Ids) {
    this.shape = shape
    this.ids = ids
  }

  row(model: ModelKey, record: unknown): unknown {
    // Ids of different models overlap; a place is of one model only.
    const recordPlace = this.ids.rows.findIndex(
      (row, place) => row === record && this.ids.models[place] === model,
    )
    return recordPlace < 0 ? `unknown ${model} ${record}` : recordPlace
  }

  read(step: Step, value: unknown): unknown {
    const { model } = step
    const list = value as unknown[]
    switch (step.do) {
      case 'search':
        return list.map((id) => this.row(model, id))
      case 'name_search':
        return (list as [number, string][]).map(([id, name]) => [this.row(model, id), name])
      case 'search_read':
      case 'read':
        return (list as Record<string, unknown>[]).map((record) => [
          this.row(model, record.id),
          this.fields(model, record),
        ])
      case 'web_read':
        return (list as Record<string, unknown>[]).map((record) => [
          this.row(model, record.id),
          this.lines((this.shape[model][step.field] as FieldShape).target as ModelKey, record[step.field]),
        ])
      case 'export_data':
        return (value as { datas: unknown }).datas
      case 'formatted_read_group':
      case 'read_group': {
        const sum = step.do === 'read_group' ? step.sum : `${step.sum}:sum`
        return (list as Record<string, unknown>[]).map((group) => [
          this.key(model, step.by, group[step.by]),
          group.__count,
          group[sum] || 0,
        ])
      }
      case 'create':
      case 'copy':
        return list.map((createdId) => this.add(model, createdId as number))
      default:
        return value
    }
  }

  add(model: ModelKey, id: number): number {
    this.ids.models[this.ids.rows.length] = model
    return this.ids.rows.push(id) - 1
  }

  fields(model: ModelKey, record: Record<string, unknown>): Record<string, unknown> {
    const names = Object.keys(record).filter((name) => Object.hasOwn(this.shape[model], name))
    return Object.fromEntries(
      names.map((name) => [name, this.value(this.shape[model][name] as FieldShape, record[name])]),
    )
  }

  value({ kind, target }: FieldShape, value: unknown): unknown {
    if (kind === 'char' || kind === 'integer' || value === false) return value
    if (kind === 'many2one') return this.pair(target, value as [number, string])
    return (value as number[])
      .map((id) => this.row(target as ModelKey, id))
      .sort((a, b) => Number(a) - Number(b))
  }

  pair(target: FieldShape['target'], [record, name]: [number, string]): unknown {
    if (target === 'company') return [this.ids.companies.indexOf(record)]
    if (target === 'user') return [this.ids.users.indexOf(record)]
    return [this.row(target as ModelKey, record), name]
  }

  key(model: ModelKey, by: string, value: unknown): unknown {
    const { target } = this.shape[model][by.split('.')[0] as string] as FieldShape
    return Array.isArray(value) ? this.pair(target, value as [number, string]) : value
  }

  lines(model: ModelKey, value: unknown): unknown {
    const pairs = value === false ? [] : ([value].flat() as Record<string, unknown>[])
    return pairs
      .map(({ id, ...rest }) => [this.row(model, id), rest])
      .sort((a, b) => Number(a[0]) - Number(b[0]))
  }
}
