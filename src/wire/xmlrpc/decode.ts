// Method calls of XML-RPC into names and values, as they arrive: what stands inside of what, how deep, and
// how many values there are.

import { BadRequest } from '../../errors.ts'
import { LongText } from '../../kit/long-text.ts'
import { present } from '../../kit/present.ts'
import { turn } from '../../kit/turns.ts'
import { beyond, limits } from '../../limits.ts'
import type { Weigh } from '../parse.ts'
import { type Listener, Markup, refuse } from './markup.ts'
import { scalars } from './scalars.ts'

export interface MethodCall {
  readonly method: string
  readonly params: readonly unknown[]
}

/** Elements that an element may contain. Elements that are not listed here hold text. */
const children: Readonly<Record<string, readonly string[]>> = {
  '': ['methodCall'],
  methodCall: ['methodName', 'params'],
  params: ['param'],
  param: ['value'],
  value: ['array', 'struct', ...scalars.keys()],
  array: ['data'],
  data: ['value'],
  struct: ['member'],
  member: ['name', 'value'],
}

/** Most children of these elements; the others are bounded by their values. */
const most: Readonly<Record<string, number>> = {
  '': 1,
  methodCall: 2,
  param: 1,
  value: 1,
  array: 1,
  member: 2,
}

/** Bytes read in one go: a body of many megabytes lets other calls pass meanwhile. */
const BLOCK = 64 * 1024

type Decoder = InstanceType<typeof TextDecoder>

/** An open element: what was read of it so far. */
interface Frame {
  readonly kind: string
  text: string
  /** A text of several parts. */
  long: LongText | null
  /** Values of the elements inside, in order. */
  readonly items: unknown[]
  /** Names of the elements inside. */
  readonly kinds: string[]
}

/**
 * A method call (spec/wire.md section 11) that is read in blocks. Both methods throw BadRequest for any other
 * document: broken XML, unknown elements or entities, a document type declaration, values nested too deeply;
 * and PayloadTooLarge for too many values.
 */
export class CallReader implements Listener {
  /** Values so far; a comment costs as much as one. */
  values = 0
  readonly #open: Frame[] = [frame('')]
  readonly #markup = new Markup(this)
  #decoder: Decoder | undefined
  #label = ''
  #depth = 0

  /** The next block; the first holds the whole XML declaration. */
  write(bytes: Buffer): void {
    this.#decoder ??= this.#decoderOf(bytes)
    this.#markup.write(this.#decode(bytes))
  }

  end(): MethodCall {
    this.#markup.write(this.#decode())
    this.#markup.end()
    return this.#top.items[0] as MethodCall
  }

  /** The call as far as it is known: the name and the params that are whole. */
  get partial(): Partial<MethodCall> {
    const call = this.#open[1]?.items ?? []
    return { method: call[0] as string, params: (this.#open[2]?.items ?? call[1] ?? []) as unknown[] }
  }

  open(name: string): void {
    const kind = name.startsWith('ex:') ? name.slice(3) : name
    const { kind: parent, kinds, items } = this.#top
    if (!children[parent]?.includes(kind)) refuse(`unexpected element ${kind.slice(0, 40)}`)
    if (kinds.length >= (most[parent] ?? Number.POSITIVE_INFINITY))
      refuse(`${parent} holds too many elements`)
    if (kind === 'member' && items.length >= limits.members) throw beyond('members')
    if (kind === 'value') {
      this.aside()
      if (++this.#depth > limits.depth) refuse(`values are nested deeper than ${limits.depth} levels`)
    }
    if (most[parent]) kinds.push(kind)
    this.#open.push(frame(kind))
  }

  close(): void {
    const done = present(this.#open.pop())
    if (done.long) done.text = done.long.take()
    if (done.kind === 'value') this.#depth--
    this.#top.items.push(closed(done))
  }

  text(part: string): void {
    const top = this.#top
    if (top.kind === 'value' || !children[top.kind]) join(top, part)
    else if (part.trim() !== '') refuse(`unexpected text in ${top.kind}`)
  }

  aside(): void {
    if (++this.values > limits.values) throw beyond('values')
  }

  get #top(): Frame {
    return present(this.#open[this.#open.length - 1])
  }

  /** In the encoding that the declaration names; UTF-8 without one. */
  #decoderOf(bytes: Buffer): Decoder {
    this.#label =
      /^<\?xml[^>]*?encoding\s*=\s*["']([\w.:-]+)["']/.exec(bytes.toString('latin1', 0, 200))?.[1] ?? 'utf-8'
    try {
      return new TextDecoder(this.#label, { fatal: true })
    } catch (error) {
      throw this.#unreadable(error)
    }
  }

  #decode(bytes?: Buffer): string {
    try {
      return this.#decoder?.decode(bytes, { stream: bytes !== undefined }) ?? ''
    } catch (error) {
      throw this.#unreadable(error)
    }
  }

  #unreadable(cause: unknown): BadRequest {
    return new BadRequest(`The request body is not text in the encoding ${this.#label}`, { cause })
  }
}

/** Reads a call that is there as a whole. Rejects like `CallReader`. */
export async function decodeCall(bytes: Buffer, weigh?: Weigh): Promise<MethodCall> {
  const reader = new CallReader()
  for (let at = 0; at < bytes.length; at += BLOCK) {
    const before = reader.values
    if (at > 0) await turn()
    reader.write(bytes.subarray(at, at + BLOCK))
    if (bytes.length > BLOCK) await weigh?.(reader.values - before)
  }
  return reader.end()
}

function frame(kind: string): Frame {
  return { kind, text: '', long: null, items: [], kinds: [] }
}

function join(frame: Frame, part: string): void {
  if (frame.long) frame.long.add(part)
  else if (frame.text === '') frame.text = part
  else {
    frame.long = new LongText(frame.text)
    frame.long.add(part)
  }
}

/** The value of a closed element. */
function closed({ kind, text, items, kinds }: Frame): unknown {
  const scalar = scalars.get(kind)
  if (scalar) return scalar(text)
  if (kind === 'methodName' || kind === 'name') return text
  if (kind === 'value' && items.length === 0) return text
  if (text.trim() !== '') refuse(`unexpected text in ${kind}`)
  switch (kind) {
    case 'methodCall': {
      if (kinds[0] !== 'methodName' || kinds[1] === 'methodName')
        refuse('a call has a methodName, then params')
      if (items[0] === '') refuse('the methodName is empty')
      return { method: items[0], params: items[1] ?? [] }
    }
    case 'params':
    case 'data':
      return items
    case 'struct':
      return objectOf(items as [string, unknown][])
    case 'member':
      if (kinds.join() !== 'name,value') refuse('a member has a name, then a value')
      return items
    default:
      // param, value, array: one thing inside.
      if (items.length !== 1) refuse(`${kind} holds one element`)
      return items[0]
  }
}

/** An object with own members only, whatever their names are. */
function objectOf(members: readonly [string, unknown][]): Record<string, unknown> {
  return Object.fromEntries(members)
}
