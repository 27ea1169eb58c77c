// A connection to PostgreSQL that tests can silence: no bytes in either direction, and no end of the
// connection.
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export interface Way {
  readonly port: number
  /** From now on nothing gets through on the lines that are open; new ones do. */
  muffle(): void
  /** From now on nothing gets through at all, also on lines that are opened. */
  muffleAll(): void
  /** New lines get through again. */
  open(): void
  close(): Promise<void>
}

/** Opens a way to a server on a port of its own. */
export async function openWay({
  host,
  port,
}: {
  readonly host: string
  readonly port: number
}): Promise<Way> {
  const lines = new Set<Socket>()
  const deaf = new WeakSet<Socket>()
  let closed = false
  const proxy = createServer((client) => {
    if (closed) deaf.add(client)
    const upstream = connect(port, host)
    const both = [client, upstream]
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      lines.add(from)
      from.on('data', (data) => void (deaf.has(from) || to.write(data)))
      from.on('error', () => undefined)
      from.on('close', () => {
        lines.delete(from)
        if (!deaf.has(from)) for (const socket of both) socket.destroy()
      })
    }
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const muffle = () => {
    for (const line of lines) deaf.add(line)
  }
  return {
    port: (proxy.address() as AddressInfo).port,
    muffle,
    muffleAll() {
      muffle()
      closed = true
    },
    open() {
      closed = false
    },
    async close() {
      for (const line of lines) line.destroy()
      proxy.close()
      await once(proxy, 'close')
    },
  }
}
