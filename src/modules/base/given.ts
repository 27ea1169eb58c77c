// Values given to `create`, looked at before the engine judges them: wraps that read them must not trip over
// what is no object.
import { InvalidValue } from '../../errors.ts'

/** The entries of `vals_list`. Throws InvalidValue for one that is no object of field names and values. */
export function givenVals(list: unknown): readonly Record<string, unknown>[] {
  return [list].flat().map((vals) => {
    if (!isVals(vals)) throw new InvalidValue('Values must be an object of field names and values.')
    return vals
  })
}

function isVals(vals: unknown): vals is Record<string, unknown> {
  return typeof vals === 'object' && vals !== null && !Array.isArray(vals)
}
