// The form of a method of every model: its contract together with its implementation.

import type { MethodSpec, Params } from '../contract/param.ts'
import type { MethodRun } from '../language/behaviour.ts'
import type { LooseRecords } from '../language/definitions.ts'

interface GenericMethod {
  readonly spec: MethodSpec
  readonly run: MethodRun
}
export type GenericMethods = Readonly<Record<string, GenericMethod>>

/** A method over any model's records, parameters typed by its contract. */
export function generic<const S extends MethodSpec>(
  spec: S,
  run: (records: LooseRecords, params: Params<S>) => unknown,
): GenericMethod {
  return { spec, run: run as unknown as MethodRun }
}
