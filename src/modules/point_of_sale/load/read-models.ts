// Reading what a till loads: for which point of sale, of which models, and the rows themselves, one statement
// a model.
import { searchText } from '#engine'
import type { Environment, ModelName, Records } from '#models'
import { InvalidValue } from '../../../errors.ts'
import { shown } from '../../../kit/text.ts'
import { idList, sql } from '../../../sql/index.ts'
import { assertAllowed } from '../../base/index.ts'
import { companyData } from './company-data.ts'
import { goods } from './goods.ts'
import type { Domain, Loaded, Loading } from './load-types.ts'
import type { Rows } from './rows.ts'
import { shop } from './shop.ts'

type Sessions = Records<'pos.session'>

export type LoadedModels = Readonly<Record<string, Loaded>>

/** Models that this module loads; other modules add theirs by wrapping `till_models`. */
export const tillModels: LoadedModels = { ...shop, ...companyData, ...goods }

/** Loaded models that exist in this database. */
export async function modelsOf(env: Environment): Promise<ReadonlyMap<ModelName, Loaded>> {
  const all = (await env.model('pos.session').till_models()) as LoadedModels
  const isThere = (entry: [string, Loaded]): entry is [ModelName, Loaded] =>
    env.unit.registry.get(entry[0]) !== undefined
  return new Map(Object.entries(all).filter(isThere))
}

/** Throws AccessError for who may not read the session. */
export async function loadingOf(sessions: Sessions): Promise<Loading> {
  const id = sessions.ensureOne()
  await assertAllowed(sessions, 'read')
  const {
    config_id: config,
    company_id,
    currency_id,
  } = await sessions
    .sudo()
    .one([
      'company_id',
      'currency_id',
      'config_id.limit_categories',
      'config_id.iface_available_categ_ids',
      'config_id.use_pricelist',
      'config_id.available_pricelist_ids',
      'config_id.fiscal_position_ids',
      'config_id.rounding_method',
      'config_id.warehouse_id',
    ])
  const limited = config.limit_categories && config.iface_available_categ_ids.length > 0
  return {
    session: id,
    config: config.id,
    company: company_id?.id ?? 0,
    user: sessions.env.uid,
    currency: currency_id?.id ?? 0,
    categories: limited
      ? await withBranches(
          sessions.env,
          config.iface_available_categ_ids.map((record) => record.id),
        )
      : null,
    pricelists: config.use_pricelist
      ? config.available_pricelist_ids.map((availablePricelist) => availablePricelist.id)
      : [],
    positions: config.fiscal_position_ids.map((fiscalPosition) => fiscalPosition.id),
    rounding: config.rounding_method?.id ?? null,
    warehouse: config.warehouse_id?.id ?? null,
  }
}

/** Categories with all below them. */
async function withBranches(env: Environment, categories: readonly number[]): Promise<number[]> {
  const rows = await env.rows(
    sql`WITH RECURSIVE below(id) AS (SELECT c.id FROM pos_category c WHERE c.id = ANY(${idList([...categories])})
      UNION SELECT c.id FROM pos_category c JOIN below b ON c.parent_id = b.id) SELECT id FROM below`,
    { reads: ['pos.category'], row: ['int'] },
  )
  return rows.map((row) => row[0])
}

/**
 * The models that are asked for: those named, or all. Throws InvalidValue for models that tills know nothing
 * of.
 */
export async function wanted(env: Environment, named: readonly unknown[]): Promise<Map<ModelName, Loaded>> {
  const models = await modelsOf(env)
  const unknown = named.find((model) => !models.has(model as ModelName))
  if (unknown !== undefined) throw new InvalidValue(`Tills do not load the model ${shown(unknown, 80)}.`)
  const names = new Set<unknown>(named.length ? ['pos.session', ...named] : models.keys())
  return new Map([...models].filter(([model]) => names.has(model)))
}

/** Names of the fields that are loaded of a model, as far as this database has them. */
export function loadedFields(env: Environment, model: ModelName, { fields }: Loaded): string[] {
  const modelFields = env.def(model).fields
  return fields.filter((field) => modelFields.has(field))
}

interface Narrowed {
  readonly of: Loading
  readonly ids?: readonly number[]
  readonly domain?: Domain
}

/** Rows of a model as JSON text, read as superuser: all users who sell get the same data. */
export async function textOf(
  env: Environment,
  [model, how]: readonly [ModelName, Loaded],
  { of, ids, domain = how.domain(of) }: Narrowed,
): Promise<string> {
  const su = env.sudo().withCompany(of.company)
  return searchText(how.archived ? su.withContext({ active_test: false }) : su, model, {
    domain: [...domain, ...(ids ? [['id', 'in', [...ids]]] : [])],
    fields: loadedFields(env, model, how),
    limit: ids ? null : (how.limit ?? null),
    written: { ...how.written, ...(ids ? {} : how.gathered) },
  })
}

/** As `textOf`, as objects. */
export const rowsOf = async (
  env: Environment,
  entry: readonly [ModelName, Loaded],
  narrowed: Narrowed,
): Promise<Rows> => JSON.parse(await textOf(env, entry, narrowed)) as Rows

/** An object of what there is of each model, as text: what PostgreSQL made of long lists is left unchanged. */
export const objectOf = (texts: Iterable<readonly [ModelName, string]>): string =>
  `{${[...texts].map(([model, text]) => `${JSON.stringify(model)}:${text}`).join(',')}}`
