// Laws of documents: whatever taxes, currencies, terms and roundings they have, what is posted balances in
// both currencies and says what its items say.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { bookkeeping } from '../../../../test/books/bookkeeping.ts'
import { anyDocument, faultsOf, mastersOf } from '../../../../test/books/laws.ts'
import { chance } from '../../../../test/stock/competition.ts'
import { type Accounting, openAccounting } from '../../../../test/support/accounting.ts'
import { ledgerOf } from '../../../../test/support/ledger.ts'
import { idList, sql } from '../../../sql/index.ts'

/** Documents of each rounding method: fewer where every change waits for them. */
const DOCUMENTS = process.env.CI ? 60 : 200

let office: Accounting
before(async () => {
  office = await openAccounting()
})
after(() => office?.close())

test('hundreds of random documents are posted, and all of them keep the laws', async () => {
  const { ask, make, makeAll } = ledgerOf(office)
  const known = await mastersOf(office)
  for (const method of ['round_globally', 'round_per_line']) {
    await office.run(async (env) =>
      env
        .model('res.company')
        .browse([env.companyId])
        .write({ tax_calculation_rounding_method: method as 'round_globally' }),
    )
    const documents = fc.sample(anyDocument(known), { numRuns: DOCUMENTS, seed: method.length })
    const ids = await makeAll('account.move', documents)
    const totals = await office.run((env) =>
      env.query(sql`SELECT id FROM account_move WHERE id = ANY(${idList(ids)}) AND amount_total >= 0`),
    )
    await ask('account.move/action_post', { ids: totals.map((row) => row[0]) })
    assert.deepEqual(await faultsOf(office), [])
  }
  const bank = await make('account.journal', { name: 'Law bank', code: 'LAWB', type: 'bank' })
  const story = { documents: 16, operations: 24, seed: 7, next: chance(7), bank }
  assert.deepEqual(await bookkeeping(office, story, known), [])
})
