// Open orders that tills share, and the contacts that they should know first.
import { atOnce, type Records } from '#models'
import { InvalidValue } from '../../../errors.ts'
import { sql } from '../../../sql/index.ts'
import { assertAllowed, givenIds } from '../../base/index.ts'
import { synced, type TillModel } from '../load/fields.ts'
import { answerOf } from '../sync/answer.ts'

type Configs = Records<'pos.config'>

/** Contacts of one page. */
const PAGE = 100

/** A page of contacts, those with most orders of tills first, each as a row of its id. */
export async function limitedContacts(
  configs: Configs,
  { offset }: { readonly offset: number | null },
): Promise<number[][]> {
  configs.ensureOne()
  await assertAllowed(configs, 'read')
  const { env } = configs
  const { company_id: company } = await configs.sudo().one(['company_id'])
  const rows = await env.rows(
    sql`SELECT p.id FROM res_partner p LEFT JOIN (SELECT partner_id, count(*) AS orders FROM pos_order
      WHERE company_id = ${company.id}::int GROUP BY 1) o ON o.partner_id = p.id
    WHERE p.active AND (p.company_id IS NULL OR p.company_id = ${company.id}::int)
    ORDER BY o.orders DESC NULLS LAST, p.complete_name, p.id LIMIT ${PAGE} OFFSET ${offset ?? 0}::bigint`,
    { reads: ['res.partner', 'pos.order'], row: ['int'] },
  )
  const seen = new Set((await env.model('res.partner').search([['id', 'in', rows.map(([id]) => id)]])).ids)
  return rows.flatMap(([id]) => (seen.has(id) ? [[id]] : []))
}

const isTillModel = (model: string): model is TillModel => model in synced

/** Of ids by model, those that no longer exist, or orders that are not drafts any longer. */
async function missingAmong({ env }: Configs, references: unknown): Promise<Record<string, number[]>> {
  const named =
    typeof references === 'object' && references !== null && !Array.isArray(references) ? references : {}
  const wanted = Object.entries(named).map(([model, ids]) => {
    if (!isTillModel(model) || !Array.isArray(ids))
      throw new InvalidValue('Invalid ids: pass an object of lists of ids by model.')
    return { model, ids: givenIds(ids) }
  })
  const storedRecords = await atOnce(
    env,
    ...wanted.map(({ model, ids }) => () => {
      const domain: unknown[] = [['id', 'in', ids]]
      if (model === 'pos.order') domain.push(['state', '=', 'draft'])
      return env.model(model).search(domain as never)
    }),
  )
  return Object.fromEntries(
    wanted.map(({ model, ids }, i) => {
      const kept = new Set(storedRecords[i]?.ids)
      return [model, ids.filter((id) => !kept.has(id))]
    }),
  )
}

/** Drafts that satisfy the domain, of this point of sale and of those that it trusts. */
export async function openOrders(
  configs: Configs,
  domain: readonly unknown[],
  knownIds: unknown,
): Promise<object> {
  const id = configs.ensureOne()
  const { env } = configs
  const { trusted_config_ids: trusted } = await configs.one(['trusted_config_ids'])
  const drafts = await env
    .model('pos.order')
    .search(
      [
        ...domain,
        ['state', '=', 'draft'],
        ['config_id', 'in', [id, ...trusted.map((config) => config.id)]],
      ] as never,
      { order: 'id' },
    )
  return {
    dynamic_records: await answerOf(env, drafts.ids),
    deleted_record_ids: await missingAmong(configs, knownIds),
  }
}
