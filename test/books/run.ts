// Thousands of random documents, posted by many at once, paid, credited, reset and attacked: says what does
// not hold of the books. `npm run books -- --documents 3000 --operations 1500 --seed 7`
import { parseArgs } from 'node:util'
import { chance } from '../stock/competition.ts'
import { openAccounting } from '../support/accounting.ts'
import { ledgerOf } from '../support/ledger.ts'
import { bookkeeping } from './bookkeeping.ts'
import { mastersOf } from './laws.ts'

const { values } = parseArgs({
  options: {
    documents: { type: 'string', default: '3000' },
    operations: { type: 'string', default: '1500' },
    seed: { type: 'string', default: '7' },
  },
})

const office = await openAccounting()
try {
  const seed = Number(values.seed)
  const bank = await ledgerOf(office).make('account.journal', { name: 'Bank', code: 'LAWB', type: 'bank' })
  const size = { documents: Number(values.documents), operations: Number(values.operations) }
  const wrong = await bookkeeping(
    office,
    { ...size, seed, next: chance(seed), bank },
    await mastersOf(office),
  )
  console.log(
    wrong.length
      ? wrong.join('\n')
      : `${size.documents} documents and ${size.operations} operations: the books keep all laws`,
  )
  if (wrong.length) process.exitCode = 1
} finally {
  await office.close()
}
