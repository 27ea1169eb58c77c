// Sets up valuation: the account and the journal of companies with a chart of accounts, and the value of
// existing goods.
import { type Environment, loadData, ref } from '#models'
import { nowUtc } from '../../kit/dates.ts'
import { sql } from '../../sql/index.ts'

/** Sets up the companies that have a chart of accounts and are not set up yet. */
export async function setUpCompanies(env: Environment): Promise<void> {
  const su = env.sudo()
  const companies = await su.model('res.company').search([
    ['chart_template', '!=', false],
    ['account_stock_valuation_id', '=', false],
  ])
  for (const company of companies.ids) {
    const companyEnv = su.withCompany(company)
    // Programs know them by the names of a chart of accounts (recorded: `account.1_stock_valuation`).
    const name = (id: string) => `${company}_${id}`
    await loadData(companyEnv, 'account', {
      model: 'account.account',
      noupdate: true,
      records: {
        [name('stock_valuation')]: {
          code: '110100',
          name: 'Stock Valuation',
          account_type: 'asset_current',
          company_ids: [[6, 0, [company]]],
        },
      },
    })
    await loadData(companyEnv, 'account', {
      model: 'account.journal',
      noupdate: true,
      records: {
        [name('inventory_valuation')]: {
          name: 'Inventory Valuation',
          code: 'STJ',
          type: 'general',
          company_id: company,
          show_on_dashboard: false,
          default_account_id: ref(name('stock_valuation')),
        },
      },
    })
    await companyEnv
      .model('res.company')
      .browse([company])
      .write({
        account_stock_valuation_id: await companyEnv.ref(`account.${name('stock_valuation')}`),
        account_stock_journal_id: await companyEnv.ref(`account.${name('inventory_valuation')}`),
      })
  }
}

/** Categories value by the fixed cost, at closing, unless they say otherwise. */
export async function setDefaults(env: Environment): Promise<void> {
  const defaults = [
    ['property_cost_method', 'standard'],
    ['property_valuation', 'periodic'],
  ] as const
  for (const [field_name, value] of defaults)
    await env.sudo().model('ir.default').set({
      model_name: 'product.category',
      field_name,
      value,
      user_id: false,
      company_id: false,
      condition: false,
    })
}

/** Goods that are there when the module comes are worth their cost. */
export async function valueExistingStock(env: Environment): Promise<void> {
  const rows = await env.rows(
    sql`SELECT q.product_id, l.company_id, sum(q.quantity)::float8 FROM stock_quant q
    JOIN stock_location l ON l.id = q.location_id JOIN res_company c ON c.id = l.company_id
    WHERE l.usage IN ('internal', 'transit') AND q.owner_id IS NULL
      AND NOT EXISTS (SELECT FROM comptoir_stock_balance b WHERE b.product_id = q.product_id AND b.company_id = l.company_id)
    GROUP BY 1, 2 HAVING sum(q.quantity) <> 0`,
    {
      reads: ['stock.quant', 'stock.location', 'res.company', 'comptoir.stock.balance'],
      row: ['int', 'int', 'float'],
    },
  )
  const su = env.sudo()
  // Moves of the same second come before costs that are set in it (history.ts), and after this.
  const date = nowUtc(new Date(env.now().getTime() - 1000))
  for (const [company, group] of Map.groupBy(rows, (row) => row[1])) {
    const quantities = new Map(group.map((row) => [row[0], row[2]]))
    const products = su
      .withCompany(company)
      .model('product.product')
      .browse([...quantities.keys()])
    const priced = (await products.load(['standard_price'])).filter((product) => product.standard_price !== 0)
    if (priced.length === 0) continue
    const worth = priced.map((product) => ({
      product_id: product.id,
      company_id: company,
      value: product.standard_price * (quantities.get(product.id) ?? 0),
    }))
    await su
      .model('comptoir.stock.balance')
      .create(worth.map((balance, i) => ({ ...balance, initial_cost: priced[i]?.standard_price ?? 0 })))
    await su.model('product.value').create(
      worth.map(({ value, ...balance }, i) => ({
        ...balance,
        date,
        delta: value,
        value: priced[i]?.standard_price ?? 0,
        description: 'What was there',
      })),
    )
  }
}

/** Moves that were valued before their change of what is there was kept changed it by their value. */
export async function completeChanges(env: Environment): Promise<void> {
  await env.execute(
    sql`UPDATE stock_move m SET value_change = CASE WHEN d.usage IN ('internal', 'transit') THEN m.value ELSE -m.value END
    FROM stock_location d WHERE d.id = m.location_dest_id AND m.value_change IS NULL AND m.valued_qty > 0`,
    { reads: ['stock.move', 'stock.location'] },
  )
}
