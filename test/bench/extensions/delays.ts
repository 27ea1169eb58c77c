// Delay of changes until they reach streams and webhooks.
import { openReceiver } from '../../support/receiver.ts'
import type { Served } from '../../support/serve.ts'
import type { Asker } from './asker.ts'
import { quantile, type Size } from './figures.ts'

/** From a write to its event in a stream and to its webhook, with sixteen writers. */
export async function delays(on: Asker, node: Served, key: string, { calls }: Size) {
  const people = (
    await on.post('/json/2/res.partner/create', {
      vals_list: Array.from({ length: 64 }, (_, n) => ({ name: `Delay ${n}` })),
    })
  ).body as number[]
  const hook = await openReceiver()
  const endpoint = (
    await on.post('/x/1/webhooks', {
      url: hook.url,
      events: ['res.partner.updated'],
      fields: { 'res.partner': ['ref'] },
      concurrency: 16,
    })
  ).body as { id: number }
  const [sent, answered, streamed, hooked] = Array.from({ length: 4 }, () => new Map<string, number>()) as [
    Map<string, number>,
    Map<string, number>,
    Map<string, number>,
    Map<string, number>,
  ]
  hook.answer = ({ body }, response) => {
    const ref = String(body.data.values?.ref)
    if (!hooked.has(ref)) hooked.set(ref, performance.now())
    response.writeHead(200).end()
  }
  const stopping = new AbortController()
  const stream = await fetch(`${node.url}/x/1/changes?models=res.partner&fields.res.partner=ref&from=now`, {
    headers: { authorization: `bearer ${key}`, 'x-service-database': 'test', accept: 'text/event-stream' },
    signal: stopping.signal,
  })
  const reading = (async () => {
    const decoder = new TextDecoder()
    let text = ''
    for await (const chunk of stream.body as unknown as AsyncIterable<Uint8Array>) {
      text += decoder.decode(chunk, { stream: true })
      const events = text.split('\n\n')
      text = events.pop() ?? ''
      for (const event of events) {
        const ref = /"ref":\s*"([^"]+)"/.exec(event)?.[1]
        if (ref && !streamed.has(ref)) streamed.set(ref, performance.now())
      }
    }
  })().catch(() => undefined)
  // Each writer has records of its own, and pauses: one value of a record is not hidden by the next.
  let next = 0
  await Promise.all(
    Array.from({ length: 16 }, async (_, writer) => {
      while (next < calls) {
        const ref = `d${next++}`
        sent.set(ref, performance.now())
        await on.post('/json/2/res.partner/write', {
          ids: [people[writer * 4 + (next % 4)]],
          vals: { ref },
        })
        answered.set(ref, performance.now())
        await new Promise((resolve) => setTimeout(resolve, 20 + Math.random() * 60))
      }
    }),
  )
  await new Promise((resolve) => setTimeout(resolve, 3000))
  stopping.abort()
  await reading
  await on.post('/json/2/comptoir.webhook/unlink', { ids: [endpoint.id] })
  await hook.close()
  const since = (from: Map<string, number>, to: Map<string, number>) =>
    [...to].flatMap(([ref, at]) => (from.has(ref) ? [at - (from.get(ref) as number)] : []))
  const percentiles = (values: readonly number[]) => ({
    p50: Math.round(quantile(values, 0.5)),
    p99: Math.round(quantile(values, 0.99)),
    most: Math.round(Math.max(...values)),
  })
  return {
    writes: calls,
    'seen in the stream, by webhook': [streamed.size, hooked.size],
    'answer of the write to stream, ms': percentiles(since(answered, streamed)),
    'request of the write to stream, ms': percentiles(since(sent, streamed)),
    'answer of the write to webhook, ms': percentiles(since(answered, hooked)),
  }
}
