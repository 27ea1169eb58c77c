// The migration of companies that kept books before `anglo_saxon_accounting` said how: they all booked the
// cost of goods with invoices, and go on so. Branches use the accounts of their company. A value that
// somebody chose since is kept.
import type { Migration } from '#models'
import { idList, sql } from '../../sql/index.ts'

export const angloSaxonCompanies: Migration = {
  name: 'anglo-saxon accounting of companies with accounts',
  model: 'res.company',
  run: async (env, ids) => {
    await env.execute(
      sql`UPDATE res_company c SET anglo_saxon_accounting = true WHERE c.id = ANY(${idList(ids)}) AND c.anglo_saxon_accounting IS NULL
        AND EXISTS (SELECT FROM account_account_res_company_rel r
          WHERE r.res_company_id = ANY(string_to_array(rtrim(c.parent_path, '/'), '/')::int[]))`,
      { reads: ['res.company'] },
    )
  },
}
