// `npm run rights -- --rounds 500 --seed 1`: random rights against the plain model; prints the smallest plan
// that shows a difference.
import { parseArgs } from 'node:util'
import { describe, findDifference } from './property.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    steps: { type: 'string', default: '80' },
    shapes: { type: 'string', default: '4' },
  },
})
const [rounds, seed, steps, shapes] = [values.rounds, values.seed, values.steps, values.shapes].map(
  Number,
) as [number, number, number, number]
const difference = await findDifference({
  rounds,
  seed,
  steps,
  shapes,
  progress(round) {
    if (round % 25 === 0) console.log(`${round} rounds`)
  },
})
if (difference) {
  console.error(describe(difference))
  process.exitCode = 1
} else console.log(`${rounds} rounds of ${steps} calls, seed ${seed}: everybody sees and does what they may`)
