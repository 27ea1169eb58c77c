// Resources: models as contracts, and records, by addresses of their own.
import { type ReadResourceResult, ResourceNotFoundError } from '@modelcontextprotocol/server'
import { described, readingTools } from './read-tools.ts'
import { resultOf } from './result.ts'
import type { Visit } from './visit.ts'

/** The model and id that an address stands for; null for other addresses. */
export function recordAddress(uri: string): { readonly model: string; readonly id: number | null } | null {
  const [, kind, model, id] =
    /^comptoir:\/\/(models|records)\/([a-z0-9_.]{1,100})(?:\/([1-9]\d{0,9}))?$/.exec(uri) ?? []
  if (model === undefined || (kind === 'records') !== (id !== undefined)) return null
  return { model, id: id === undefined ? null : Number(id) }
}

export const templates = [
  {
    name: 'model',
    uriTemplate: 'comptoir://models/{model}',
    description: 'Fields and methods of a model that you may access.',
    mimeType: 'application/json',
  },
  {
    name: 'record',
    uriTemplate: 'comptoir://records/{model}/{id}',
    description: 'A record by its id.',
    mimeType: 'application/json',
  },
]

/** The models that the caller may read. */
export async function listed(visit: Visit) {
  const { models } = (await readingTools.list_models(visit, { limit: 200 })) as {
    readonly models: readonly { readonly model: string; readonly name: string }[]
  }
  return models.map(({ model, name }) => ({
    uri: `comptoir://models/${model}`,
    name: model,
    title: name,
    mimeType: 'application/json',
  }))
}

/** The resource at an address. Throws ResourceNotFoundError for other addresses. */
export async function read(visit: Visit, uri: string): Promise<ReadResourceResult> {
  const address = recordAddress(uri)
  if (!address) throw new ResourceNotFoundError(uri)
  const { model, id } = address
  const data =
    id === null
      ? await described(visit, model, {})
      : await readingTools.read_records(visit, { model, ids: [id] })
  // A record that is hidden and one that never was are told apart nowhere.
  if (id !== null && 'records' in data && Array.isArray(data.records) && data.records.length === 0)
    throw new ResourceNotFoundError(uri)
  const [content] = resultOf(data).content
  return {
    contents: [{ uri, mimeType: 'application/json', text: content?.type === 'text' ? content.text : '' }],
  }
}
