// Kills nodes in the middle of sending webhooks, again and again, and judges what arrived: everything that
// was committed, at least once, and for every record in order.
// node test/durability/webhooks.ts [--rounds 5] [--writers 8] [--writes 10000]
import { parseArgs } from 'node:util'
import { until } from '../support/receiver.ts'
import type { Served } from '../support/serve.ts'
import { killAll, withDescendants } from './processes.ts'
import { type Outcome, openSending, type Sending } from './sending.ts'

interface Options {
  readonly rounds: number
  readonly writers: number
  readonly writes: number
}

/**
 * Waits until everything is sent. Has no deadline while deliveries arrive, because the machine may be
 * slow.
 */
async function settled({ hook, settle }: Sending): Promise<void> {
  for (;;) {
    const had = hook.got.length
    try {
      return await settle(120)
    } catch (error) {
      if (hook.got.length === had) throw error
    }
  }
}

async function killWhileSending({ rounds, writers, writes }: Options): Promise<Outcome> {
  const sending = await openSending()
  const { hook, call } = sending
  const nodes: Served[] = []
  try {
    for (let n = 0; n < 2; n++) nodes.push(await sending.start())
    hook.answer = (_received, response) =>
      void setTimeout(() => response.writeHead(Math.random() < 0.05 ? 500 : 200).end(), Math.random() * 20)
    const people = (await call('res.partner/create', {
      vals_list: Array.from({ length: 20 }, (_, n) => ({ name: `P${n}` })),
    })) as number[]
    for (let round = 0; round < rounds; round++) {
      let left = writes / rounds
      const write = async () => {
        while (left-- > 0)
          await call('res.partner/write', {
            ids: [people[Math.floor(Math.random() * people.length)]],
            vals: { comment: `${left}` },
          })
      }
      const writing = Promise.all(Array.from({ length: writers }, write))
      const from = hook.got.length
      await until(() => hook.got.length > from + 20, 'something is sent')
      const victim = round % 2
      await killAll(withDescendants((nodes[victim] as Served).pid))
      await writing
      nodes[victim] = await sending.start()
    }
    await settled(sending)
    return await sending.judge()
  } finally {
    await sending.close()
  }
}

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    writers: { type: 'string', default: '8' },
    writes: { type: 'string', default: '10000' },
  },
})
const { again, ...outcome } = await killWhileSending({
  rounds: Number(values.rounds),
  writers: Number(values.writers),
  writes: Number(values.writes),
})
console.log(JSON.stringify({ ...outcome, again: again.length }, null, 2))
process.exitCode = outcome.missing.length + outcome.disordered.length + outcome.doubled.length ? 1 : 0
