// Loads data for tills (load_data), reports deleted records (filter_local_data), and loads products on
// request.

import { Tagged } from '#engine'
import { atOnce, type Environment, type ModelName, type Records } from '#models'
import { InvalidValue } from '../../../errors.ts'
import { present } from '../../../kit/present.ts'
import { assertAllowed, givenIds } from '../../base/index.ts'
import { hasAll } from './changes.ts'
import type { Loading } from './load-types.ts'
import { loadingOf, modelsOf, objectOf, rowsOf, textOf, wanted } from './read-models.ts'
import type { Rows } from './rows.ts'
import { currentVersion, versionOf } from './version.ts'

type Sessions = Records<'pos.session'>

/**
 * All that a till loads: lists of records by model, with bare ids. Nothing for a till that knows the tag of
 * all there is.
 */
export async function loadData(sessions: Sessions, named: readonly unknown[]): Promise<Tagged> {
  const { env } = sessions
  const { cachedTags: tags } = env.unit.takePreferences()
  const of = await loadingOf(sessions)
  const models = await wanted(env, named)
  const had = tags.flatMap((tag) => versionOf(tag) ?? []).at(0) ?? null
  const now = await currentVersion(env, models, of, had)
  if (had && (await hasAll(env, models, of, had, now))) return new Tagged('', now.version, true)
  const texts = await atOnce(
    env,
    ...[...models].map((model) => async () => now.untold.get(model[0]) ?? textOf(env, model, { of })),
  )
  const rowTexts = [...models.keys()].map((model, i): [ModelName, string] => [model, present(texts[i])])
  return new Tagged(objectOf(rowTexts), now.version)
}

/** Ids of records that a till has and that are no more, or archived. */
export async function filterLocalData(
  sessions: Sessions,
  idsByModel: Readonly<Record<string, unknown>>,
): Promise<Record<string, number[]>> {
  const { env } = sessions
  await assertAllowed(sessions, 'read')
  const models = [...(await wanted(env, Object.keys(idsByModel))).keys()].filter(
    (model) => model in idsByModel,
  )
  const had = models.map((model) => {
    const ids = idsByModel[model]
    if (!Array.isArray(ids)) throw new InvalidValue('Name the ids that a till has, model by model.')
    return givenIds(ids)
  })
  const su = env.sudo()
  const existing = await atOnce(
    env,
    ...models.map((model, i) => () => su.model(model).search([['id', 'in', had[i] ?? []]] as never)),
  )
  return Object.fromEntries(
    models.map((model, i) => {
      const left = new Set(existing[i]?.ids)
      return [model, (had[i] ?? []).filter((id) => !left.has(id))]
    }),
  )
}

const idsIn = (rows: Rows, field: string): number[] => [
  ...new Set(rows.flatMap((row) => (Array.isArray(row[field]) ? (row[field] as number[]) : []))),
]

/** Products that a till asks for afterwards, with their variants and taxes. */
export async function loadProducts(
  env: Environment,
  config: number,
  domain: readonly unknown[],
  window: { offset: number | null; limit: number | null },
): Promise<Record<string, Rows>> {
  const configs = env.model('pos.config').browse([config])
  await assertAllowed(configs, 'read')
  const { company_id } = await configs.one(['company_id'])
  const of: Loading = {
    session: 0,
    config,
    company: company_id.id,
    user: env.uid,
    currency: 0,
    categories: null,
    pricelists: [],
    positions: [],
    rounding: null,
    warehouse: null,
  }
  const templateRecords = await env
    .model('product.template')
    .search([...(domain as never[]), ['company_id', 'in', [false, company_id.id]]] as never, {
      offset: window.offset ?? 0,
      limit: window.limit || null,
    })
  const models = await modelsOf(env)
  const load = (
    model: ModelName,
    ids: readonly number[],
    how: { domain?: readonly unknown[] } = { domain: [] },
  ) => rowsOf(env, [model, present(models.get(model))], { of, ids, ...how })
  const templates = await load('product.template', templateRecords.ids)
  const [products, taxes] = await atOnce(
    env,
    () => load('product.product', idsIn(templates, 'product_variant_ids')),
    () => load('account.tax', idsIn(templates, 'taxes_id'), {}),
  )
  return { 'product.template': templates, 'product.product': products, 'account.tax': taxes }
}
