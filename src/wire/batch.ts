// The answer of a batch as JSON: results of the calls as they came, refusals as error objects.
import { errorObject } from '../errors.ts'
import type { BatchAnswer, Outcome } from '../services/batch/index.ts'

function outcomeText({ id, status, json, error, code, isReplay }: Outcome): string {
  const head = `${id === null ? '' : `"id":${JSON.stringify(id)},`}"status":${status}`
  if (json !== undefined) return `{${head}${isReplay ? ',"replayed":true' : ''},"body":${json}}`
  if (error)
    return `{${head},"code":${JSON.stringify(error.code)},"body":${JSON.stringify(errorObject(error))}}`
  return `{${head},"code":${JSON.stringify(code)}}`
}

/** The answer of a batch as JSON text. */
export function batchText({ results, failed }: BatchAnswer): string {
  const list = `"results":[${results.map(outcomeText).join()}]`
  return failed ? `{"failed":${failed.place},${list}}` : `{${list}}`
}
