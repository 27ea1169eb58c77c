// Reports unknown options in the second argument of `implement`.
import { alike } from '../../kit/alike.ts'
import type { Audited, Writable } from '../language/audited.ts'
import type { Computed, ComputedOptions, Concerns, Onchange } from '../language/behaviour.ts'

const computedOptions = Object.keys({
  context: true,
  sql: true,
  searchable: true,
  size: true,
  search: true,
  inverse: true,
  editable: true,
  asks: true,
} satisfies NamesOf<ComputedOptions>)

const writableOptions = Object.keys({
  state: true,
  lock: true,
  partOf: true,
  open: true,
  once: true,
  given: true,
  always: true,
  later: true,
  server: true,
  along: true,
  added: true,
  removed: true,
  into: true,
  only: true,
  laterOnly: true,
} satisfies NamesOf<Writable>)

const auditedOptions = Object.keys({
  fields: true,
  later: true,
  secret: true,
  unless: true,
  create: true,
  unlink: true,
} satisfies NamesOf<Audited>)

const concernsOptions = Object.keys({ create: true, write: true } satisfies NamesOf<Concerns>)
const onchangeOptions = Object.keys({ fields: true, run: true } satisfies NamesOf<Onchange>)

/** The parts of an implementation with options. */
interface Parts {
  readonly computed?: Readonly<Record<string, unknown>>
  readonly checks?: Readonly<Record<string, unknown>>
  readonly displayName?: unknown
  readonly concerns?: Concerns
  readonly onchange?: readonly Onchange[]
  readonly writable?: unknown
  readonly audited?: unknown
}

const isComputed = (value: unknown): value is Computed =>
  typeof value === 'object' && value !== null && 'options' in value

/** A message for every unknown option of an implementation; `names` are the options of `implement`. */
export function* behaviourFlaws(body: Parts, names: readonly string[]): Iterable<string> {
  yield* unknownOptions('implementations', body, names)
  const computed = Object.entries({ ...body.computed, ...body.checks, displayName: body.displayName })
  for (const [field, value] of computed) {
    if (!isComputed(value)) continue
    for (const flaw of unknownOptions('computed values', value.options, computedOptions))
      yield `${field}: ${flaw}`
  }
  yield* unknownOptions('concerns', body.concerns, concernsOptions)
  for (const onchange of body.onchange ?? []) yield* unknownOptions('onchanges', onchange, onchangeOptions)
  yield* unknownOptions('writable rules', body.writable, writableOptions)
  yield* unknownOptions('audit rules', body.audited, auditedOptions)
}

// Names of options in declarations that were not type-checked: reports unknown ones with the name that
// was probably meant.

/** Every name of an options type. A list that lacks a name or has another one does not compile. */
export type NamesOf<T> = Readonly<Record<keyof T & string, true>>

/**
 * Messages for every name in `options` that does not exist. `subject` names the owner of the options, in
 * the plural: `char fields`. `elsewhere` explains a name that is an option of something else.
 */
export function* unknownOptions(
  subject: string,
  options: unknown,
  names: readonly string[],
  elsewhere: (name: string) => string = () => '',
): Iterable<string> {
  if (typeof options !== 'object' || options === null) return
  for (const name of Object.keys(options)) {
    if (names.includes(name)) continue
    const lower = (text: string) => text.toLowerCase()
    const [nearest] = alike(lower(name), names.map(lower))
    const meant = names.find((option) => lower(option) === nearest)
    const advice = meant
      ? `did you mean ${meant}?`
      : elsewhere(name) || `remove it, or use ${names.join(', ')}.`
    yield `${subject} have no option ${name}: ${advice}`
  }
}
