// What a caller gave, looked at before the engine judges it: code that reads values or ids must not trip over
// what are none.
import { InvalidValue } from '../../errors.ts'

/** The entries of `vals_list`. Throws InvalidValue for one that is no object of field names and values. */
export function givenVals(list: unknown): readonly Record<string, unknown>[] {
  return [list].flat().map((vals) => {
    if (!isVals(vals)) throw new InvalidValue('Values must be an object of field names and values.')
    return vals
  })
}

/** The ids among what a context, a command or a call gave for a list of them; none of what is no list. */
export const givenIds = (list: unknown): number[] =>
  Array.isArray(list) ? list.filter((id): id is number => Number.isInteger(id)) : []

function isVals(vals: unknown): vals is Record<string, unknown> {
  return typeof vals === 'object' && vals !== null && !Array.isArray(vals)
}
