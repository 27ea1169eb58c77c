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
      description: 'Identifies the result in references of later calls.',
    },
    model: { type: 'string' },
    method: { type: 'string' },
    body: {
      type: 'object',
      description:
        'Parameters of the method; `{"$ref": "/id/0"}` is replaced by the value at that JSON Pointer in the results so far.',
    },
    ifMatch: {
      type: 'string',
      description:
        'The version that the records of this call must have, in the form of `If-Match`. A batch refuses the header itself.',
    },
  },
}

const body = {
  type: 'object',
  required: ['calls'],
  additionalProperties: false,
  properties: {
    atomic: {
      type: 'boolean',
      default: true,
      description: 'True: all calls succeed or none takes effect. False: each call has its own transaction.',
    },
    context: { type: 'object', description: 'Context of all calls that do not set their own.' },
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
      'Runs several calls in one transaction. If a call fails, the response has its status and everything is rolled back.',
    ...(parameters.length ? { parameters } : {}),
    requestBody: {
      required: true,
      description: 'The calls, in the order in which they run.',
      content: { 'application/json': { schema: body, example } },
    },
    responses: {
      200: {
        description: 'One result per call, in order.',
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
