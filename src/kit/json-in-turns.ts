// JSON of large values, written in turns: `JSON.stringify` would block the event loop.
import { Pace } from './pace.ts'

/** How to write JSON: a small value as text, and the names of an object in their order. */
interface Spelling {
  readonly text: (value: unknown) => string
  readonly names: (object: object, pace: Pace) => readonly string[] | Promise<readonly string[]>
}

interface Writing extends Spelling {
  readonly pace: Pace
  readonly add: (text: string) => void
}

const plain: Spelling = { text: (value) => JSON.stringify(value) ?? 'null', names: Object.keys }

/**
 * The text that `JSON.stringify` returns for plain data. `judge` is called with its length so far, and may
 * throw.
 */
export async function jsonInTurns(
  value: unknown,
  judge: (length: number) => void = () => undefined,
): Promise<string> {
  const out: string[] = []
  let length = 0
  await writeInTurns(value, plain, (text) => {
    length += text.length
    judge(length)
    out.push(text)
  })
  return out.join('')
}

/** Gives the text of plain data in pieces. */
export async function writeInTurns(
  value: unknown,
  spelling: Spelling,
  take: (text: string) => void,
): Promise<void> {
  let waiting = ''
  const add = (text: string) => {
    waiting += text
    if (waiting.length < PIECE) return
    take(waiting)
    waiting = ''
  }
  const to = { ...spelling, pace: new Pace(), add }
  if (isLarge(value)) await writeLarge(value, to)
  else add(to.text(value))
  take(waiting)
}

/** Characters that are passed on together. */
const PIECE = 64 * 1024

async function writeLarge(value: unknown, to: Writing): Promise<void> {
  if (typeof value === 'string') await writeText(value, to)
  else if (Array.isArray(value)) await writeList(value, to)
  else await writeObject(value as Record<string, unknown>, to)
}

async function writeText(text: string, { add, pace }: Writing): Promise<void> {
  add('"')
  for (let from = 0; from < text.length; ) {
    // Both halves of a pair are written together.
    const isCut = /[\ud800-\udbff]/.test(text[from + PIECE - 1] ?? '')
    const end = from + PIECE + (isCut ? 1 : 0)
    add(JSON.stringify(text.slice(from, end)).slice(1, -1))
    from = end
    if (pace.due) await pace.step()
  }
  add('"')
}

async function writeList(items: readonly unknown[], to: Writing): Promise<void> {
  to.add('[')
  for (let from = 0; from < items.length; ) {
    const end = endOf(items, from)
    if (from) to.add(',')
    if (end > from) to.add(to.text(items.slice(from, end)).slice(1, -1))
    else await writeLarge(items[from], to)
    from = Math.max(end, from + 1)
    if (to.pace.due) await to.pace.step()
  }
  to.add(']')
}

/** Items that are written in one go. */
const AT_ONCE = 100

/** Index after the next few items that are not large themselves. */
function endOf(items: readonly unknown[], from: number): number {
  let end = from
  while (end < items.length && end - from < AT_ONCE && !isLarge(items[end])) end++
  return end
}

async function writeObject(object: Record<string, unknown>, to: Writing): Promise<void> {
  let before = '{'
  for (const name of await to.names(object, to.pace)) {
    const member = object[name]
    if (member === undefined || typeof member === 'function') continue
    to.add(`${before}${JSON.stringify(name)}:`)
    before = ','
    if (isLarge(member)) await writeLarge(member, to)
    else to.add(to.text(member))
    if (to.pace.due) await to.pace.step()
  }
  to.add(before === '{' ? '{}' : '}')
}

/** Values that take so long to write that it is done in parts; a thousand characters are as one. */
export const LARGE = 1000

export const isLarge = (value: unknown): boolean => weightUpTo(value, LARGE) >= LARGE

/** Values in a value, counted no further than to `most`. */
function weightUpTo(value: unknown, most: number): number {
  if (typeof value === 'string') return 1 + (value.length >> 10)
  if (typeof value !== 'object' || value === null) return 1
  if (Array.isArray(value)) return weightOfList(value, most)
  const object = value as Record<string, unknown>
  if (typeof object.toJSON === 'function') return 1
  let weight = 1
  for (const key in object) {
    if (weight >= most) break
    weight += weightUpTo(object[key], most - weight)
  }
  return weight
}

function weightOfList(items: readonly unknown[], most: number): number {
  if (items.length >= most) return most
  let weight = 1
  for (let at = 0; at < items.length && weight < most; at++) weight += weightUpTo(items[at], most - weight)
  return weight
}
