// Rows of a job: read from their chunk, made records by `upsert`, told line by line.
import {
  type ErrorObject,
  errorObject,
  InvalidValue,
  ServiceError,
  UnprocessableEntity,
} from '../../../errors.ts'
import { parseJson } from '../../../kit/json-text.ts'
import type { Environment } from '../../../models/language/environment.ts'
import { withUntyped } from '../../../models/methods/typed-values.ts'
import { valuesOfCells } from '../../../models/transfer/upsert/cells.ts'
import type { UpsertOutcome } from '../../../models/transfer/upsert/index.ts'
import { recordsOf } from '../../../models/unit/environment.ts'
import type { Target } from '../../calls/method.ts'
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

/** What became of rows, by their number. */
export interface Tally {
  readonly rows: number
  readonly created: number
  readonly updated: number
  readonly unchanged: number
  readonly failed: number
}

export const nothingYet: Tally = { rows: 0, created: 0, updated: 0, unchanged: 0, failed: 0 }

/** Lines of a result: one a row, and at the end how many there were of each. */
export class Telling {
  tally: Tally
  #lines: string[] = []

  constructor(before: Tally) {
    this.tally = before
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

  /** Behind what was told so far comes the rest; counted on. */
  add({ tally, text }: Telling): void {
    const sum = (name: keyof Tally) => this.tally[name] + tally[name]
    this.tally = {
      rows: sum('rows'),
      created: sum('created'),
      updated: sum('updated'),
      unchanged: sum('unchanged'),
      failed: sum('failed'),
    }
    if (text) this.#lines.push(text.slice(0, -1))
  }

  end(): void {
    this.#lines.push(JSON.stringify({ $end: this.tally }))
  }

  #count(status: UpsertOutcome['status']): void {
    this.tally = { ...this.tally, rows: this.tally.rows + 1, [status]: this.tally[status] + 1 }
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
  { key, onError, cells }: BulkWork,
  rows: readonly Row[],
): Promise<Telling> {
  const values = cells
    ? await valuesOfCells(
        env,
        model,
        rows.map(({ text }) => JSON.parse(text) as Record<string, string>),
      )
    : rows.map(({ line, text }) => objectIn(text, line))
  const telling = new Telling(nothingYet)
  let good: { readonly line: number; readonly vals: object }[] = []
  const wrong = new Map<number, ServiceError>()
  for (const [n, { line }] of rows.entries()) {
    const vals = values[n]
    if (!(vals instanceof ServiceError)) good.push({ line, vals: vals ?? {} })
    else if (onError === 'fail') throw at(vals, line)
    else wrong.set(line, vals)
  }
  const outcomes = new Map<number, UpsertOutcome>()
  const run = async () => {
    const { params } = withUntyped(model, { ids: [], params: { vals_list: good.map(({ vals }) => vals) } })
    const given = { key, on_error: onError, ...params }
    const found = (await method.run(recordsOf(env, model, []) as never, given)) as readonly UpsertOutcome[]
    for (const outcome of found) outcomes.set(good[outcome.index]?.line ?? 0, outcome)
  }
  try {
    await run().catch((error: unknown) => {
      const repeats = error instanceof ServiceError ? error.about.repeats : undefined
      if (onError === 'fail' || !repeats) throw error
      // Where rows stand for themselves, so do those whose key was there before.
      const again = new Set(repeats)
      for (const at of again) wrong.set(good[at]?.line ?? 0, repeated(error as ServiceError))
      good = good.filter((_, at) => !again.has(at))
      return run()
    })
  } catch (error) {
    const index = error instanceof ServiceError ? error.context.index : undefined
    if (error instanceof ServiceError && typeof index === 'number') throw at(error, good[index]?.line ?? 0)
    throw error
  }
  for (const { line } of rows) {
    const outcome = outcomes.get(line)
    const error = wrong.get(line)
    if (error) telling.failed(line, errorObject(error))
    else if (outcome?.status === 'failed') telling.failed(line, outcome.error)
    else if (outcome) telling.done(line, outcome)
  }
  return telling
}

/** What is wrong with a row by itself: its line is told beside it. */
const repeated = ({ message, code }: ServiceError): ServiceError => new UnprocessableEntity(message, { code })

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
    if (error instanceof ServiceError) return error
  }
  return new InvalidValue(`Line ${line} is no JSON object.`)
}
