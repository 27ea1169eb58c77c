// All that a domain finds as one text, for code that passes rows on as they are: few statements, however many
// rows there are.
import { only } from '../../kit/present.ts'
import { sql } from '../../sql/index.ts'
import { parseDomain } from '../domain/index.ts'
import type { FieldDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { Rendered } from './rendered.ts'
import { finish, textRowsOf } from './rows.ts'
import { searchPlan } from './search.ts'
import { answerFormOf, readableFields, type Written } from './selection.ts'

/** Rows of a statement; few where code has to fill in fields. */
const PIECE_ROWS = 20_000
const FILLED_ROWS = 1000

interface TextAsk {
  readonly domain: readonly unknown[]
  readonly fields: readonly string[]
  /** The most rows there may be; null for all. */
  readonly limit?: number | null
  /** Fields whose JSON is written otherwise than their kinds do. */
  readonly written?: Readonly<Record<string, Written>>
}

/**
 * `search_read` with bare ids in the place of many2ones, as the JSON text of its rows. Throws PayloadTooLarge
 * for more than an answer holds.
 */
export async function searchText(
  env: Environment,
  name: string,
  { domain, fields: names, limit = null, written = {} }: TextAsk,
): Promise<string> {
  const model = env.def(name)
  const fields = readableFields(env, model, names)
  const writers = fields.flatMap((field): [FieldDef, Written][] => {
    const how = written[field.name]
    return how ? [[field, how]] : []
  })
  const form = { ...answerFormOf(null), written: new Map(writers) }
  const lines = env.context.active_test === undefined ? env : env.withContext({ active_test: true })
  const query = await searchPlan(env, model, parseDomain(domain))
  const texts: string[] = []
  for (let offset = 0, most = PIECE_ROWS; ; ) {
    const window = { limit: Math.min(most, (limit ?? Number.POSITIVE_INFINITY) - offset), offset }
    const { row, from, order, slow } = textRowsOf(lines, query.compile(), { fields, form }, window)
    if (slow.length && most > FILLED_ROWS) {
      most = FILLED_ROWS
      continue
    }
    const by = order ? sql` ORDER BY ${order}` : sql``
    const rows = await env.query<[string, number]>(
      sql`SELECT COALESCE('[' || string_agg(${row}, ','${by}) || ']', '[]'), count(*)::int FROM ${from}`,
    )
    const piece = only(rows)
    const finished = await finish(lines, piece[0], slow, form)
    const text = (finished instanceof Rendered ? finished.json : JSON.stringify(finished)).slice(1, -1)
    env.unit.shown.addText(text.length)
    if (text) texts.push(text)
    offset += window.limit
    if (piece[1] < window.limit || offset === limit) return `[${texts.join(',')}]`
  }
}
