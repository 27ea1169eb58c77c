// The clock of expressions: `time.strftime(…)` in UTC and `context_today()` in the user's time zone.
import { nowUtc, today } from '../dates.ts'
import type { Names } from './evaluate.ts'
import { expressionError } from './tokens.ts'
import { Attributes } from './values.ts'

/** Names for the time `at`. */
export function timeNames(tz: string | null, at: Date): Names {
  return {
    time: new Attributes((name) => (name === 'strftime' ? strftime(nowUtc(at)) : undefined)),
    context_today: () =>
      new Attributes((name) => (name === 'strftime' ? strftime(`${today(tz, at)} 00:00:00`) : undefined)),
  }
}

/** `strftime` of one moment. Takes the directives that dates and moments are made of. */
function strftime(moment: string): (format: unknown) => string {
  const parts: Readonly<Record<string, string>> = {
    Y: moment.slice(0, 4),
    m: moment.slice(5, 7),
    d: moment.slice(8, 10),
    H: moment.slice(11, 13),
    M: moment.slice(14, 16),
    S: moment.slice(17, 19),
    '%': '%',
  }
  return (format) =>
    String(format).replace(/%(.?)/g, (_, directive: string) => {
      const part = Object.hasOwn(parts, directive) ? parts[directive] : undefined
      if (part === undefined) throw expressionError(`Unknown directive "%${directive}" of strftime`, 0)
      return part
    })
}
