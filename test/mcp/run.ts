// The protocol's own conformance suite against a server started here: `npm run mcp`. Not part of CI,
// because npx downloads the suite from the registry. Only its scenarios that apply to any server run,
// not those for its example server.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer as createHttpServer, request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { modules } from '../../src/main.ts'
import { openNodes } from '../support/nodes.ts'

const SUITE = '@modelcontextprotocol/conformance@0.2.0-alpha.12'

/** Scenarios that do not need the tools, prompts and resources of the suite's example. */
const scenarios = [
  'server-initialize',
  'server-stateless',
  'ping',
  'tools-list',
  'resources-list',
  'sep-2164-resource-not-found',
  'caching',
  'http-header-validation',
  'dns-rebinding-protection',
]

/** Checks about what this server does not have, nor says that it has. */
const absent = new Set(['sep-2549-prompts-list-caching-hints'])

const nodes = await openNodes({ known: modules.filter(({ name }) => name === 'base') })
const target = new URL(nodes.servers[0]?.url ?? '')

// The suite knows no keys: they are added on the way.
const proxy = createHttpServer((incoming, answer) => {
  const { method, headers } = incoming
  const onwards = httpRequest(
    {
      port: target.port,
      host: target.hostname,
      method,
      path: '/x/1/mcp',
      headers: { ...headers, authorization: `Bearer ${nodes.key}`, 'x-service-database': 'test' },
    },
    (came) => {
      answer.writeHead(came.statusCode ?? 502, came.headers)
      came.pipe(answer)
    },
  )
  onwards.on('error', () => answer.destroy())
  incoming.pipe(onwards)
}).listen(0, '127.0.0.1')
await once(proxy, 'listening')
const url = `http://localhost:${(proxy.address() as AddressInfo).port}/`

/** A check of the suite. */
interface Checked {
  readonly id: string
  readonly status: string
  readonly errorMessage?: string
}

/** Runs one scenario; returns its checks as the suite reports them. */
async function checksOf(scenario: string): Promise<Checked[]> {
  // Where the suite is installed already, the way to its program spares the download.
  const [command, first] = process.env.MCP_CONFORMANCE
    ? [process.execPath, [process.env.MCP_CONFORMANCE]]
    : ['npx', ['-y', SUITE]]
  const parameters = [...first, 'server', '--url', url, '--scenario', scenario, '--verbose']
  const child = spawn(command, parameters, { stdio: ['ignore', 'pipe', 'inherit'] })
  let text = ''
  child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()))
  await once(child, 'close')
  const json = /^\[\n[\s\S]*?^\]$/m.exec(text)?.[0]
  if (json === undefined) throw new Error(`${scenario} told no checks:\n${text.slice(0, 2000)}`)
  return JSON.parse(json) as Checked[]
}

const count = { passed: 0, failed: 0, untestable: 0 }
for (const scenario of scenarios) {
  for (const { id, status, errorMessage = '' } of await checksOf(scenario)) {
    if (status !== 'FAILURE') count.passed += status === 'SUCCESS' ? 1 : 0
    else if (absent.has(id)) count.untestable++
    // The check needs a tool of the suite's example.
    else if (errorMessage.startsWith('Not testable')) count.untestable++
    else {
      count.failed++
      console.log(`FAILED: ${scenario}, ${id}: ${errorMessage}`)
    }
  }
}
proxy.close()
proxy.closeAllConnections()
await nodes.close()
console.log(
  `${scenarios.length} scenarios: ${count.passed} checks passed, ${count.failed} failed, ${count.untestable} ask for what only the suite's example has`,
)
process.exitCode = count.failed > 0 ? 1 : 0
