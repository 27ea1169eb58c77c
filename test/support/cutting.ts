// A line between a client and a server that breaks after so many bytes of what the server answers.
import { openRelay } from './relay.ts'

export interface Cutting {
  readonly url: string
  /**
   * Each number cuts one of the next connections after so many bytes of the server; further connections
   * are not cut.
   */
  readonly after: number[]
  /** Connections that broke. */
  readonly cut: number
  close(): Promise<void>
}

/** A line to the server at `url`, on the loopback. */
export async function openCutting(url: string): Promise<Cutting> {
  const after: number[] = []
  let cut = 0
  const { port, close } = await openRelay(Number(new URL(url).port), (client, upstream) => {
    // Taken when something is asked: connections are opened in advance, and used again.
    let left = Number.POSITIVE_INFINITY
    client.on('data', (chunk) => {
      if (left === Number.POSITIVE_INFINITY) left = after.shift() ?? left
      upstream.write(chunk)
    })
    upstream.on('data', (chunk) => {
      if (chunk.length <= left) {
        left -= chunk.length
        if (!client.write(chunk)) upstream.pause()
        return
      }
      const rest = chunk.subarray(0, left)
      left = 0
      cut++
      upstream.destroy()
      client.write(rest, () => client.resetAndDestroy())
    })
    client.on('drain', () => upstream.resume())
  })
  return {
    url: `http://127.0.0.1:${port}`,
    after,
    get cut() {
      return cut
    },
    close,
  }
}
