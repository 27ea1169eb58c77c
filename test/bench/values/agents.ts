// Costs of the endpoint for agents: for callers that never use it, and for the first that does, when
// its library is loaded.
import { residentBytes } from '../../durability/processes.ts'
import { message } from '../../support/mcp.ts'
import { serve } from '../../support/serve.ts'
import { makeTemp } from '../../support/temp.ts'
import { timed } from '../timed.ts'

const megabytes = (bytes: number) => (bytes / 1024 ** 2).toFixed(0)

/** Lines for people. */
export async function agents(): Promise<string[]> {
  const temp = makeTemp('values-agents')
  const server = await serve(temp.path)
  try {
    const key = server.said('API key')
    const post = async (path: string, body: object, headers: Record<string, string> = {}) => {
      const response = await fetch(`${server.url}${path}`, {
        method: 'POST',
        headers: { authorization: `bearer ${key}`, 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      })
      if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
      await response.arrayBuffer()
    }
    for (let n = 0; n < 20; n++) await post('/json/2/res.users/context_get', {})
    const idle = residentBytes(server.pid)
    const { body, headers } = message('tools/list')
    const list = () => post('/x/1/mcp', body, headers)
    const first = await timed(list)
    const next: number[] = []
    for (let n = 0; n < 20; n++) next.push(await timed(list))
    const after = residentBytes(server.pid)
    return [
      `agents: the first message took ${first.toFixed(0)} ms, later ones ${Math.min(...next).toFixed(1)} ms and more; the server had ${megabytes(idle)} MB before the first, ${megabytes(after)} MB after 21`,
    ]
  } finally {
    await server.stop()
    temp.remove()
  }
}
