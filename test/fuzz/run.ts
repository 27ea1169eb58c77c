// `npm run fuzz -- --domains 100000 --seed 1`: runs the fuzzer; a difference is printed and kept as a regression.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { fuzz } from './fuzz.ts'

const { values } = parseArgs({
  options: {
    domains: { type: 'string', default: '10000' },
    seed: { type: 'string', default: '1' },
    shapes: { type: 'string', default: '8' },
  },
})
const [domains, seed, shapes] = [Number(values.domains), Number(values.seed), Number(values.shapes)]
let next = 0
const outcome = await fuzz({
  domains,
  seed,
  shapes,
  progress(done) {
    if (done < next) return
    console.log(`${done} domains`)
    next = done + Math.max(1000, domains / 20)
  },
})
if (outcome.finding) {
  const file = join(import.meta.dirname, 'regressions', `seed-${seed}-${outcome.asked}.json`)
  writeFileSync(file, `${JSON.stringify({ note: 'What was wrong: say it here.', ...outcome.finding }, null, 2)}\n`)
  console.error(
    JSON.stringify({
      model: outcome.finding.model,
      domain: outcome.finding.domain,
      context: outcome.finding.context,
      rows: outcome.finding.rows,
    }),
  )
  console.error(JSON.stringify(outcome.difference))
  console.error(`The readers differ (seed ${seed}, after ${outcome.asked} domains). Kept as ${file}.`)
  process.exitCode = 1
} else console.log(`${outcome.asked} domains, seed ${seed}: no difference`)
