// Lines of the audit log for a receiver that speaks syslog (RFC 5424), over TCP or a socket file with a count
// before each message (RFC 6587), or as datagrams.
import { createSocket } from 'node:dgram'
import { connect, type NetConnectOpts, type Socket } from 'node:net'
import { hostname } from 'node:os'
import type { SyslogAddress } from '../../config/index.ts'
import type { Receiver } from './receiver.ts'

/** The facility "log audit" (13), of informational severity (6). */
const PRIORITY = 13 * 8 + 6

/** Milliseconds that a receiver has for what it is sent. */
const PATIENCE = 10_000

/** Milliseconds that a receiver has for saying that it broke off. */
const LEFT_MS = 500

/** Bytes of a datagram: a longer one is cut, as the network would lose it. */
const LARGEST = 60_000

/** A line of JSON as a message. An event that the header cannot hold becomes a dash. */
function messageOf(line: string): Buffer {
  const { time, event } = JSON.parse(line) as { time: string; event: string }
  const id = event.replaceAll(/[^!-~]/g, '').slice(0, 32) || '-'
  return Buffer.from(`<${PRIORITY}>1 ${time} ${hostname() || '-'} comptoir ${process.pid} ${id} - ${line}`)
}

export function syslogReceiver(address: SyslogAddress): Receiver {
  if (address.protocol === 'unix') {
    const { path } = address
    return { name: `unix://${path}`, send: (lines) => stream({ path }, path, lines.map(messageOf)) }
  }
  const { protocol, host, port } = address
  return {
    name: `${protocol}://${host}:${port}`,
    send: (lines) =>
      protocol === 'tcp'
        ? stream({ host, port }, `${host}:${port}`, lines.map(messageOf))
        : datagrams(host, port, lines.map(messageOf)),
  }
}

/** Uses a connection for each delivery: one that the other side closed fails at once. */
function stream(to: NetConnectOpts, name: string, messages: readonly Buffer[]): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const socket: Socket = connect(to)
  socket.setTimeout(PATIENCE, () => socket.destroy(new Error(`${name} does not accept messages`)))
  socket.on('error', reject)
  socket.on('close', () => resolve())
  // A receiver that keeps its side open has received what it acknowledged.
  socket.on('finish', () => setTimeout(() => socket.destroy(), LEFT_MS).unref())
  socket.on('connect', () => {
    for (const message of messages) {
      socket.write(`${message.length} `)
      socket.write(message)
    }
    socket.end()
  })
  // Answers are no part of the protocol.
  socket.resume()
  return promise
}

async function datagrams(host: string, port: number, messages: readonly Buffer[]): Promise<void> {
  const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4')
  try {
    for (const message of messages)
      await new Promise<void>((resolve, reject) =>
        socket.send(message.subarray(0, LARGEST), port, host, (error) => (error ? reject(error) : resolve())),
      )
  } finally {
    socket.close()
  }
}
