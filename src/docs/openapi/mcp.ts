// The Model Context Protocol endpoint in OpenAPI: its messages follow that protocol.
import { failures } from './errors.ts'

const message = {
  type: 'object',
  required: ['jsonrpc', 'method'],
  properties: {
    jsonrpc: { const: '2.0' },
    id: { type: ['integer', 'string'] },
    method: { type: 'string' },
    params: { type: 'object' },
  },
}

const answer = {
  type: 'object',
  required: ['jsonrpc'],
  properties: {
    jsonrpc: { const: '2.0' },
    id: { type: ['integer', 'string', 'null'] },
    result: { type: 'object' },
    error: {
      type: 'object',
      required: ['code', 'message'],
      properties: { code: { type: 'integer' }, message: { type: 'string' }, data: {} },
    },
  },
}

/** The operation of `/x/1/mcp`. */
export const mcpPath = {
  post: {
    operationId: 'mcp',
    tags: ['agents'],
    summary:
      'Endpoint of the Model Context Protocol (2026-07-28 and the versions of 2025), with tools to find, read, aggregate and change records. For MCP clients; other programs call methods.',
    requestBody: {
      description: 'One message.',
      required: true,
      content: {
        'application/json': {
          schema: message,
          example: {
            jsonrpc: '2.0',
            id: 1,
            method: 'tools/call',
            params: { name: 'search_records', arguments: { model: 'res.partner', limit: 5 } },
          },
        },
      },
    },
    responses: {
      200: {
        description: 'The response, or a stream of messages.',
        content: {
          'application/json': { schema: answer },
          'text/event-stream': { schema: { type: 'string' } },
        },
      },
      202: { description: 'A notification was taken.' },
      ...failures,
    },
  },
}
