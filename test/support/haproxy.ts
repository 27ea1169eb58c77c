// HAProxy as Debian packages it, with the settings of deploy/haproxy.cfg on ports of the loopback: in a
// directory that goes away.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from './free-port.ts'
import { root } from './serve.ts'
import { makeTemp } from './temp.ts'

const PROGRAM = ['/usr/sbin/haproxy', '/usr/local/sbin/haproxy', '/opt/homebrew/bin/haproxy'].find(existsSync)

/** Why tests with HAProxy are left out on this machine; false where it is there. */
export const withoutHaproxy: string | false = PROGRAM
  ? false
  : 'this machine has no HAProxy (Debian: apt-get install haproxy)'

export interface Balancer {
  readonly url: string
  /** Of a node by its name in the settings: whether calls go there, how many it was given, and has. */
  node(name: string): Promise<{ readonly isUp: boolean; readonly calls: number; readonly open: number }>
  stop(): Promise<void>
}

/** Starts it before nodes by name, each at an address as `127.0.0.1:8069`. */
export async function startHaproxy(nodes: Readonly<Record<string, string>>): Promise<Balancer> {
  const temp = makeTemp('haproxy')
  const port = await freePort()
  const [file, socket] = [join(temp.path, 'haproxy.cfg'), join(temp.path, 'socket')]
  writeFileSync(file, settingsFor({ port, socket, nodes }))
  const child = spawn(PROGRAM as string, ['-db', '-f', file], {
    cwd: '/',
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const said = text(child.stderr)
  const exited = once(child, 'exit')
  while (!existsSync(socket)) {
    if (child.exitCode !== null) throw new Error(`HAProxy does not start:\n${await said}`)
    await sleep(25)
  }
  return {
    url: `http://127.0.0.1:${port}`,
    node: async (name) => {
      const [head, ...rows] = (await ask(socket, 'show stat')).split('\n').map((line) => line.split(','))
      const of = (column: string) =>
        rows.find((row) => row[0] === 'nodes' && row[1] === name)?.[head?.indexOf(column) ?? -1] ?? ''
      return { isUp: of('status').startsWith('UP'), calls: Number(of('stot')), open: Number(of('scur')) }
    },
    async stop() {
      child.kill('SIGKILL')
      await exited
      temp.remove()
    },
  }
}

interface Setting {
  readonly port: number
  readonly socket: string
  readonly nodes: Readonly<Record<string, string>>
}

/** The settings of the repository, elsewhere, and with a line to ask what HAProxy thinks. */
function settingsFor({ port, socket, nodes }: Setting): string {
  const put = (file: string, pattern: RegExp, line: string) => {
    if (!pattern.test(file)) throw new Error(`deploy/haproxy.cfg has no line as ${pattern}`)
    return file.replace(pattern, line)
  }
  const ours = put(
    readFileSync(join(root, 'deploy/haproxy.cfg'), 'utf8'),
    /^ {4}bind :8069$/m,
    `    bind 127.0.0.1:${port}`,
  )
  const placed = Object.entries(nodes).reduce(
    (file, [name, address]) => put(file, new RegExp(`(server ${name}) ${name}:8069$`, 'm'), `$1 ${address}`),
    ours,
  )
  return put(placed, /^global$/m, `global\n    stats socket ${socket} mode 600`)
}

async function ask(path: string, question: string): Promise<string> {
  const socket = connect(path)
  socket.write(`${question}\n`)
  return text(socket)
}
