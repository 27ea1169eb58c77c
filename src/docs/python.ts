// Method contracts as clients of the API know them: signatures in Python's spelling, parameters, annotations,
// texts as HTML.
import { html as tagged } from '../kit/html.ts'
import type { Param, ParamType } from '../models/contract/param.ts'
import type { MethodDef } from '../models/language/definitions.ts'

/** A parameter as the documents list it (spec/wire.md section 14). */
export interface ParameterDocument {
  readonly default?: unknown
  readonly annotation?: string
  readonly doc?: string
  /** Absent for an ordinary parameter. */
  readonly kind?: 'VAR_KEYWORD'
}

/** A value in Python's spelling: `None`, `True`, `'text'`. */
export function literal(value: unknown): string {
  if (value === null || value === undefined) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (typeof value === 'string') return quoted(value)
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`
  if (typeof value === 'object') {
    return `{${Object.entries(value)
      .map(([key, held]) => `${quoted(key)}: ${literal(held)}`)
      .join(', ')}}`
  }
  return String(value)
}

function quoted(text: string): string {
  const mark = text.includes("'") && !text.includes('"') ? '"' : "'"
  const inside = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll(mark, `\\${mark}`)
  return mark + inside + mark
}

/**
 * `(domain, offset=0, limit=None, order=None) -> list[int]`. Parameters taken by name only gather in one
 * `**name` at the end.
 */
export function signature(method: MethodDef): string {
  const parameters = Object.entries(parametersOf(method)).map(([name, parameter]) => {
    if (parameter.kind === 'VAR_KEYWORD') return `**${name}`
    return 'default' in parameter ? `${name}=${literal(parameter.default)}` : name
  })
  const result = method.returns && annotationOf(method.returns)
  return `(${parameters.join(', ')})${result ? ` -> ${result}` : ''}`
}

/** The parameters in the method's order, which clients that call by position rely on. */
export function parametersOf(method: MethodDef): Record<string, ParameterDocument> {
  const described: Record<string, ParameterDocument> = {}
  const gathered: Record<string, ParameterDocument> = {}
  for (const [name, param] of Object.entries(method.params)) {
    if (param.gathered)
      gathered[param.gathered] = { kind: 'VAR_KEYWORD', doc: html(`${name}: ${param.doc ?? 'by name only'}`) }
    else described[name] = describe(param)
  }
  return { ...described, ...gathered }
}

function describe(param: Param): ParameterDocument {
  const annotation = annotationOf(param)
  return {
    ...(param.hasDefault ? { default: param.default ?? null } : {}),
    ...(annotation ? { annotation } : {}),
    ...(param.doc ? { doc: html(param.doc) } : {}),
  }
}

const annotations: Partial<Record<ParamType, string>> = {
  boolean: 'bool',
  integer: 'int',
  number: 'float',
  string: 'str',
  text: 'str',
  domain: 'DomainType',
  fields: 'list[str]',
  strings: 'list[str]',
  order: 'str',
  limit: 'int',
  offset: 'int',
  vals: 'ValuesType',
  valsList: 'list[ValuesType]',
  object: 'dict',
  array: 'list',
  ids: 'list[int]',
  specification: 'dict',
  records: 'list[int]',
  nothing: 'None',
}

/** The type as documentation prints it; null where anything goes. */
export function annotationOf(param: Param): string | null {
  if (param.annotation) return param.annotation
  const plain = annotations[param.type]
  return plain ? (param.hasDefault && param.default === null ? `${plain} | None` : plain) : null
}

/** A plain text as HTML. */
export function html(text: string): string {
  return tagged`<p>${text}</p>`.toString()
}
