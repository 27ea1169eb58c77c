// Rows of a job: read from their chunk, upserted, reported line by line.
import { type ErrorObject, errorObject, InvalidValue, ServiceError } from '../../../errors.ts'
import { parseJson } from '../../../kit/json-text.ts'
import type { ModelDef } from '../../../models/language/definitions.ts'
import type { Environment } from '../../../models/language/environment.ts'
import { untypedVals } from '../../../models/methods/bind.ts'
import type { UpsertOutcome } from '../../../models/transfer/upsert/index.ts'
import { upsertKeyOf, valuesOfCells } from '../../../models/transfer/upsert/key.ts'
import { recordsOf } from '../../../models/unit/environment.ts'
import type { Target } from '../../calls/method.ts'
import { type ReadRow, refuseRepeatedKeys } from './keys.ts'
import type { BulkWork } from './work.ts'

export interface Row {
  readonly line: number
  readonly text: string
}

/** Rows of a chunk, from one of them on. */
export function rowsIn(chunk: string, from: number, most: number): Row[] {
  return chunk
    .split('\n')
    .slice(from, from + most)
    .map((kept) => {
      const tab = kept.indexOf('\t')
      return { line: Number(kept.slice(0, tab)), text: kept.slice(tab + 1) }
    })
}

/** Number of rows per outcome. */
export interface RowCounts {
  readonly rows: number
  readonly created: number
  readonly updated: number
  readonly unchanged: number
  readonly failed: number
}

export const zeroCounts: RowCounts = { rows: 0, created: 0, updated: 0, unchanged: 0, failed: 0 }

/** Lines of a result: one a row, and at the end how many there were of each. */
export class ResultLines {
  counts: RowCounts
  #lines: string[] = []

  constructor(before: RowCounts) {
    this.counts = before
  }

  get text(): string {
    return this.#lines.map((line) => `${line}\n`).join('')
  }

  done(line: number, { status, id }: UpsertOutcome & { readonly id: number }): void {
    this.#count(status)
    this.#lines.push(JSON.stringify({ line, status, id }))
  }

  failed(line: number, error: ErrorObject): void {
    this.#count('failed')
    this.#lines.push(JSON.stringify({ line, status: 'failed', error }))
  }

  /** Appends the report of further rows, and adds their counts. */
  add({ counts, text }: ResultLines): void {
    const sum = (name: keyof RowCounts) => this.counts[name] + counts[name]
    this.counts = {
      rows: sum('rows'),
      created: sum('created'),
      updated: sum('updated'),
      unchanged: sum('unchanged'),
      failed: sum('failed'),
    }
    if (text) this.#lines.push(text.slice(0, -1))
  }

  end(): void {
    this.#lines.push(JSON.stringify({ $end: this.counts }))
  }

  #count(status: UpsertOutcome['status']): void {
    this.counts = { ...this.counts, rows: this.counts.rows + 1, [status]: this.counts[status] + 1 }
  }
}

type Found = Target & { readonly refusal?: undefined }

/**
 * Makes or writes the records of rows. Where rows do not stand for themselves, throws the error of the first
 * that fails, with its line in `context.line`.
 */
export async function upserted(
  env: Environment,
  { model, method }: Found,
  { id: job, work }: { readonly id: string; readonly work: BulkWork },
  rows: readonly Row[],
): Promise<ResultLines> {
  const { key, onError } = work
  const wrong = new Map<number, ServiceError>()
  const refuse = (line: number, error: ServiceError) => {
    if (onError === 'fail') throw at(error, line)
    wrong.set(line, error)
  }
  const values = await valuesIn(env, model, work, rows)
  const read = rows.flatMap(({ line }, n): ReadRow[] => {
    const vals = values[n] ?? {}
    if (!(vals instanceof ServiceError)) return [{ line, vals }]
    refuse(line, vals)
    return []
  })
  const once = { env, model, key: upsertKeyOf(env, model, key), job }
  for (const [line, error] of await refuseRepeatedKeys(once, read)) refuse(line, error)
  const good = read.filter(({ line }) => !wrong.has(line))
  const outcomes = new Map<number, UpsertOutcome>()
  try {
    const parameters = { key, on_error: onError, vals_list: good.map(({ vals }) => vals) }
    const results = (await method.run(
      recordsOf(env, model, []) as never,
      parameters,
    )) as readonly UpsertOutcome[]
    for (const outcome of results) outcomes.set(good[outcome.index]?.line ?? 0, outcome)
  } catch (error) {
    const index = error instanceof ServiceError ? error.context.index : undefined
    if (error instanceof ServiceError && typeof index === 'number') throw at(error, good[index]?.line ?? 0)
    throw error
  }
  const telling = new ResultLines(zeroCounts)
  for (const { line } of rows) {
    const outcome = outcomes.get(line)
    const error = wrong.get(line)
    if (error) telling.failed(line, errorObject(error))
    else if (outcome?.status === 'failed') telling.failed(line, outcome.error)
    else if (outcome) telling.done(line, outcome)
  }
  return telling
}

/** Values of rows in the documented form, or what is wrong with one. */
async function valuesIn(
  env: Environment,
  model: ModelDef,
  { cells }: BulkWork,
  rows: readonly Row[],
): Promise<readonly (Record<string, unknown> | ServiceError)[]> {
  if (cells)
    return valuesOfCells(
      env,
      model,
      rows.map(({ text }) => JSON.parse(text) as Record<string, string>),
    )
  return rows.map(({ line, text }) => {
    try {
      return untypedVals(model, objectIn(text, line))
    } catch (error) {
      if (error instanceof ServiceError) return error
      throw error
    }
  })
}

function at(error: ServiceError, line: number): ServiceError {
  delete error.context.index
  error.context.line = line
  return error
}

function objectIn(text: string, line: number): object {
  try {
    const value = parseJson(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  } catch (error) {
    if (error instanceof ServiceError) throw error
  }
  throw new InvalidValue(`Line ${line} is not a JSON object.`)
}
