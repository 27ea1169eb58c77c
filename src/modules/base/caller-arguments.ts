// Guards for arguments of callers that the engine has not validated yet: code that reads values or ids
// must not fail on invalid ones.
import { InvalidValue } from '../../errors.ts'
import { isId } from '../../kit/present.ts'

/** The entries of `vals_list`. Throws InvalidValue for one that is no object of field names and values. */
export function givenVals(list: unknown): readonly Record<string, unknown>[] {
  return [list].flat().map((vals) => {
    if (!isVals(vals)) throw new InvalidValue('Values must be an object of field names and values.')
    return vals
  })
}

/**
 * The ids among what a context, a command or a call gave for a list of them, each once; none of what is no
 * list.
 */
export const givenIds = (list: unknown): number[] =>
  Array.isArray(list) ? [...new Set(list.filter((id): id is number => Number.isInteger(id)))] : []

/** Values of the lines that commands make; none of what are no commands. */
export const givenLines = (commands: unknown): readonly Record<string, unknown>[] =>
  Array.isArray(commands)
    ? commands.flatMap((command: unknown) =>
        Array.isArray(command) && command[0] === 0 && isVals(command[2]) ? [command[2]] : [],
      )
    : []

/** Where a link of several values leads, each record once; links of other kinds are refused later. */
export const givenTargets = (list: readonly Readonly<Record<string, unknown>>[], link: string): number[] => [
  ...new Set(list.map((vals) => vals[link]).filter(isId)),
]

function isVals(vals: unknown): vals is Record<string, unknown> {
  return typeof vals === 'object' && vals !== null && !Array.isArray(vals)
}
