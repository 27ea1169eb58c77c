// Client libraries that Debian packages, run unchanged with the options that people leave out. Where one is
// not installed its test says so and is skipped.
import assert from 'node:assert/strict'
import { execFile, execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { MASTER, openWires, type Wires } from '../support/three-wires.ts'

let wires: Wires
before(async () => {
  wires = await openWires(['base'])
})
after(() => wires.close())

interface Client {
  readonly name: string
  /** The Debian package. */
  readonly from: string
  readonly command: string
  /** Arguments that end well where the library is there. */
  readonly probe: readonly string[]
  readonly script: string
  readonly args: () => readonly string[]
}

const account = (): readonly string[] => [wires.server.url, 'test', 'admin', 'admin']

const clients: readonly Client[] = [
  {
    name: 'OdooRPC',
    from: 'python3-odoorpc',
    // Not a Python of one's own: Debian's packages are for Debian's.
    command: '/usr/bin/python3',
    probe: ['-c', 'import odoorpc'],
    script: 'odoorpc_client.py',
    args: () => [new URL(wires.server.url).port, 'test', 'admin', 'admin', MASTER],
  },
  {
    name: "PHP's xmlrpc",
    from: 'php-cli and php-xmlrpc',
    command: 'php',
    probe: ['-r', 'exit(function_exists("xmlrpc_encode_request") ? 0 : 1);'],
    script: 'client.php',
    args: () => [...account(), wires.key],
  },
  {
    name: "Ruby's XMLRPC",
    from: 'ruby-xmlrpc',
    command: 'ruby',
    probe: ['-e', 'require "xmlrpc/client"'],
    script: 'client.rb',
    args: account,
  },
  {
    name: "Perl's RPC::XML",
    from: 'librpc-xml-perl',
    command: '/usr/bin/perl',
    probe: ['-MRPC::XML::Client', '-e', '1'],
    script: 'client.pl',
    args: account,
  },
]

function isThere({ command, probe }: Client): boolean {
  try {
    execFileSync(command, probe, { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

for (const client of clients) {
  test(client.name, {
    skip: isThere(client) ? false : `Debian's ${client.from} is not installed`,
  }, async () => {
    const { stdout } = await promisify(execFile)(client.command, [
      join(import.meta.dirname, client.script),
      ...client.args(),
    ])
    assert.match(stdout, /^done$/m)
  })
}
