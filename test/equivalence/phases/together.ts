// Eight clients at a time in one database, each with separate contacts, orders and orders of a till.
// Answers are compared client by client; ids may come in another order.
import { Random } from '../../fuzz/random.ts'
import { clientOf } from '../client.ts'
import type { Phase, PhaseOptions } from '../phase.ts'
import type { Side } from '../side.ts'
import { independent, recordsOf } from './mix.ts'
import { openShop, orderOf, sync } from './tills.ts'

const LANES = 8
const STEPS = 20
/** Answers that ask the client to come again: which of two competing calls gets one is chance. */
const AGAIN = new Set([409, 429, 503])

export const together: Phase = {
  name: 'together',
  about: 'eight clients at a time; answers are compared lane by lane, tables up to the choice of ids',
  ids: 'mapped',
  repeats: true,
  async play(side, options) {
    const client = await clientOf(side, { lane: 0 })
    const shop = await openShop(client)
    await Promise.all(
      Array.from({ length: LANES }, (_, lane) =>
        lane === LANES - 1 ? sell(side, shop, lane, options) : work(side, lane, options),
      ),
    )
  },
}

async function work(side: Side, lane: number, { seed, share, round }: PhaseOptions): Promise<void> {
  const client = await clientOf(side, { lane })
  const random = new Random(seed * 524_287 + round * LANES + lane)
  const shared = await recordsOf(client)
  const records = { ...shared, partners: [...shared.partners] }
  for (let n = 0; n < Math.ceil(STEPS * share); n++)
    await random.pick(independent)(client, random, records, `lane ${lane} ${round}.${n}`)
}

/** One till: a second one at a time would compete for numbers. */
async function sell(
  side: Side,
  shop: Parameters<typeof orderOf>[1],
  lane: number,
  { seed, share, round }: PhaseOptions,
): Promise<void> {
  const client = await clientOf(side, { lane })
  const random = new Random(seed * 8191 + round)
  for (let n = 0; n < Math.ceil(STEPS * share); n++) {
    const order = orderOf(random, shop, 500_000 + round * 1000 + n)
    for (let tries = 0; tries < 20; tries++) if (!AGAIN.has((await sync(client, [order])).status)) break
  }
}
