// `npm run explain -- --contacts 1000000`: fills a database and shows how the commonest searches read it;
// fails where a table of contacts is read from end to end.
import { parseArgs } from 'node:util'
import { modules } from '../../src/main.ts'
import { openTestDatabase } from '../support/databases.ts'
import { explainCases } from './cases.ts'
import { fillContacts } from './fill.ts'
import { planOf } from './plan.ts'

const { values } = parseArgs({ options: { contacts: { type: 'string', default: '1000000' } } })
const db = await openTestDatabase(modules.filter((module) => module.name === 'base'))
try {
  const filled = await db.run((env) => fillContacts(env, Number(values.contacts)))
  let wrong = 0
  for (const explainCase of explainCases(filled)) {
    const plan = await db.run((env) => planOf(env, explainCase))
    const bad = plan.whole.includes('res_partner')
    if (bad) wrong++
    console.log(
      `${bad ? 'NO ' : 'ok '} ${explainCase.name.padEnd(42)} ${plan.milliseconds.toFixed(1).padStart(8)} ms ${String(plan.found).padStart(7)} found  ${plan.indexes.join(', ')}`,
    )
  }
  console.log(wrong ? `${wrong} searches read all contacts` : 'no search reads all contacts')
  if (wrong) process.exitCode = 1
} finally {
  await db.close()
}
