// The commonest calls of this checkout beside those of an earlier one, with everything beyond the documented
// API switched off; and the earlier one beside itself, for what two equal servers differ by.
import { checkoutOf } from '../earlier.ts'
import { caseNamed, compared, opener, type Size, told } from './reads.ts'

const CALLS = ['context_get', 'read one', 'search_read 80', 'create one', 'write one'].map(caseNamed)

/** Says a line for people as soon as it is known. Throws where no earlier checkout is named. */
export async function calls(size: Size, say: (line: string) => void): Promise<void> {
  if (size.before === undefined) throw new Error('--only calls wants --before, a commit or another checkout')
  const stops: (() => unknown)[] = []
  const open = opener(stops)
  try {
    const earlier = checkoutOf(size.before)
    stops.push(earlier.remove)
    const off = ['--extensions', 'no']
    const before = await open('before', off, earlier.path)
    const itself = await open('before-too', off, earlier.path)
    const now = await open('now', off)
    for (const bench of CALLS) {
      const sides = [before, itself, now].map((load) => ({ load, bench }))
      const [same, later] = await compared(sides, { ...size, seconds: size.seconds / CALLS.length })
      if (same) say(told(`${bench.name}, before by itself`, same))
      if (later) say(told(`${bench.name}, now by before`, later))
    }
  } finally {
    for (const stop of stops.reverse()) await stop()
  }
}
