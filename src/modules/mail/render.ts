// Templates: texts with {{ expressions }} over one record. Expressions are those of rules, read and never
// run; they see what the caller may read of the record, and nothing else.
import type { Environment, ModelName } from '#models'
import { UserError } from '../../errors.ts'
import {
  Attributes,
  attributePathsOf,
  evaluate,
  type Names,
  type Node,
  parseExpression,
} from '../../kit/expression/index.ts'
import { html } from '../../kit/html.ts'
import { languagesFor } from '../base/index.ts'

export type { Names }

/** Beginnings of expressions: `{{`, and `<t t-out="…">`, which may end at once. */
const BEGINNING = /\{\{|<t\s+t-(?:out|esc)="([^"]*)"\s*(\/?>)/g
/** Holes of one text, and levels of a path, that are read. */
const [MOST_HOLES, DEEPEST] = [200, 5]

interface Place {
  readonly start: number
  readonly end: number
  readonly written: string
}

/** Places of expressions in one walk: a beginning without an end is text, and its end is sought once. */
function* placesOf(text: string): Generator<Place> {
  const beginnings = new RegExp(BEGINNING)
  const [lastBraces, lastTag] = [text.lastIndexOf('}}'), text.lastIndexOf('</t>')]
  for (let match = beginnings.exec(text); match; match = beginnings.exec(text)) {
    const [start, inner, attribute] = [match.index, beginnings.lastIndex, match[1]]
    if (attribute === undefined) {
      // An expression has a character at least.
      if (inner >= lastBraces) continue
      const close = text.indexOf('}}', inner + 1)
      beginnings.lastIndex = close + 2
      yield { start, end: close + 2, written: text.slice(inner, close) }
    } else if (match[2] === '/>') yield { start, end: inner, written: attribute }
    else if (inner <= lastTag) {
      const end = text.indexOf('</t>', inner) + 4
      beginnings.lastIndex = end
      yield { start, end, written: attribute }
    }
  }
}

interface Hole {
  readonly before: string
  readonly node: Node
}

interface Parsed {
  readonly holes: readonly Hole[]
  readonly rest: string
}

const entities: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  '#39': "'",
  nbsp: ' ',
}

/** Throws InvalidValue for what is not an expression, UserError for more than a text may have. */
function parse(text: string, isHtml: boolean): Parsed {
  const holes: Hole[] = []
  let end = 0
  for (const { start, end: after, written: inside } of placesOf(text)) {
    if (holes.length === MOST_HOLES)
      throw new UserError(`A template may have ${MOST_HOLES} expressions in a text.`)
    const written = inside.trim()
    const expression = isHtml
      ? written.replace(/&(amp|lt|gt|quot|#39|nbsp);/g, (sign, name: string) => entities[name] ?? sign)
      : written
    holes.push({ before: text.slice(end, start), node: parseExpression(expression) })
    end = after
  }
  return { holes, rest: text.slice(end) }
}

/** Fields that are read of a record, with those of the records it links to. */
interface Wanted {
  readonly [field: string]: Wanted
}

function wantedOf(nodes: readonly Node[], root: string): Wanted {
  const wanted: Record<string, Record<string, object>> = {}
  for (const path of nodes.flatMap((node) => attributePathsOf(node, root))) {
    if (path.length > DEEPEST)
      throw new UserError(`A path of a template has ${DEEPEST} steps at most: ${path.join('.')}`)
    let level: Record<string, object> = wanted
    for (const name of path) {
      const below = (level[name] ?? {}) as Record<string, object>
      level[name] = below
      level = below
    }
  }
  return wanted as Wanted
}

const money: Wanted = { symbol: {}, position: {}, decimal_places: {} }

/** Values of a record as the caller may read them. Throws AccessError, and UserError for lists of records. */
async function seen(env: Environment, name: ModelName, id: number, wanted: Wanted): Promise<Attributes> {
  const def = env.def(name)
  const fields = Object.keys(wanted)
  const [row = {}] = fields.length ? await env.model(name).browse([id]).read(fields, null) : []
  const values = new Map<string, unknown>([['id', id]])
  for (const [field, below] of Object.entries(wanted)) {
    const value = row[field]
    const target = def.fields.get(field)?.comodel?.name as ModelName | undefined
    if (Array.isArray(value)) throw new UserError(`A template writes no lists of records: ${name}.${field}`)
    if (!target || typeof value !== 'number') values.set(field, target ? NOTHING : value)
    else
      values.set(
        field,
        await seen(env, target, value, {
          display_name: {},
          ...(target === 'res.currency' && money),
          ...below,
        }),
      )
  }
  return new Attributes((field) => values.get(field) ?? false)
}

/** A link that leads nowhere: whatever is asked of it is empty. */
const NOTHING: Attributes = new Attributes(() => '', false)

const shown = (value: unknown): string => {
  if (value instanceof Attributes) return value === NOTHING ? '' : String(value.read('display_name') || '')
  return value === false || value === null || value === undefined ? '' : String(value)
}

async function helpers(env: Environment, lang: string | null): Promise<Names> {
  const written = (await languagesFor(env, [lang]))(lang)
  return {
    format_date: (day: unknown) => (typeof day === 'string' ? written.date(day) : ''),
    format_amount: (amount: unknown, currency: unknown) =>
      currency instanceof Attributes && typeof amount === 'number'
        ? written.money(amount, {
            symbol: shown(currency.read('symbol')),
            position: shown(currency.read('position')),
            decimal_places: Number(currency.read('decimal_places') || 0),
          })
        : shown(amount),
  }
}

/** A text that is markup or not. */
export interface Template {
  readonly text: string | null
  readonly html?: boolean
}

/** The record that texts are about, the language, and values that expressions may name besides. */
interface Subject {
  readonly model: ModelName
  readonly id: number
  readonly lang: string | null
  readonly names?: Names
}

/** Writes texts about one record, which is read once for all of them. */
export async function rendered(
  env: Environment,
  { model, id, lang, names: more = {} }: Subject,
  templates: readonly Template[],
): Promise<readonly string[]> {
  const parsed = templates.map(({ text, html: isHtml }) => parse(text ?? '', isHtml === true))
  const nodes = parsed.flatMap(({ holes }) => holes.map(({ node }) => node))
  const translated = lang ? env.withContext({ lang }) : env
  const names: Names = {
    ...more,
    object: await seen(translated, model, id, wantedOf(nodes, 'object')),
    user: await seen(translated, 'res.users', env.uid, wantedOf(nodes, 'user')),
    ...(await helpers(env, lang)),
  }
  return parsed.map(({ holes, rest }, i) => {
    const isHtml = templates[i]?.html === true
    const pieces = holes.map(({ before, node }) => {
      const value = shown(evaluate(node, names))
      return before + (isHtml ? html`${value}`.toString() : value)
    })
    return pieces.join('') + rest
  })
}

/** Throws InvalidValue for texts that are not templates. */
export function assertTemplate({ text, html: isHtml }: Template): void {
  parse(text ?? '', isHtml === true)
}
