// Binding: a call's ids, named and positional parameters are fitted to a method's contract before anything
// runs.
import { InvalidValue, UnprocessableEntity } from '../../errors.ts'
import { isEmptyList, isNoObject, isNothing, unquoted } from '../../kit/nothing.ts'
import { pointerOf } from '../../kit/pointer.ts'
import { isInteger, present } from '../../kit/present.ts'
import { shown } from '../../kit/text.ts'
import { assertWithin } from '../../limits.ts'
import type { MethodSpec, Param, Params } from '../contract/param.ts'
import { untyped } from '../kinds/shared.ts'
import type { MethodRun } from '../language/behaviour.ts'
import type { Ids, LooseRecords, LooseVals, MethodDef, ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { leadsToMany } from '../language/field-options.ts'
import { missingRecordsError } from '../rights/judge.ts'
import { guardRecords } from '../row/access.ts'
import { isOfAnnotation } from './annotated.ts'

export interface Bound {
  readonly ids: Ids
  readonly params: Record<string, unknown>
}

/**
 * Binds by name (JSON-2). Throws UnprocessableEntity for missing and unknown parameters and for ids of a
 * model-level method, InvalidValue for ids and values of the wrong kind (spec/wire.md section 5).
 */
export function bindNamed(model: string, method: MethodDef, ids: unknown, named: LooseVals): Bound {
  // An action is done once for a record that is named twice; `read` answers it twice (recorded).
  const records = method.module === 'core' ? idsOf(ids) : [...new Set(idsOf(ids))]
  if (method.level === 'model' && records.length)
    throw new UnprocessableEntity(`cannot call ${model}.${method.name} with ids`, {
      about: { accepted: acceptedBy(method), faults: [{ pointer: '/ids' }] },
    })
  for (const name of Object.keys(named)) {
    if (!Object.hasOwn(method.params, name))
      throw new UnprocessableEntity(`got an unexpected keyword argument '${name}'`, {
        code: 'unknown_parameter',
        about: { accepted: acceptedBy(method), faults: [{ pointer: pointerOf([name]) }] },
      })
  }
  const params: Record<string, unknown> = {}
  for (const name in method.params) {
    const param = method.params[name]
    if (!param) continue
    if (Object.hasOwn(named, name)) {
      params[name] = fit(name, param, named[name])
      if (!method.checksItself && param.type === 'any' && !isOfAnnotation(param, named[name]))
        throw wrongType(name, param)
    } else if (param.hasDefault) params[name] = param.default
    else
      throw new UnprocessableEntity(`missing a required argument: '${name}'`, {
        code: 'missing_parameter',
        about: { accepted: acceptedBy(method), faults: [{ pointer: pointerOf([name]) }] },
      })
  }
  return { ids: records, params }
}

/** Methods of every model write values as callers give them; those of modules decide what they write. */
export const writesCallerValues = ({ module, readonly }: MethodDef): boolean => module === 'core' && !readonly

/**
 * Binds by position, names after that (RPC): the first argument holds the ids unless the method is
 * model-level (spec/wire.md section 12).
 */
export function bindPositional(
  model: string,
  method: MethodDef,
  args: readonly unknown[],
  named: LooseVals,
): Bound {
  const rest = [...args]
  if (method.level !== 'model' && rest.length === 0)
    throw new UnprocessableEntity(`${method.name} takes ids as its first argument`)
  const first = method.level === 'model' ? undefined : rest.shift()
  const ids = first === '' ? [] : first
  const names = Object.keys(method.params)
  if (rest.length > names.length) throw new UnprocessableEntity('too many positional arguments')
  const merged: Record<string, unknown> = { ...named }
  for (const [i, value] of rest.entries()) {
    const name = present(names[i])
    if (Object.hasOwn(named, name)) throw new UnprocessableEntity(`multiple values for argument '${name}'`)
    merged[name] = value
  }
  return bindNamed(model, method, ids, merged)
}

/**
 * Throws InvalidValue for what are no ids, PayloadTooLarge for too many. Ids as a list of integers, each as
 * often as given; a lone one is a list of one, null and false are none.
 */
export function idsOf(ids: unknown): number[] {
  if (ids === undefined || ids === null || ids === false) return []
  if (typeof ids === 'number') return idsOf([ids])
  if (Array.isArray(ids)) assertWithin('ids', ids.length)
  if (!Array.isArray(ids) || !ids.every((id) => Number.isInteger(id)))
    throw new InvalidValue('ids must be a list of record ids')
  return ids.map((id) => (Math.abs(id as number) > MAX_ID ? 0 : (id as number)))
}

/** Beyond it no record can be; id 0 stands for one that is not there. */
const MAX_ID = 2_147_483_647

/** The members that a body may have. */
const acceptedBy = ({ level, params }: MethodDef): string[] => [
  ...(level === 'model' ? [] : ['ids']),
  'context',
  ...Object.keys(params),
]

const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value)

/** A number as text: nothing else can be meant by it. */
const NUMBER = /^-?\d{1,15}(\.\d{1,15})?$/

/**
 * Values of several records: one object is a list of one, an empty list among objects is one without values.
 * Null for what is neither.
 */
function valsListOf(value: unknown): readonly unknown[] | null {
  if (isObject(value)) return [value]
  if (!Array.isArray(value)) return null
  if (value.every(isObject)) return value
  if (value.every((vals) => isObject(vals) || isEmptyList(vals)))
    return value.map((vals) => (isObject(vals) ? vals : {}))
  return null
}

