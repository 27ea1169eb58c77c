// Webhooks in OpenAPI: their resources, and under `webhooks` the requests that are sent.
import { failures, noLongerKept } from './errors.ts'

const id = { name: 'id', in: 'path', required: true, schema: { type: 'integer' } }
const byModel = (items: object) => ({ type: 'object', additionalProperties: { type: 'array', items } })

const wanted = {
  url: { type: 'string', format: 'uri', description: 'Address to deliver to: https and public.' },
  events: {
    type: 'array',
    items: { type: 'string' },
    description: 'Patterns: `sale.order.confirmed`, `product.product.*`.',
  },
  fields: {
    ...byModel({ type: 'string' }),
    description: 'By model: fields whose values are included in the payload.',
  },
  model_domain: { ...byModel({}), description: 'By model: only records that match the domain.' },
  changed_fields: { ...byModel({ type: 'string' }), description: 'By model: updates of these fields only.' },
  ordered: {
    type: 'boolean',
    default: false,
    description: 'Deliver in order, one at a time; a failing delivery holds back the following ones.',
  },
  concurrency: { type: 'integer', minimum: 1, maximum: 16, default: 4 },
  state: { enum: ['active', 'paused', 'disabled'] },
}
const endpoint = {
  type: 'object',
  required: ['id', 'url', 'events', 'state'],
  properties: {
    id: { type: 'integer' },
    ...wanted,
    reason: {},
    waiting: { type: 'integer' },
    dead: { type: 'integer' },
    last_success: {},
  },
}
const delivery = {
  type: 'object',
  properties: {
    id: { type: 'integer' },
    event: { type: 'string', description: 'The `webhook-id` of every attempt.' },
    type: { type: 'string' },
    state: { enum: ['waiting', 'done', 'dead', 'cancelled'] },
    attempts: { type: 'integer' },
    log: {},
  },
}
const json = (schema: object, description: string) => ({
  description,
  content: { 'application/json': { schema } },
})
const responsesWith = (schema: object, description: string) => ({
  200: json(schema, description),
  ...failures,
})
/** Responses of operations on a delivery. */
const ofDelivery = {
  ...responsesWith({ type: 'boolean' }, 'Done.'),
  410: noLongerKept('The delivery is no longer kept (`delivery_expired`).'),
}
const bodyWith = (properties: object, required: readonly string[], example: object) => ({
  description: 'The settings of the endpoint.',
  required: true,
  content: { 'application/json': { schema: { type: 'object', properties, required }, example } },
})
const nothing = {
  description: 'Nothing.',
  required: false,
  content: { 'application/json': { schema: { type: 'object' }, example: {} } },
}
const tags = ['webhooks']
const operation = (operationId: string, summary: string, rest: object) => ({
  operationId,
  tags,
  summary,
  ...rest,
})

/** Resources of endpoints and deliveries. */
export const webhookPaths = {
  '/x/1/webhooks': {
    get: operation('webhooks', 'Your endpoints.', {
      responses: responsesWith(
        { type: 'object', properties: { endpoints: { type: 'array', items: endpoint } } },
        'Endpoints.',
      ),
    }),
    post: operation('makeWebhook', 'Creates an endpoint. Its secret is shown only in this response.', {
      requestBody: bodyWith(wanted, ['url', 'events'], {
        url: 'https://erp.example/hook',
        events: ['res.partner.*'],
        fields: { 'res.partner': ['name'] },
      }),
      responses: { 201: json(endpoint, 'The endpoint with its secret.'), ...failures },
    }),
  },
  '/x/1/webhooks/{id}': {
    parameters: [id],
    get: operation('webhook', 'An endpoint.', { responses: responsesWith(endpoint, 'The endpoint.') }),
    patch: operation('changeWebhook', 'Changes the given properties of an endpoint.', {
      requestBody: bodyWith(wanted, [], { state: 'paused' }),
      responses: responsesWith(endpoint, 'The endpoint.'),
    }),
    delete: operation('removeWebhook', 'Removes an endpoint and its deliveries.', {
      responses: responsesWith({ type: 'boolean' }, 'Done.'),
    }),
  },
  '/x/1/webhooks/{id}/ping': {
    parameters: [id],
    post: operation('pingWebhook', 'Sends a ping now and returns its outcome.', {
      requestBody: nothing,
      responses: responsesWith(delivery, 'The delivery.'),
    }),
  },
  '/x/1/webhooks/{id}/rotate_secret': {
    parameters: [id],
    post: operation('rotateWebhook', 'Creates a new secret. The old secret remains valid for some hours.', {
      requestBody: bodyWith({ hours: { type: 'integer', minimum: 0, maximum: 720, default: 24 } }, [], {
        hours: 24,
      }),
      responses: responsesWith(
        { type: 'object', properties: { secret: { type: 'string' } } },
        'The new secret, which is shown only in this response.',
      ),
    }),
  },
  '/x/1/webhooks/{id}/replay': {
    parameters: [id],
    post: operation('replayWebhook', 'Sends deliveries again, under their ids.', {
      requestBody: bodyWith(
        {
          since: { type: 'string' },
          until: { type: 'string' },
          states: { type: 'array', items: { enum: ['done', 'dead', 'cancelled'] } },
        },
        ['since'],
        { since: '2026-11-21 00:00:00', states: ['dead'] },
      ),
      responses: responsesWith({ type: 'object', properties: { count: { type: 'integer' } } }, 'How many.'),
    }),
  },
  '/x/1/webhooks/{id}/deliveries': {
    parameters: [id],
    get: operation('webhookDeliveries', 'Deliveries, the newest first.', {
      responses: responsesWith(
        { type: 'object', properties: { deliveries: { type: 'array', items: delivery } } },
        'Deliveries.',
      ),
    }),
  },
  '/x/1/webhook-deliveries/{id}/retry': {
    parameters: [id],
    post: operation('retryDelivery', 'Sends a delivery again, now.', {
      requestBody: nothing,
      responses: ofDelivery,
    }),
  },
  '/x/1/webhook-deliveries/{id}/cancel': {
    parameters: [id],
    post: operation('cancelDelivery', 'Cancels the delivery.', {
      requestBody: nothing,
      responses: ofDelivery,
    }),
  },
}

/** Requests that are sent to endpoints: members are only ever added. */
export const sentWebhooks = {
  event: {
    post: {
      summary:
        'Something happened: `<model>.created`, `.updated`, `.deleted`, or a declared event. Signed by Standard Webhooks; the same `webhook-id` means the same event.',
      requestBody: {
        content: {
          'application/json': {
            schema: {
              type: 'object',
              required: ['type', 'timestamp', 'database', 'data'],
              properties: {
                type: { type: 'string' },
                timestamp: { type: 'string', format: 'date-time' },
                sequence: {
                  type: 'string',
                  description: 'Position in the change feed: a greater position is later.',
                },
                database: { type: 'string' },
                data: {
                  type: 'object',
                  properties: {
                    model: { type: 'string' },
                    id: { type: 'integer' },
                    fields: { type: 'array', items: { type: 'string' } },
                    values: { type: 'object' },
                    truncated: { type: 'boolean' },
                  },
                },
              },
            },
          },
        },
      },
      responses: { 200: { description: 'Any 2xx status acknowledges the delivery.' } },
    },
  },
}
