// Replaces ids in examples by ids of existing records, so that pasted examples work.
import type { ModelDef } from '../models/language/definitions.ts'
import type { Environment } from '../models/language/environment.ts'
import { always } from '../models/language/tree.ts'
import { searchIds } from '../models/read/search.ts'
import type { DescribedModel } from './page-data.ts'
import { mayModel } from './visible-models.ts'

/**
 * The page with ids of records that the caller may read: of its model in `ids`, and of others in values
 * to create or write. An id is left unchanged if there is no record.
 */
export async function withRealRecords(env: Environment, page: DescribedModel): Promise<DescribedModel> {
  const { fields, model } = page.document
  const firstIds = new Map<string, Promise<number | undefined>>()
  const firstOf = (name: string) => {
    const id = firstIds.get(name) ?? firstId(env, env.unit.registry.get(name))
    firstIds.set(name, id)
    return id
  }
  const linked = async (values: unknown) => {
    // A module's method may use the name differently.
    if (typeof values !== 'object' || values === null || Array.isArray(values)) return values
    const entries = Object.entries(values).map(async ([name, value]) => {
      const { type, relation } = fields[name] ?? {}
      const isLink = type === 'many2one' && typeof relation === 'string'
      return [name, (isLink && (await firstOf(relation))) || value] as const
    })
    return Object.fromEntries(await Promise.all(entries))
  }
  const bodies = Object.entries(page.bodies).map(async ([method, body]) => {
    const id = Array.isArray(body.ids) && body.ids.length > 0 ? await firstOf(model) : undefined
    const { vals, vals_list: list } = body
    const filled = {
      ...body,
      ...(id === undefined ? {} : { ids: [id] }),
      ...(vals === undefined ? {} : { vals: await linked(vals) }),
      ...(Array.isArray(list) ? { vals_list: await Promise.all(list.map(linked)) } : {}),
    }
    return [method, filled] as const
  })
  return { ...page, bodies: Object.fromEntries(await Promise.all(bodies)) }
}

async function firstId(env: Environment, model: ModelDef | undefined): Promise<number | undefined> {
  if (!model || !mayModel(env, model, 'read')) return undefined
  const [id] = await searchIds(env, model, always(true), { order: 'id', limit: 1 })
  return id
}
