// What tills load (load_data), what of it is gone (filter_local_data), and what changed since (load_changes).
// One statement a model.
import { atOnce, type Environment, type ModelName, type Records } from '#models'
import { InvalidValue } from '../../../errors.ts'
import { shown } from '../../../kit/text.ts'
import { idList, id as name, sql } from '../../../sql/index.ts'
import { assertAllowed } from '../../base/index.ts'
import { fieldsOf, type TillModel } from './fields.ts'
import { type Loading, loaded } from './models.ts'
import { type Rows, rowsIn } from './rows.ts'

type Sessions = Records<'pos.session'>

/** What is kept elsewhere than in `models.ts`: fields that are answered when tills sync, too. */
const synced: readonly string[] = [
  'pos.order',
  'pos.order.line',
  'pos.payment',
  'pos.pack.operation.lot',
  'pos.session',
]

const isThere = (env: Environment, model: string): model is ModelName =>
  env.unit.registry.get(model) !== undefined

async function loadingOf(sessions: Sessions): Promise<Loading> {
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
      'config_id.pricelist_id',
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
          config.iface_available_categ_ids.map((one) => one.id),
        )
      : null,
    usesPricelist: config.use_pricelist,
    pricelists: config.use_pricelist ? config.available_pricelist_ids.map((one) => one.id) : [],
    positions: config.fiscal_position_ids.map((one) => one.id),
    rounding: config.rounding_method?.id ?? null,
    warehouse: config.warehouse_id?.id ?? null,
  }
}

/** Categories with all below them. */
async function withBranches(env: Environment, categories: readonly number[]): Promise<number[]> {
  const rows =
    await env.query(sql`WITH RECURSIVE below(id) AS (SELECT c.id FROM pos_category c WHERE c.id = ANY(${idList([...categories])})
      UNION SELECT c.id FROM pos_category c JOIN below b ON c.parent_id = b.id) SELECT id FROM below`)
  return rows.map((row) => row[0] as number)
}

/**
 * The models that are asked for: those named, or all. Throws InvalidValue for models that tills know nothing
 * of.
 */
function wanted(env: Environment, models: readonly unknown[]): ModelName[] {
  const known = (model: string): model is ModelName => {
    const needs = loaded.get(model)?.needs
    if (!isThere(env, model) || (needs && !env.def(model).fields.has(needs))) return false
    return loaded.has(model) || synced.includes(model)
  }
  const unknown = models.find((model) => typeof model !== 'string' || !known(model))
  if (unknown !== undefined) throw new InvalidValue(`Tills load nothing of ${shown(unknown, 80)}.`)
  const all = models.length ? (models as string[]) : [...loaded.keys()]
  return [...new Set(['pos.session', ...all])].filter(known)
}

interface Narrowed {
  readonly of: Loading
  readonly ids?: readonly number[]
  readonly domain?: readonly unknown[]
}

/** Rows of a model, beside the caller's rights over it: what a till is told is the same for all who sell. */
async function rowsOf(env: Environment, model: ModelName, { of, ids, domain }: Narrowed): Promise<Rows> {
  const how = loaded.get(model)
  const own = model === 'pos.session' ? [['id', '=', of.session]] : (domain ?? how?.domain(of) ?? [])
  const su = env.sudo().withCompany(of.company)
  const def = su.def(model)
  const fields = synced.includes(model)
    ? fieldsOf(env, model as TillModel)
    : (how?.fields ?? []).filter((field) => def.fields.has(field))
  const records = (how?.archived ? su.withContext({ active_test: false }) : su).model(model)
  const rows = await records.invoke('search_read', {
    domain: [...own, ...(ids ? [['id', 'in', [...ids]]] : [])],
    fields,
    load: null,
    limit: how?.limit ?? null,
  })
  return rowsIn(rows)
}

/** All that a till loads: lists of records by model, with bare ids. */
export async function loadData(
  sessions: Sessions,
  models: readonly unknown[],
): Promise<Record<string, Rows>> {
  const { env } = sessions
  const of = await loadingOf(sessions)
  const names = wanted(env, models)
  const rows = await atOnce(env, ...names.map((model) => () => rowsOf(env, model, { of })))
  return Object.fromEntries(names.map((model, i) => [model, rows[i] as Rows]))
}

/** Ids of records that a till has and that are no more, or archived. */
export async function filterLocalData(
  sessions: Sessions,
  given: Readonly<Record<string, unknown>>,
): Promise<Record<string, number[]>> {
  const { env } = sessions
  await sessions.invoke('check_access_rights', { operation: 'read' })
  const gone: Record<string, number[]> = {}
  for (const model of wanted(env, Object.keys(given)).filter((one) => one in given)) {
    const ids = given[model]
    if (!Array.isArray(ids)) throw new InvalidValue('Name the ids that a till has, model by model.')
    const own = ids.filter((id): id is number => Number.isInteger(id))
    const there = new Set(
      (
        await env
          .sudo()
          .model(model)
          .search([['id', 'in', own]] as never)
      ).ids,
    )
    gone[model] = own.filter((id) => !there.has(id))
  }
  return gone
}

