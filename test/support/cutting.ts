// A line between a client and a server that breaks after so many bytes of what the server answers.
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export interface Cutting {
  readonly url: string
  /**
   * Connections break behind so many bytes of the server, from the next requests on, one a number; then none
   * does.
   */
  readonly after: number[]
  /** Connections that broke. */
  readonly cut: number
  close(): Promise<void>
}

/** A line to the server at `url`, on the loopback. */
export async function openCutting(url: string): Promise<Cutting> {
  const sockets = new Set<Socket>()
  const after: number[] = []
  let cut = 0
  const server = createServer((client) => {
    const upstream = connect(Number(new URL(url).port), '127.0.0.1')
    // Taken when something is asked: connections are opened in advance, and used again.
    let left = Number.POSITIVE_INFINITY
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => {
        sockets.delete(socket)
        client.destroy()
        upstream.destroy()
      })
    }
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
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    after,
    get cut() {
      return cut
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
