// Jobs in OpenAPI.
import { failures, noLongerKept } from './errors.ts'

const parameter = { name: 'id', in: 'path', required: true, schema: { type: 'string', format: 'uuid' } }

const job = {
  type: 'object',
  required: ['id', 'state', 'progress', 'attempts', 'created'],
  properties: {
    id: { type: 'string', format: 'uuid' },
    state: { enum: ['queued', 'running', 'done', 'failed', 'cancelled'] },
    progress: { type: 'object', properties: { done: { type: 'integer' }, of: { type: 'integer' } } },
    attempts: { type: 'integer' },
    created: { type: 'string', format: 'date-time' },
    finished: { type: ['string', 'null'], format: 'date-time' },
    status: { type: ['integer', 'null'], description: 'HTTP status of the finished call.' },
    result: {},
    error: {
      type: 'object',
      description: 'The error object, or problem details if the queued call asked for them.',
    },
    result_url: { type: 'string' },
    headers: {
      type: 'object',
      additionalProperties: { type: 'string' },
      description: 'Headers of the result, such as `next-cursor` and `total-count`.',
    },
  },
}

const jobResponses = {
  200: { description: 'The job.', content: { 'application/json': { schema: job } } },
  ...failures,
}

const queued = {
  202: {
    description: 'The job that imports the rows. `Location` has its address.',
    content: {
      'application/json': {
        schema: {
          type: 'object',
          required: ['id', 'state'],
          properties: { id: { type: 'string', format: 'uuid' }, state: { const: 'queued' } },
        },
      },
    },
  },
  ...failures,
}

const inQuery = (
  name: string,
  description: string,
  schema: object = { type: 'string' },
  required = false,
) => ({
  name,
  in: 'query',
  required,
  description,
  schema,
})

const lines = {
  description:
    'One row per line. The last line of JSON, `{"$end": {"rows": 2}}`, or the trailer `Rows` of CSV, has the number of rows: without it the response is incomplete.',
  content: { 'application/x-ndjson': { schema: {} }, 'text/csv': { schema: { type: 'string' } } },
}

/** Rows of any number, in and out. */
export const bulkPath = {
  parameters: [
    { name: 'model', in: 'path', required: true, schema: { type: 'string' } },
    inQuery(
      'key',
      '`external_id`, or unique fields separated by commas: existing records with the key are updated. Empty: every row creates a record.',
      {
        type: 'string',
        default: 'external_id',
      },
    ),
    inQuery(
      'on_error',
      '`fail`: a failing row ends the job. `skip`: failing rows are reported, the others are imported.',
      {
        enum: ['fail', 'skip'],
        default: 'fail',
      },
    ),
    inQuery('atomic', 'Import all rows in one transaction, at most 50,000.', {
      type: 'boolean',
      default: false,
    }),
  ],
  post: {
    operationId: 'bulk',
    tags: ['jobs'],
    summary:
      'Bulk import: stores the rows and queues a job that imports them, 500 per transaction. The result of the job has one line per row, `{"line": 1, "status": "created", "id": 71}`, and ends with the totals.',
    requestBody: {
      description: 'Rows, optionally compressed with gzip.',
      required: true,
      content: {
        'application/x-ndjson': {
          schema: { type: 'string' },
          example: '{"external_id": "erp.1", "name": "Ann"}',
        },
        'text/csv': { schema: { type: 'string' }, example: 'id,name\nerp.1,Ann' },
      },
    },
    responses: queued,
  },
}

export const exportPath = {
  get: {
    operationId: 'export',
    tags: ['jobs'],
    summary:
      'Bulk export: all records that match a domain, from one snapshot, as lines of JSON or, with `Accept: text/csv`, as CSV (`text/csv; formulas=text` keeps spreadsheets from running texts as formulas). With `limit`, one page with a `Link` to the next.',
    parameters: [
      inQuery('model', 'The model.', { type: 'string' }, true),
      inQuery('domain', 'A domain, as JSON.'),
      inQuery('fields', 'Names of fields, separated by commas. Default: all fields.'),
      inQuery('order', 'Fields to order by, such as `name desc, id`.'),
      inQuery('limit', 'Rows per page. 0 or absent: all rows at once.', {
        type: 'integer',
        minimum: 0,
        maximum: 2000,
      }),
      inQuery('cursor', 'Cursor of the page, taken from the `Link` header; 80 rows without `limit`.'),
    ],
    responses: { 200: lines, ...failures },
  },
}

/** Paths of jobs, which `Prefer: respond-async` makes. */
export const jobPaths = {
  '/x/1/jobs/{id}': {
    parameters: [parameter],
    get: {
      operationId: 'job',
      tags: ['jobs'],
      summary: 'State and progress of a job.',
      responses: jobResponses,
    },
    delete: { operationId: 'cancelJob', tags: ['jobs'], summary: 'Cancels a job.', responses: jobResponses },
  },
  '/x/1/jobs/{id}/result': {
    parameters: [parameter],
    get: {
      operationId: 'jobResult',
      tags: ['jobs'],
      summary: 'The response of the call, with its headers.',
      responses: {
        200: { description: 'The result.', content: { 'application/json': { schema: {} } } },
        206: { description: 'The part that `Range` asks for.' },
        410: noLongerKept('The result is no longer kept (`job_expired`).'),
        ...failures,
      },
    },
  },
}
