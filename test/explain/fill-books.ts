// Books of a size: posted invoices of one line with a tax, a part of them paid, by plain SQL; amounts
// balance, as the database itself sees to.
import type { Environment } from '../../src/models/index.ts'
import { raw, sql } from '../../src/sql/index.ts'

const PARTNERS = 2000

/**
 * Makes about so many items, three an invoice, over two years, and brings PostgreSQL's statistics up to date.
 */
export async function fillBooks(env: Environment, items: number, { openEvery = 10 } = {}): Promise<void> {
  const invoices = Math.ceil(items / 3)
  await env.model('res.partner').create(Array.from({ length: PARTNERS }, (_, n) => ({ name: `Debtor ${n}` })))
  const receivable = await env.ref('account.1_receivable')
  const income = await env.ref('account.1_income')
  const due = await env.ref('account.1_tax_received')
  const putBack = await dropReferences(env, ['account_move', 'account_move_line'])
  await env.query(raw('ALTER TABLE account_move_line DISABLE TRIGGER USER'))
  await env.query(raw('ALTER TABLE account_move DISABLE TRIGGER USER'))
  await env.query(sql`INSERT INTO account_move (name, state, move_type, journal_id, company_id, currency_id, partner_id, commercial_partner_id, date, invoice_date, auto_post,
      payment_state, amount_untaxed_signed, amount_tax_signed, amount_total_signed, amount_residual_signed)
    SELECT 'X/' || n, 'posted', 'out_invoice', j.id, j.company_id, c.currency_id, p.first + n % ${PARTNERS}::int, p.first + n % ${PARTNERS}::int, d.day, d.day, 'no',
      'not_paid', 100, 15, 115, CASE WHEN n % ${openEvery}::int = 0 THEN 115 ELSE 0 END
    FROM generate_series(1, ${invoices}::int) n
    CROSS JOIN LATERAL (SELECT '2024-01-01'::date + n % 730 AS day) d
    CROSS JOIN (SELECT id, company_id FROM account_journal WHERE type = 'sale' ORDER BY id LIMIT 1) j JOIN res_company c ON c.id = j.company_id
    CROSS JOIN (SELECT min(id) AS first FROM res_partner WHERE name LIKE 'Debtor %') p`)
  await env.query(sql`INSERT INTO account_move_line (move_id, move_name, parent_state, date, journal_id, company_id, company_currency_id, currency_id, partner_id, account_id, sequence,
      display_type, quantity, balance, debit, credit, amount_currency, amount_residual, amount_residual_currency, reconciled, date_maturity, tax_line_id)
    SELECT m.id, m.name, 'posted', m.date, m.journal_id, m.company_id, m.currency_id, m.currency_id, m.partner_id, v.account, 100, v.kind, 1, v.balance,
      greatest(v.balance, 0), greatest(-v.balance, 0), v.balance, CASE WHEN v.kind = 'payment_term' THEN m.amount_residual_signed ELSE 0 END, 0,
      v.kind = 'payment_term' AND m.amount_residual_signed = 0, m.date + 30, CASE WHEN v.kind = 'tax' THEN t.id END
    FROM account_move m CROSS JOIN (VALUES (${receivable}::int, 'payment_term', 115), (${income}::int, 'product', -100), (${due}::int, 'tax', -15)) v(account, kind, balance)
    CROSS JOIN (SELECT id FROM account_tax WHERE type_tax_use = 'sale' ORDER BY id LIMIT 1) t WHERE m.name LIKE 'X/%'`)
  await env.query(sql`INSERT INTO account_move_line_account_tax_rel (account_move_line_id, account_tax_id)
    SELECT l.id, t.id FROM account_move_line l CROSS JOIN (SELECT id FROM account_tax WHERE type_tax_use = 'sale' ORDER BY id LIMIT 1) t
    WHERE l.display_type = 'product'`)
  await env.query(raw('ALTER TABLE account_move_line ENABLE TRIGGER USER'))
  await env.query(raw('ALTER TABLE account_move ENABLE TRIGGER USER'))
  await putBack()
  for (const table of ['account_move', 'account_move_line', 'account_move_line_account_tax_rel'])
    await env.query(raw(`ANALYZE ${table}`))
}

/**
 * Takes the references of tables off, which PostgreSQL would look up row by row, and gives what puts them
 * back: then it looks once.
 */
async function dropReferences(env: Environment, tables: readonly string[]): Promise<() => Promise<void>> {
  const rows = await env.query(
    sql`SELECT conrelid::regclass::text, quote_ident(conname), pg_get_constraintdef(oid) FROM pg_constraint
      WHERE contype = 'f' AND conrelid = ANY(${tables}::regclass[])`,
  )
  for (const [table, name] of rows) await env.query(raw(`ALTER TABLE ${table} DROP CONSTRAINT ${name}`))
  return async () => {
    for (const [table, name, definition] of rows)
      await env.query(raw(`ALTER TABLE ${table} ADD CONSTRAINT ${name} ${definition}`))
  }
}