/** Products that a till asks for afterwards, with their variants and taxes. */
export async function loadProducts(
  env: Environment,
  config: number,
  domain: readonly unknown[],
  window: { offset: unknown; limit: unknown },
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
    usesPricelist: false,
    pricelists: [],
    positions: [],
    rounding: null,
    warehouse: null,
  }
  const found = await env
    .model('product.template')
    .search([...(domain as never[]), ['company_id', 'in', [false, company_id.id]]] as never, {
      offset: Number(window.offset) || 0,
      limit: Number(window.limit) || null,
    })
  const templates = found.ids
  const rows = await rowsOf(env, 'product.template', { of, domain: [], ids: templates })
  const taxes = [
    ...new Set(rows.flatMap((row) => (Array.isArray(row.taxes_id) ? (row.taxes_id as number[]) : []))),
  ]
  const variants = [
    ...new Set(
      rows.flatMap((row) =>
        Array.isArray(row.product_variant_ids) ? (row.product_variant_ids as number[]) : [],
      ),
    ),
  ]
  const [products, ofTaxes] = await atOnce(
    env,
    () => rowsOf(env, 'product.product', { of, domain: [], ids: variants }),
    () => rowsOf(env, 'account.tax', { of, ids: taxes }),
  )
  return { 'product.template': rows, 'product.product': products, 'account.tax': ofTaxes }
}

/** Tables whose changes change what a till sees of a model, beside its own: by which of their columns. */
const beside: Readonly<Record<string, { readonly table: string; readonly column: string }>> = {
  'product.template': { table: 'product_product', column: 'product_tmpl_id' },
}

/**
 * What changed since a version that an earlier answer gave: rows that are new or other, and ids that a till
 * no longer sells. Rows are told apart by the transaction that wrote them last: whatever was under way at the
 * earlier answer comes again.
 */
export async function loadChanges(
  sessions: Sessions,
  models: readonly unknown[],
  version: unknown,
): Promise<object> {
  const { env } = sessions
  const of = await loadingOf(sessions)
  const names = wanted(env, models)
  if (version !== false && version !== null && !/^\d{1,19}$/.test(String(version)))
    throw new InvalidValue('A version is what an earlier answer gave.')
  const [now] = await env.query(sql`SELECT pg_snapshot_xmin(pg_current_snapshot())::text`)
  const told = version === false || version === null ? null : String(version)
  const changed = told === null ? null : await changedSince(env, names, told)
  const rows = await atOnce(
    env,
    ...names.map((model) => () => {
      const ids = changed?.get(model)
      return ids && ids.length === 0 ? Promise.resolve([]) : rowsOf(env, model, ids ? { of, ids } : { of })
    }),
  )
  const gone = names.map((model, i) => {
    const there = new Set((rows[i] as Rows).map((row) => row.id))
    return [model, (changed?.get(model) ?? []).filter((id) => !there.has(id))] as const
  })
  return {
    version: now?.[0],
    unchanged:
      told !== null &&
      rows.every((own) => (own as Rows).length === 0) &&
      gone.every(([, ids]) => ids.length === 0),
    models: Object.fromEntries(names.map((model, i) => [model, rows[i]])),
    gone: Object.fromEntries(gone),
  }
}

/** Ids of rows that were written since; in one statement for all models. */
async function changedSince(
  env: Environment,
  models: readonly ModelName[],
  version: string,
): Promise<Map<string, number[]>> {
  const horizon = sql`age((${version}::text::xid8)::xid)`
  const parts = models.map((model) => {
    const { table } = env.def(model)
    const also = beside[model]
    const inherited = model === 'product.product' ? sql` OR age(p.xmin) <= ${horizon}` : sql``
    const joined =
      model === 'product.product' ? sql` JOIN product_template p ON p.id = t.product_tmpl_id` : sql``
    const other = also
      ? sql` UNION SELECT o.${name(also.column)} FROM ${name(also.table)} o WHERE age(o.xmin) <= ${horizon}`
      : sql``
    return sql`ARRAY(SELECT t.id FROM ${name(table)} t${joined} WHERE age(t.xmin) <= ${horizon}${inherited}${other})`
  })
  const [row] = parts.length
    ? await env.query(sql`SELECT ${parts.reduce((all, one) => sql`${all}, ${one}`)}`)
    : []
  return new Map(models.map((model, i) => [model, (row?.[i] as number[] | undefined) ?? []]))
}
