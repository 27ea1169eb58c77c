// The batch in OpenAPI.
import { failures } from './errors.ts'

const call = {
  type: 'object',
  required: ['model', 'method'],
  additionalProperties: false,
  properties: {
    id: {
      type: 'string',
      pattern: '^[A-Za-z0-9_-]{1,64}$',
      description: 'By which later calls refer to the result.',
    },
    model: { type: 'string' },
    method: { type: 'string' },
    body: {
      type: 'object',
      description:
        'Parameters as for the method alone; `{"$ref": "/id/0"}` is the value at that JSON Pointer in the results so far.',
    },
    ifMatch: {
      type: 'string',
      description:
        'The version that its records must have, as `If-Match` has it; that header itself is refused here.',
    },
  },
}

const body = {
  type: 'object',
  required: ['calls'],
  additionalProperties: false,
  properties: {
    atomic: { type: 'boolean', default: true, description: 'All or nothing; else each call on its own.' },
    context: { type: 'object', description: 'Of all calls that have none of their own.' },
    calls: { type: 'array', minItems: 1, maxItems: 100, items: call },
  },
}

const result = {
  type: 'object',
  required: ['status'],
  properties: { id: { type: 'string' }, status: { type: 'integer' }, code: { type: 'string' }, body: {} },
}
const results = {
  type: 'object',
  required: ['results'],
  properties: { results: { type: 'array', items: result } },
}

/** Without a reference: validators take `$ref` for one of the document's own, wherever it stands. */
const example = {
  calls: [
    {
      id: 'customer',
      model: 'res.partner',
      method: 'create',
      body: { vals_list: [{ name: 'Corner Shop' }] },
    },
    {
      id: 'tag',
      model: 'res.partner.category',
      method: 'create',
      body: { vals_list: [{ name: 'Regular' }] },
    },
  ],
}

/** The operation of `/x/1/batch`. */
export const batchPath = (parameters: readonly object[]) => ({
  post: {
    operationId: 'batch',
    tags: ['batch'],
    summary:
      'Several calls in one transaction; a failure has the status of the call that failed, and nothing stays.',
    ...(parameters.length ? { parameters } : {}),
    requestBody: {
      required: true,
      description: 'Calls, in the order in which they are done.',
      content: { 'application/json': { schema: body, example } },
    },
    responses: {
      200: {
        description: 'A result for each call, in order.',
        content: {
          'application/json': {
            schema: results,
            example: {
              results: [
                { id: 'customer', status: 200, body: [51] },
                { id: 'tag', status: 200, body: [7] },
              ],
            },
          },
        },
      },
      ...failures,
    },
  },
})
