// A line between a server and its PostgreSQL that a test can hold or cut at the moment when COMMIT passes.

import { statementName } from '../../src/postgres/prepared.ts'
import { openRelay } from './relay.ts'

/**
 * The effect on a COMMIT that passes: none; cut before it arrives; deliver it and drop the answer; hold
 * it; `lose`: neither deliver it nor report an error.
 */
export type AtCommit = 'pass' | 'cut-before' | 'cut-after' | 'hold' | 'lose'

export interface Line {
  readonly port: number
  /** For the next COMMIT only; afterwards lines pass everything again. */
  next: AtCommit
  /** Resolves when that COMMIT came by. */
  struck(): Promise<void>
  close(): Promise<void>
}

/** Its text, or the name that it has once it was met before. */
const isCommit = (chunk: Buffer) => {
  statementName('COMMIT')
  return ['COMMIT', statementName('COMMIT')].some((mark) => chunk.includes(`${mark}\0`))
}

/** A line to a port on the loopback. */
export async function openLine(target: number): Promise<Line> {
  let came = Promise.withResolvers<void>()
  const line = { next: 'pass' as AtCommit }
  const { port, close } = await openRelay(target, (client, upstream) => {
    let isDeaf = false
    client.on('data', (chunk) => {
      const act = isCommit(chunk) ? line.next : 'pass'
      if (act === 'pass') return void upstream.write(chunk)
      line.next = 'pass'
      isDeaf = true
      if (act === 'cut-before') client.destroy()
      else if (act !== 'lose') upstream.write(chunk, () => act === 'cut-after' && client.end())
      came.resolve()
    })
    upstream.on('data', (chunk) => {
      if (!isDeaf) client.write(chunk)
    })
  })
  return Object.assign(line, {
    port,
    struck: async () => {
      await came.promise
      came = Promise.withResolvers()
    },
    close,
  })
}
