// OpenAPI 3.1 of a live database: models and methods that the caller may use, made of the same contracts as everything else.
import { AccessError, NotFound } from '../../errors.ts'
import type { ModelDef } from '../../models/language/definitions.ts'
import type { Environment } from '../../models/language/environment.ts'
import { VERSION } from '../../services/common.ts'
import { visibleModel, visibleModels } from '../visible.ts'
import { errorResponses } from './errors.ts'
import { modelPart } from './operations.ts'
import { sharedSchemas } from './values.ts'

/** Names of models and modules to tell about; none of either: everything. */
export interface Selection {
  readonly models: readonly string[]
  readonly modules: readonly string[]
}

/** The document. Throws NotFound for an unknown model or module, AccessError for a model that the caller may not read. */
export function openApi(env: Environment, selection: Selection, database: string): object {
  const parts = selected(env, selection).map((model) => ({ model, ...modelPart(env, model) }))
  const all = <K extends 'paths' | 'schemas' | 'requestBodies' | 'responses'>(key: K): object =>
    Object.assign({}, ...parts.map((part) => part[key]))
  return {
    openapi: '3.1.0',
    info: {
      title: `Comptoir: ${database}`,
      version: VERSION,
      description: 'Every method of every model is a POST with named parameters in a JSON object. Keys are bearer tokens.',
    },
    servers: [{ url: '/' }],
    security: [{ key: [], database: [] }, { key: [] }],
    tags: parts.map(({ model }) => ({ name: model.name, description: model.label })),
    paths: all('paths'),
    components: {
      securitySchemes: {
        key: { type: 'http', scheme: 'bearer', description: 'An API key of a user.' },
        database: {
          type: 'apiKey',
          in: 'header',
          name: 'X-Service-Database',
          description: `The database, here ${database}. Needed where the server has several; no secret.`,
        },
      },
      schemas: { ...sharedSchemas, ...all('schemas') },
      requestBodies: all('requestBodies'),
      responses: { ...errorResponses, ...all('responses') },
    },
  }
}

function selected(env: Environment, { models, modules }: Selection): ModelDef[] {
  for (const name of modules) if (!env.unit.registry.modules.includes(name)) throw new NotFound(`The module ${name} is not installed.`)
  const named = new Set(models.map((name) => visibleModel(env, name)))
  const visible = visibleModels(env)
  if (visible.length === 0) throw new AccessError('You may not read any model.')
  if (models.length === 0 && modules.length === 0) return visible
  return visible.filter((model) => named.has(model) || modules.some((module) => concerns(module, model)))
}

/** Whether a module declares the model or adds fields or methods to it. */
function concerns(module: string, model: ModelDef): boolean {
  return (
    model.module === module ||
    [...model.fields.values()].some((field) => field.module === module && !field.inherited) ||
    [...model.methods.values()].some((method) => method.module === module)
  )
}
