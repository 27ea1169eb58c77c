// OpenAPI 3.1 of a live database: models and methods that the caller may use, made of the same contracts as
// everything else.
import type { Extensions } from '../../config/index.ts'
import { AccessError, NotFound } from '../../errors.ts'
import { turn } from '../../kit/turns.ts'
import type { ModelDef } from '../../models/language/definitions.ts'
import type { Environment } from '../../models/language/environment.ts'
import { VERSION } from '../../services/common.ts'
import { isTechnical } from '../model-groups.ts'
import { visibleModel, visibleModels } from '../visible-models.ts'
import { errorResponses, errorResponsesOf } from './errors.ts'
import { extensionParameters, headersOf, pathsOf } from './extensions.ts'
import { modelPart } from './operations.ts'
import { problemSchema } from './problems.ts'
import { sharedSchemas } from './values.ts'
import { sentWebhooks } from './webhooks.ts'

/**
 * Names of models and modules to include, `*` for every model. Without any: the models of a business, with
 * the methods that nearly every program calls.
 */
export interface Selection {
  readonly models: readonly string[]
  readonly modules: readonly string[]
}

const CALLS =
  'Every method of every model is a `POST` with named parameters in a JSON object; `ids` are the records that it works on, `context` has settings of the call, such as language and company. ' +
  'API keys are bearer tokens. One call is one transaction. An error has a status of 400 or more, a `name` for programs and a `message` for people.'
const SMALL =
  'This document has what most programs need: the business models with their most used methods. `?model=res.partner,sale.order` describes some models completely, ' +
  '`?module=sale` describes those of a module, `?model=*` describes everything.'

type Part = { readonly model: ModelDef } & ReturnType<typeof modelPart>

/** Where the document is from, and what is offered there. */
interface Offer {
  readonly database: string
  readonly extensions: Extensions
}

/**
 * The document, made model by model with turns for others between them. Throws NotFound for an unknown model
 * or module, AccessError for a model that the caller may not read.
 */
export async function openApi(
  env: Environment,
  selection: Selection,
  { database, extensions }: Offer,
): Promise<object> {
  const { models, isWhole } = selected(env, selection)
  const headers = headersOf(extensions)
  const shared = new Set<string>()
  addShared(shared, errorResponses)
  const parts: Part[] = []
  for (const model of models) {
    const part = modelPart(env, model, { isWhole, headers, extensions })
    parts.push({ model, ...part })
    addShared(shared, part)
    await turn()
  }
  const all = <K extends 'paths' | 'schemas' | 'requestBodies' | 'responses'>(key: K): object =>
    Object.assign({}, ...parts.map((part) => part[key]))
  const described = {
    paths: all('paths'),
    schemas: all('schemas'),
    requestBodies: all('requestBodies'),
    responses: all('responses'),
  }
  const beyond = pathsOf(extensions)
  return {
    openapi: '3.1.0',
    info: {
      title: `Comptoir: ${database}`,
      version: VERSION,
      description: isWhole ? CALLS : `${CALLS}\n\n${SMALL}`,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    security: [{ key: [], database: [] }, { key: [] }],
    tags: [
      ...parts.map(({ model }) => ({
        name: model.name,
        description: `${model.label}. Its page: \`/doc/${model.name}\`.`,
      })),
      ...beyond.tags,
    ],
    paths: { ...described.paths, ...beyond.paths },
    ...(extensions.has('webhooks') ? { webhooks: sentWebhooks } : {}),
    components: {
      securitySchemes: securitySchemes(database),
      schemas: {
        ...Object.fromEntries([...shared].map((name) => [name, sharedSchemas[name]])),
        ...(extensions.has('problems') ? { Problem: problemSchema } : {}),
        ...described.schemas,
      },
      requestBodies: described.requestBodies,
      responses: { ...errorResponsesOf(extensions), ...described.responses },
      parameters: extensionParameters(extensions),
    },
  }
}

const securitySchemes = (database: string) => ({
  key: {
    type: 'http',
    scheme: 'bearer',
    description:
      'An API key of a user. Its scope may allow less than the user may do: a call outside of it gets 403 with `Error-Code: scope_missing` and the missing token in `WWW-Authenticate`.',
  },
  database: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Service-Database',
    description: `The database, here ${database}. Required if the server has several databases.`,
  },
})

/** Adds the names of shared schemas that a part refers to, directly or through one another. */
function addShared(shared: Set<string>, part: object): void {
  const text = JSON.stringify(part)
  for (const [name, schema] of Object.entries(sharedSchemas)) {
    if (shared.has(name) || !text.includes(`"#/components/schemas/${name}"`)) continue
    shared.add(name)
    addShared(shared, schema)
  }
}

/** Every model. */
const ALL = '*'

function selected(
  env: Environment,
  { models, modules }: Selection,
): { readonly models: readonly ModelDef[]; readonly isWhole: boolean } {
  for (const name of modules)
    if (!env.unit.registry.modules.includes(name)) throw new NotFound(`The module ${name} is not installed.`)
  const named = new Set(models.filter((name) => name !== ALL).map((name) => visibleModel(env, name)))
  const visible = visibleModels(env)
  if (visible.length === 0)
    throw new AccessError('You do not have read access to any model: ask an administrator.')
  if (models.length === 0 && modules.length === 0)
    return { models: visible.filter((model) => !isTechnical(model)), isWhole: false }
  const wanted = (model: ModelDef) =>
    models.includes(ALL) || named.has(model) || modules.some((module) => concerns(module, model))
  return { models: visible.filter(wanted), isWhole: true }
}

/** Whether a module declares the model or adds fields or methods to it. */
function concerns(module: string, model: ModelDef): boolean {
  return (
    model.module === module ||
    [...model.fields.values()].some((field) => field.module === module && !field.inherited) ||
    [...model.methods.values()].some((method) => method.module === module)
  )
}
