// Journals of money offer the manual way of paying in both directions, from when they are made.
import type { Environment } from '#models'
import { sql } from '../../../sql/index.ts'

/**
 * Gives every journal of money that offers nothing the manual methods; journals that were set up stay as they
 * are.
 */
export async function offerMethods(env: Environment): Promise<void> {
  const rows = await env.rows(
    sql`SELECT j.id, m.id FROM account_journal j CROSS JOIN account_payment_method m
    WHERE j.type IN ('bank', 'cash', 'credit') AND m.code = 'manual' AND NOT EXISTS (SELECT FROM account_payment_method_line l WHERE l.journal_id = j.id)
    ORDER BY j.id, m.payment_type`,
    {
      reads: ['account.journal', 'account.payment.method', 'account.payment.method.line'],
      row: ['int', 'int'],
    },
  )
  if (rows.length === 0) return
  await env
    .sudo()
    .model('account.payment.method.line')
    .create(rows.map((row) => ({ journal_id: row[0], payment_method_id: row[1] })))
}
