// Attempts of dishonest people in tests: an attempt is refused in words, and all records stay as they were.
import assert from 'node:assert/strict'
import { raw, sql } from '../../src/sql/index.ts'
import type { Person, Till } from '../support/till.ts'

/** Tables that an attempt may touch, all of what they hold. */
const WATCHED = [
  'pos_session',
  'pos_order',
  'pos_order_line',
  'pos_payment',
  'pos_config',
  'account_move',
  'account_move_line',
  'account_partial_reconcile',
  'account_payment',
  'account_bank_statement_line',
  'account_journal',
  'account_tax',
  'sale_order',
  'sale_order_line',
  'purchase_order',
  'purchase_order_line',
  'stock_picking',
  'stock_move',
  'stock_move_line',
  'stock_quant',
  'stock_scrap',
  'stock_lot',
  'ir_attachment',
  'sale_order_line_invoice_rel',
  'uom_uom',
  'res_currency',
  'res_company',
  'account_account',
  'ir_default',
  'ir_filters_res_users_rel',
]

/** A fingerprint of all that the tables hold. */
export function standingOf(till: Till): Promise<string> {
  return till.run(async (env) => {
    const sums: unknown[] = []
    for (const table of WATCHED)
      sums.push(
        await env.query(
          sql`SELECT count(*)::int, md5(COALESCE(string_agg(t::text, '' ORDER BY t::text), '')) FROM ${raw(table)} t`,
        ),
      )
    return JSON.stringify(sums)
  })
}

/** The attempt is refused with 403 or 422, in words, and nothing changed. */
export async function assertRefused(till: Till, person: Person, path: string, body: object): Promise<void> {
  const was = await standingOf(till)
  const answer = await till.call(person, path, body)
  const words = JSON.stringify(answer.body).slice(0, 300)
  assert.ok(
    answer.status === 403 || answer.status === 422,
    `${path} ${JSON.stringify(body)}: ${answer.status} ${words}`,
  )
  assert.equal(await standingOf(till), was, `${path}: something changed`)
}
