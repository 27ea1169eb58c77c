// Costs of the extensions of the documented API, measured in one run of three to four minutes: ratios
// and delays. Creates and writes: the median of three fresh pairs of servers, in turns. Batches, pages
// of the feed, and delays to streams and webhooks: once, on one more pair.
// node test/bench/extensions/run.ts [--pairs 3] [--warm 1500] [--rounds 11] [--calls 500]
import { parseArgs } from 'node:util'
import { agent } from './asker.ts'
import { batches } from './batches.ts'
import { delays } from './delays.ts'
import type { Size } from './figures.ts'
import { pages } from './pages.ts'
import { withPair } from './pair.ts'
import { writes } from './writes.ts'

const { values } = parseArgs({
  options: {
    pairs: { type: 'string', default: '3' },
    warm: { type: 'string', default: '1500' },
    rounds: { type: 'string', default: '11' },
    calls: { type: 'string', default: '500' },
  },
})
const size: Size = {
  pairs: Number(values.pairs),
  warm: Number(values.warm),
  rounds: Number(values.rounds),
  calls: Number(values.calls),
}
try {
  const figures = {
    ...(await writes(size)),
    ...(await withPair(async ({ on, node, key }) => ({
      ...(await batches(on, size)),
      ...(await pages(on, size)),
      ...(await delays(on, node, key, size)),
    }))),
  }
  const aims = {
    'batch of ten creates / ten calls': 'at least 3',
    'page of 500 changes / search_read of 500 (time)': 'at most 2',
    'answer of the write to stream, ms': 'p99 at most 100',
    'answer of the write to webhook, ms': 'p99 at most 1000',
  }
  console.log(JSON.stringify({ ...figures, aims }, null, 2))
} finally {
  agent.destroy()
}
