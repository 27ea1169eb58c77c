// JSON of large values, made in turns: `JSON.stringify` would keep everybody waiting for its end.
import { Pace } from './pace.ts'

/** The text that `JSON.stringify` gives for plain data. */
export async function jsonInTurns(value: unknown): Promise<string> {
  const out: string[] = []
  await write(value, out, new Pace())
  return out.join('')
}

async function write(value: unknown, out: string[], pace: Pace): Promise<void> {
  if (!isLarge(value)) out.push(JSON.stringify(value) ?? 'null')
  else if (Array.isArray(value)) await writeList(value, out, pace)
  else await writeObject(value as object, out, pace)
}

async function writeList(items: readonly unknown[], out: string[], pace: Pace): Promise<void> {
  out.push('[')
  for (let from = 0; from < items.length; ) {
    const end = endOf(items, from)
    if (from) out.push(',')
    if (end > from) out.push(JSON.stringify(items.slice(from, end)).slice(1, -1))
    else await write(items[from], out, pace)
    from = Math.max(end, from + 1)
    if (pace.due) await pace.step()
  }
  out.push(']')
}

/** Items that are written in one go. */
const AT_ONCE = 100

/** Where the next few items end that are not large themselves. */
function endOf(items: readonly unknown[], from: number): number {
  let end = from
  while (end < items.length && end - from < AT_ONCE && !isLarge(items[end])) end++
  return end
}

async function writeObject(object: object, out: string[], pace: Pace): Promise<void> {
  let before = '{'
  for (const [key, member] of Object.entries(object)) {
    if (member === undefined || typeof member === 'function') continue
    out.push(`${before}${JSON.stringify(key)}:`)
    before = ','
    if (isLarge(member)) await write(member, out, pace)
    else out.push(JSON.stringify(member) ?? 'null')
    if (pace.due) await pace.step()
  }
  out.push(before === '{' ? '{}' : '}')
}

/** Values that take so long to write that it is done in parts. */
const LARGE = 1000

const isLarge = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && countUpTo(value, LARGE) >= LARGE

/** Values in a value, counted no further than to `most`. */
function countUpTo(value: object, most: number): number {
  if ('toJSON' in value) return 1
  if (Array.isArray(value) && value.length >= most) return most
  let count = 1
  for (const key in value) {
    if (count >= most) break
    const member = (value as Record<string, unknown>)[key]
    count += typeof member === 'object' && member !== null ? countUpTo(member, most - count) : 1
  }
  return count
}
