// The change feed in OpenAPI.
import { failures, gone } from './errors.ts'

const followed = {
  type: 'object',
  additionalProperties: {
    type: 'object',
    additionalProperties: false,
    properties: {
      fields: { type: 'array', items: { type: 'string' } },
      domain: { type: 'array', items: {} },
    },
  },
}

const body = {
  type: 'object',
  additionalProperties: false,
  properties: {
    models: followed,
    events: { type: 'array', items: { type: 'string' } },
    limit: { type: 'integer', minimum: 1, maximum: 5000, default: 500 },
    compact: { type: 'boolean', default: true, description: 'False: every change, without values.' },
    cursor: {
      type: 'string',
      description: 'Where an earlier page ended; without it the answers begin with a snapshot.',
    },
    from: { type: 'string', enum: ['now'] },
    wait: { type: 'number', minimum: 0, maximum: 60, description: 'Seconds that an empty answer is held.' },
    context: { type: 'object' },
  },
}

const change = {
  type: 'object',
  required: ['model', 'id', 'op'],
  properties: {
    model: { type: 'string' },
    id: { type: 'integer' },
    op: { type: 'string', enum: ['upsert', 'remove', 'event'] },
    event: { type: 'string' },
    seq: { type: 'string' },
    fields: { type: 'array', items: { type: 'string' } },
    values: { type: 'object' },
  },
}

const page = {
  type: 'object',
  required: ['changes', 'cursor', 'more'],
  properties: {
    changes: { type: 'array', items: change },
    cursor: { type: 'string' },
    more: { type: 'boolean' },
  },
}

const responses = {
  200: {
    description: 'A page.',
    content: {
      'application/json': {
        schema: page,
        example: {
          changes: [{ model: 'res.partner', id: 7, op: 'remove', seq: '18240' }],
          cursor: 'c1.WyI',
          more: false,
        },
      },
      'text/event-stream': { schema: { type: 'string' } },
    },
  },
  410: gone(
    'The cursor leads nowhere any more (`resync_required`): begin without one. `context.reason` says why.',
  ),
  ...failures,
}

const inQuery = (name: string, description: string, schema: object = { type: 'string' }) => ({
  name,
  in: 'query',
  required: false,
  description,
  schema,
})

/** The operations of `/x/1/changes`. */
export const changesPath = {
  get: {
    operationId: 'changesOf',
    tags: ['changes'],
    summary:
      'The same by an address, for browsers: `fields.<model>` and `domain.<model>` say what is wanted of a model.',
    parameters: [
      inQuery('models', 'Names of models between commas.'),
      inQuery('events', 'Names of events between commas, such as `sale.order.confirmed`.'),
      inQuery('cursor', 'Where an earlier page ended.'),
      inQuery('from', '`now`: without what is there already.', { enum: ['now'] }),
      inQuery('limit', 'Records of a page.', { type: 'integer', minimum: 1, maximum: 5000, default: 500 }),
      inQuery('wait', 'Seconds that an empty answer is held.', { type: 'number', minimum: 0, maximum: 60 }),
      inQuery('compact', 'False: every change, without values.', { type: 'boolean', default: true }),
    ],
    responses,
  },
  post: {
    operationId: 'changes',
    tags: ['changes'],
    summary:
      'All records first, then changes since the cursor: no change is skipped, and deletions are reported. With `Accept: text/event-stream` as a stream.',
    requestBody: {
      description: 'The models and events to follow, and the cursor to start from.',
      required: true,
      content: {
        'application/json': {
          schema: body,
          example: { models: { 'res.partner': { fields: ['name', 'email'] } } },
        },
      },
    },
    responses,
  },
}
