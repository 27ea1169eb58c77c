// A message of the agents' protocol of today, as it stands on the wire: what a client says of itself goes
// with every one, in the body and in headers.
type Values = Readonly<Record<string, unknown>>

export const VERSION = '2026-07-28'

export function message(method: string, params: Values = {}, capabilities: Values = {}) {
  const named = [params.name, params.uri].find((name) => typeof name === 'string')
  const meta = {
    'io.modelcontextprotocol/protocolVersion': VERSION,
    'io.modelcontextprotocol/clientCapabilities': capabilities,
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  }
  return {
    body: { jsonrpc: '2.0', id: 7, method, params: { ...params, _meta: meta } },
    headers: {
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': VERSION,
      'mcp-method': method,
      ...(typeof named === 'string' && { 'mcp-name': named }),
    },
  }
}
