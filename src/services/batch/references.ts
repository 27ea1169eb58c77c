// References of a batch: where a body says `{"$ref": "/order/0"}`, the value at that JSON Pointer (RFC 6901)
// in the results so far is put.
import { UnprocessableEntity } from '../../errors.ts'
import { shown } from '../../kit/text.ts'

/** A pointer in pieces: the id of an earlier call, and the way into its result. */
interface Pointer {
  readonly id: string
  readonly way: readonly string[]
}

/** Bytes that all references of a batch bring together, as JSON. */
const MOST_BROUGHT = 8 * 1024 * 1024

const bad = (text: string, why: string) =>
  new UnprocessableEntity(`The reference ${JSON.stringify(text.slice(0, 200))} ${why}.`, {
    code: 'bad_reference',
  })

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The only member of an object, if it has this name. */
function lone(value: unknown, name: string): { readonly content: unknown } | null {
  if (!isObject(value) || !Object.hasOwn(value, name)) return null
  return Object.keys(value).length === 1 ? { content: value[name] } : null
}

/** Characters of a reference, and references of one call. */
const [MOST_LONG, MOST] = [1000, 10_000]

function pointerIn(pointer: unknown): Pointer {
  if (typeof pointer !== 'string') throw bad(shown(pointer), 'is not a text')
  if (pointer.length > MOST_LONG) throw bad(pointer, `has more than ${MOST_LONG} characters`)
  const [start, id, ...way] = pointer
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
  if (start !== '' || id === undefined || /~(?![01])/.test(pointer))
    throw bad(pointer, 'is not a JSON Pointer such as /order/0')
  return { id, way }
}

/** Ids that a body refers to. Throws UnprocessableEntity for what is not a pointer, and for too many. */
export function referencesIn(body: unknown): ReadonlySet<string> {
  const callIds = new Set<string>()
  let count = 0
  const look = (value: unknown): void => {
    const reference = lone(value, '$ref')
    if (reference) {
      if (++count > MOST)
        throw new UnprocessableEntity(`A call in a batch has ${MOST} references at most.`, {
          code: 'too_many',
        })
      callIds.add(pointerIn(reference.content).id)
    } else if (Array.isArray(value)) for (const item of value) look(item)
    else if (isObject(value) && !lone(value, '$literal'))
      for (const member of Object.values(value)) look(member)
  }
  look(body)
  return callIds
}

/** Results of earlier calls, by id, as JSON texts; read when something refers to them. */
export class Results {
  readonly #texts = new Map<string, string>()
  readonly #read = new Map<string, unknown>()
  #brought = 0

  keep(id: string, json: string): void {
    this.#texts.set(id, json)
  }

  has(id: string): boolean {
    return this.#texts.has(id)
  }

  /**
   * A copy of a body with values in the places of its references. Throws UnprocessableEntity for one that
   * leads nowhere.
   */
  fill(value: unknown): unknown {
    const reference = lone(value, '$ref')
    if (reference) return this.#valueAt(reference.content)
    const literal = lone(value, '$literal')
    if (literal) return structuredClone(literal.content)
    if (Array.isArray(value)) return value.map((item) => this.fill(item))
    if (!isObject(value)) return value
    const copy: Record<string, unknown> = Object.create(null)
    for (const [name, member] of Object.entries(value)) copy[name] = this.fill(member)
    return copy
  }

  #valueAt(pointer: unknown): unknown {
    const text = String(pointer)
    const { id, way } = pointerIn(pointer)
    const json = this.#texts.get(id)
    if (json === undefined) throw bad(text, 'does not refer to a completed call')
    if (!this.#read.has(id)) this.#read.set(id, JSON.parse(json))
    let value: unknown = this.#read.get(id)
    for (const step of way) {
      const isIndex = !Array.isArray(value) || /^(0|[1-9]\d{0,8})$/.test(step)
      if (typeof value !== 'object' || value === null || !isIndex || !Object.hasOwn(value, step))
        throw bad(text, `leads nowhere at "${step.slice(0, 50)}"`)
      value = (value as Record<string, unknown>)[step]
    }
    const copy = JSON.stringify(value)
    this.#brought += copy.length
    if (this.#brought > MOST_BROUGHT)
      throw new UnprocessableEntity(
        'The references of the batch insert too much data: use fewer or smaller references.',
        { code: 'too_many' },
      )
    return JSON.parse(copy)
  }
}