const wrong = (name: string, value: unknown): InvalidValue =>
  new InvalidValue(`Invalid value for parameter ${name}: ${shown(value, 80)}`, {
    about: { faults: [{ pointer: pointerOf([name]) }] },
  })

/** Without the value, which may be a password. */
const wrongType = (name: string, { annotation }: Param): InvalidValue =>
  new InvalidValue(
    `The value of the parameter ${name} has a wrong type: the parameter takes ${annotation}.`,
    {
      about: { faults: [{ pointer: pointerOf([name]) }] },
    },
  )

/** Checks a value against its parameter's type. Null stands for the default where there is one. */
function fit(name: string, param: Param, value: unknown): unknown {
  // Most values are what they should be, and nothing more is asked of them.
  if (value === null && param.hasDefault && param.default === null) return null
  switch (param.type) {
    case 'valsList': {
      const list = valsListOf(value)
      if (list) return list
      throw wrong(name, value)
    }
    case 'vals':
    case 'object':
    case 'specification':
      if (isObject(value)) return value
      if (param.hasDefault && isNoObject(value)) return param.default
      if (isEmptyList(value)) return {}
      throw wrong(name, value)
    case 'domain':
    case 'array':
    case 'ids':
    case 'strings':
      if (Array.isArray(value)) return param.type === 'ids' ? [...new Set(value)] : value
      if (param.hasDefault && isNothing(value)) return param.default
      throw wrong(name, value)
    case 'limit':
    case 'offset': {
      if (typeof value === 'number' && Number.isInteger(value) && value >= 0) return value
      // Null, false and 0 mean none (spec/models-api.md section 3).
      if (isNothing(value)) return param.hasDefault ? param.default : null
      const count = unquoted(value)
      if (isInteger(count) && count >= 0) return count
      throw wrong(name, value)
    }
    case 'order':
      if (typeof value === 'string' && value !== '') return value
      if (isNothing(value)) return null
      throw wrong(name, value)
    case 'boolean':
      return Boolean(value)
    case 'string':
      if (typeof value === 'string') return value
      throw wrong(name, value)
    case 'number':
    case 'integer': {
      // An amount that is not there is not the one that is usual; false is nothing, and so 0.
      if (param.type === 'number' && value === false) return 0
      if (param.type === 'integer' && (value === false || (isNothing(value) && param.hasDefault)))
        return param.hasDefault ? param.default : 0
      const number = typeof value === 'string' && NUMBER.test(value) ? Number(value) : value
      if (param.type === 'integer' ? isInteger(number) : Number.isFinite(number)) return number
      throw wrong(name, value)
    }
    default:
      return value
  }
}

/**
 * Throws MissingError if one of the records that a method is called on does not exist, or fails the call
 * with it later. A user who may not read the model does not learn which of its ids are in use.
 */
export async function assertExist(env: Environment, model: ModelDef, ids: Ids): Promise<void> {
  if (!model.hasRows || !(env.su || env.unit.rights.mayModel(env.user, model, 'read'))) return
  await guardRecords(env.sudo(), model, ids, 'read', () =>
    missingRecordsError(model, ids.length === 1 ? ids : []),
  )
}

// The form of a method of every model: its contract together with its implementation.

interface GenericMethod {
  readonly spec: MethodSpec
  readonly run: MethodRun
}
type Contracted<P> = Omit<MethodSpec, 'params'> & { readonly params: P }
export type GenericMethods = Readonly<Record<string, GenericMethod>>

/** A method over any model's records, parameters typed by its contract. */
export function generic<const P extends MethodSpec['params']>({
  run,
  ...spec
}: Contracted<P> & {
  readonly run: (records: LooseRecords, params: Params<Contracted<P>>) => unknown
}): GenericMethod {
  return { spec, run: run as unknown as MethodRun }
}

// Values that came in the typed form, on their way into a method.

const HOLDING: ReadonlySet<string> = new Set(['vals', 'vals_list'])

export const takesValues = (params: object): boolean => Object.keys(params).some((name) => HOLDING.has(name))

/** A call's parameters, with the values of records in the documented form. */
export function withUntyped(model: ModelDef, { ids, params }: Bound): Bound {
  const entries = Object.entries(params).map(([name, value]) => [
    name,
    HOLDING.has(name) ? valuesOf(model, value) : value,
  ])
  return { ids, params: Object.fromEntries(entries) }
}

function valuesOf(model: ModelDef, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((one) => valuesOf(model, one))
  if (typeof value !== 'object' || value === null) return value
  return untypedVals(model, value)
}

export function untypedVals(model: ModelDef, typedVals: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(typedVals).map(([name, value]) => {
      const field = model.fields.get(name)
      if (!field) return [name, value]
      const { comodel } = field
      const lines = comodel && leadsToMany(field) && Array.isArray(value)
      return [name, lines ? value.map((line) => lineOf(comodel, line)) : untyped(field, value)]
    }),
  )
}

/** A command of lines: those that create and change have values at their end. */
function lineOf(model: ModelDef, line: unknown): unknown {
  if (!Array.isArray(line) || (line[0] !== 0 && line[0] !== 1)) return line
  return [line[0], line[1], valuesOf(model, line[2])]
}
