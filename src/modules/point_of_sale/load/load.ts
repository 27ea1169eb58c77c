// Loads data for tills (load_data), reports deleted records (filter_local_data), and loads products on
// request.

import { Tagged } from '#engine'
import { atOnce, type Environment, type ModelName, type Records } from '#models'
import { InvalidValue } from '../../../errors.ts'
import { present } from '../../../kit/present.ts'
import { assertAllowed, givenIds } from '../../base/index.ts'
import { isUpToDate } from './changes.ts'
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
  const { cachedTags: tags } = env.unit.answer.takePreferences()
  const of = await loadingOf(sessions)
  const models = await wanted(env, named)
  const had = tags.flatMap((tag) => versionOf(tag) ?? []).at(0) ?? null
  const now = await currentVersion(env, models, of, had)
  if (had && (await isUpToDate(env, models, of, had, now))) return new Tagged('', now.version, true)
  const texts = await atOnce(
    env,
    ...[...models].map((model) => async () => now.untold.get(model[0]) ?? textOf(env, model, { of })),
  )
  const rowTexts = [...models.keys()].map((model, i): [ModelName, string] => [model, present(texts[i])])
  return new Tagged(objectOf(rowTexts), now.version)
}

/** Ids of records that a till has and that no longer exist, or are archived. */
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
    if (!Array.isArray(ids)) throw new InvalidValue('Invalid ids: pass an object of lists of ids by model.')
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

/** Facts that decide what is loaded outside of a session. */
const loadingAt = ({ uid }: Environment, config: number, company: number): Loading => ({
  session: 0,
  config,
  company,
  user: uid,
  currency: 0,
  categories: null,
  pricelists: [],
  positions: [],
  rounding: null,
  warehouse: null,
})

/** The company of a point of sale. Throws AccessError for callers who may not read it. */
async function companyOf(env: Environment, config: number): Promise<number> {
  const configs = env.model('pos.config').browse([config])
  await assertAllowed(configs, 'read')
  return (await configs.one(['company_id'])).company_id.id
}

type Named = readonly (readonly [ModelName, readonly number[]])[]

/** Records as tills load them, by model, whatever the caller may read of them. */
export async function loadRecords(
  env: Environment,
  config: number,
  named: Named,
): Promise<Record<string, Rows>> {
  const of = loadingAt(env, config, await companyOf(env, config))
  const models = await modelsOf(env)
  const lists = await atOnce(
    env,
    ...named.map(([model, ids]) => async () => {
      const how = models.get(model)
      return how ? rowsOf(env, [model, how], { of, ids: [...new Set(ids)], domain: [] }) : []
    }),
  )
  return Object.fromEntries(named.map(([model], i) => [model, present(lists[i])]))
}

/** Products that a till asks for afterwards, with their variants and taxes. */
export async function loadProducts(
  env: Environment,
  config: number,
  domain: readonly unknown[],
  window: { offset: number | null; limit: number | null },
): Promise<Record<string, Rows>> {
  const of = loadingAt(env, config, await companyOf(env, config))
  const templateRecords = await env
    .model('product.template')
    .search([...(domain as never[]), ['company_id', 'in', [false, of.company]]] as never, {
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
