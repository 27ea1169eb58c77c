// Facts about the models of a live database, of ours or another that serves the documented API: GET
// /doc-bearer (spec/wire.md section 14).
import { StartupError } from '../../errors.ts'
import type { ModelDocument } from '../catalogue.ts'
import type { FieldFacts, MethodFacts, ModelFacts, ParameterFacts } from './model-facts.ts'

/** Where a database is, and the key of a user who may read its documentation. */
export interface LiveSource {
  /** Address of the server; a path in it is kept. */
  readonly url: string
  /** Needed where one server has several databases. */
  readonly database: string | undefined
  readonly key: string
  /** Names of models; none means all that the user may read. */
  readonly models: readonly string[]
  /** Called after each model. */
  readonly progress?: (done: number, of: number) => void
}

/** Documents asked for at one time. */
const AT_ONCE = 8
const PATIENCE_MS = 60_000

/**
 * The models that the key's user may read, manual fields included. Throws StartupError for what keeps them
 * from being read.
 */
export async function liveModels(source: LiveSource): Promise<ModelFacts[]> {
  const names = source.models.length > 0 ? [...new Set(source.models)] : await indexed(source)
  const schemas = await schemasOf(source)
  const models: ModelFacts[] = []
  const waiting = [...names]
  const work = async () => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      const required = schemas[`${name}.create`]?.required
      const needed: readonly unknown[] = Array.isArray(required) ? required : []
      models.push(modelFacts(name, await get(source, `doc-bearer/${encodeURIComponent(name)}.json`), needed))
      source.progress?.(models.length, names.length)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return models
}

async function indexed(source: LiveSource): Promise<string[]> {
  const { models } = (await get(source, 'doc-bearer/index.json')) as { models?: { model?: unknown }[] }
  if (!Array.isArray(models)) throw new StartupError(`${source.url} did not return a list of models.`)
  return models.flatMap(({ model }) => (typeof model === 'string' ? [model] : []))
}

interface CreateSchema {
  readonly required?: unknown
}

/**
 * Schemas of the OpenAPI document, which says what no record can be created without; none if a server has
 * no such document. A server that is away is an error, as types without them would be others.
 */
async function schemasOf(source: LiveSource): Promise<Readonly<Record<string, CreateSchema>>> {
  const query = source.models.length > 0 ? `?model=${source.models.map(encodeURIComponent).join(',')}` : ''
  const document = await get(source, `x/1/openapi.json${query}`, {})
  const { components } = document as { readonly components?: { readonly schemas?: object } }
  return { ...components?.schemas }
}

/** The answer of a path; `absent` where there is one and the server, which is not away, has no such path. */
async function get({ url, database, key }: LiveSource, path: string, absent?: object): Promise<unknown> {
  const address = `${url.replace(/\/+$/, '')}/${path}`
  const headers = {
    accept: 'application/json',
    authorization: `bearer ${key}`,
    // Two names of one header: servers know the one or the other.
    ...(database === undefined ? {} : { 'x-service-database': database, 'x-odoo-database': database }),
  }
  let status: number
  let text: string
  try {
    const response = await fetch(address, {
      headers,
      redirect: 'manual',
      signal: AbortSignal.timeout(PATIENCE_MS),
    })
    status = response.status
    text = await response.text()
  } catch (error) {
    const { cause, message } = error as Error
    throw new StartupError(
      `${address} cannot be reached: ${cause instanceof Error ? cause.message || String(cause) : message}`,
      {
        cause: error,
      },
    )
  }
  const answer = parsed(text)
  if (status === 200 && typeof answer === 'object' && answer !== null) return answer
  if (absent && status < 500 && status !== 429) return absent
  const serverMessage = (answer as { message?: unknown } | null)?.message
  throw new StartupError(
    `${address} answers with status ${status}${typeof serverMessage === 'string' ? `: ${serverMessage}` : ''}`,
  )
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** The facts of a document. Parts that are missing or malformed count as unknown. */
function modelFacts(name: string, document: unknown, needed: readonly unknown[]): ModelFacts {
  const { name: label = name, fields = {}, methods = {} } = document as Partial<ModelDocument>
  return {
    name,
    label,
    fields: mapped(fields, (field, fieldName) => fieldFacts(field, needed.includes(fieldName))),
    methods: mapped(methods, methodFacts),
  }
}

function fieldFacts(
  { type, string, required, relation, selection }: Readonly<Record<string, unknown>>,
  needed: boolean,
): FieldFacts {
  return {
    type: String(type),
    label: typeof string === 'string' ? string : '',
    required: required === true,
    needed,
    relation: typeof relation === 'string' ? relation : null,
    keys:
      type === 'selection' && Array.isArray(selection)
        ? selection.map((option: unknown) => String([option].flat()[0]))
        : [],
  }
}

function methodFacts({
  doc,
  parameters,
  return: result,
  module,
}: ModelDocument['methods'][string]): MethodFacts {
  return {
    doc: doc === undefined ? null : plainText(doc),
    parameters: mapped(
      parameters ?? {},
      (parameter): ParameterFacts => ({
        annotation: parameter.annotation,
        optional: 'default' in parameter,
        gathers: String(parameter.kind ?? '').startsWith('VAR_'),
      }),
    ),
    returns: result?.annotation,
    core: module === 'core',
  }
}

function mapped<A, B>(
  held: Readonly<Record<string, A>>,
  change: (value: A, name: string) => B,
): Record<string, B> {
  return Object.fromEntries(Object.entries(held).map(([name, value]) => [name, change(value, name)]))
}

const signs: Readonly<Record<string, string>> = {
  lt: '<',
  gt: '>',
  amp: '&',
  quot: '"',
  apos: "'",
  nbsp: ' ',
}

/** The first paragraph of a piece of HTML. */
function plainText(html: string): string {
  const [first = ''] = html.split(/<\/p>|<\/li>|\n\n/i)
  return first
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll(/&#(\d{1,6});/g, (_, code: string) => String.fromCodePoint(Number(code)))
    .replaceAll(/&(\w+);/g, (whole, name: string) => signs[name] ?? whole)
    .trim()
}
