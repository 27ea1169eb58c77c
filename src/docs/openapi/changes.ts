// The change feed in OpenAPI.
import { failures, noLongerKept } from './errors.ts'

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
    compact: {
      type: 'boolean',
      default: true,
      description:
        'True: one entry per changed record, with its current values. False: every change, without values.',
    },
    cursor: {
      type: 'string',
      description: 'The `cursor` of the previous page. Without it, the feed starts with a snapshot.',
    },
    from: { type: 'string', enum: ['now'] },
    wait: {
      type: 'number',
      minimum: 0,
      maximum: 60,
      description: 'Seconds to wait for changes before an empty page is returned (long polling).',
    },
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
  410: noLongerKept(
    'The cursor is no longer valid (`resync_required`): start again without one. `context.reason` says why.',
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
      'Change feed with query parameters, for browsers: `fields.<model>` and `domain.<model>` select fields and records of a model.',
    parameters: [
      inQuery('models', 'Names of models, separated by commas.'),
      inQuery('events', 'Names of events, separated by commas, such as `sale.order.confirmed`.'),
      inQuery('cursor', 'The `cursor` of the previous page.'),
      inQuery('from', '`now`: only changes from now on, without a snapshot.', { enum: ['now'] }),
      inQuery('limit', 'Maximum number of changes per page.', {
        type: 'integer',
        minimum: 1,
        maximum: 5000,
        default: 500,
      }),
      inQuery('wait', 'Seconds to wait for changes before an empty page is returned (long polling).', {
        type: 'number',
        minimum: 0,
        maximum: 60,
      }),
      inQuery(
        'compact',
        'True: one entry per changed record, with its current values. False: every change, without values.',
        { type: 'boolean', default: true },
      ),
    ],
    responses,
  },
  post: {
    operationId: 'changes',
    tags: ['changes'],
    summary:
      'Change feed: all records first, then the changes since the cursor. No change is skipped, and deletions are reported. With `Accept: text/event-stream` the response is a stream.',
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
