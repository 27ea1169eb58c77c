// Method calls of XML-RPC into names and values: parsed by `saxes`, strictly, with no document types, no entities and bounded depth.
import { setImmediate as others } from 'node:timers/promises'
import { SaxesParser, type SaxesTag } from 'saxes'
import { BadRequest } from '../../errors.ts'
import { DEEPEST } from '../parse-long.ts'
import { scalars } from './scalars.ts'

export interface MethodCall {
  readonly method: string
  readonly params: readonly unknown[]
}

/** What may stand inside of what. Elements that are not listed here hold text. */
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

/** Characters read in one go: a body of many megabytes lets other calls pass meanwhile. */
const SLICE = 256 * 1024

/** An open element: what was read of it so far. */
interface Frame {
  readonly kind: string
  text: string
  /** Values of the elements inside, in order. */
  readonly items: unknown[]
  /** Names of the elements inside. */
  readonly kinds: string[]
}

/**
 * Reads a method call (spec/wire.md section 11). Throws BadRequest for anything that is none: broken XML, unknown elements or entities, a
 * document type declaration, values nested deeper than 500 levels.
 */
export async function decodeCall(bytes: Buffer): Promise<MethodCall> {
  const open: Frame[] = [frame('')]
  let depth = 0
  const top = () => open[open.length - 1] as Frame
  const parser = new SaxesParser()
  parser.on('error', (error) => refuse(error.message))
  parser.on('doctype', () => refuse('a document type declaration has no place in a call'))
  parser.on('opentag', ({ name }: SaxesTag) => {
    const kind = name.startsWith('ex:') ? name.slice(3) : name
    const { kind: parent, kinds } = top()
    if (!children[parent]?.includes(kind)) refuse(`unexpected element ${kind}`)
    if (kind === 'value' && ++depth > DEEPEST) refuse(`values are nested deeper than ${DEEPEST} levels`)
    kinds.push(kind)
    open.push(frame(kind))
  })
  parser.on('closetag', () => {
    const done = open.pop() as Frame
    if (done.kind === 'value') depth--
    top().items.push(closed(done))
  })
  const text = (part: string) => {
    top().text += part
  }
  parser.on('text', text)
  parser.on('cdata', text)
  const whole = textOf(bytes)
  for (let at = 0; at < whole.length; at += SLICE) {
    if (at > 0) await others()
    parser.write(whole.slice(at, at + SLICE))
  }
  parser.close()
  return top().items[0] as MethodCall
}

function frame(kind: string): Frame {
  return { kind, text: '', items: [], kinds: [] }
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
      if (kinds[0] !== 'methodName' || kinds.length > 2 || kinds[1] === 'methodName') refuse('a call has a methodName, then params')
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

/** The text of a document in the encoding that its declaration names; UTF-8 without one. */
function textOf(bytes: Buffer): string {
  const label = /^<\?xml[^>]*?encoding\s*=\s*["']([\w.:-]+)["']/.exec(bytes.toString('latin1', 0, 200))?.[1] ?? 'utf-8'
  try {
    return new TextDecoder(label, { fatal: true }).decode(bytes)
  } catch (error) {
    throw new BadRequest(`The request body is no text in the encoding ${label}`, { cause: error })
  }
}

function refuse(reason: string): never {
  throw new BadRequest(`The request body is not an XML-RPC call: ${reason}`)
}
