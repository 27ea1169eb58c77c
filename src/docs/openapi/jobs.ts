// Jobs in OpenAPI.
import { failures, gone } from './errors.ts'

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
      description: 'The error object; problem details where the call that was queued asked for those.',
    },
    result_url: { type: 'string' },
    headers: {
      type: 'object',
      additionalProperties: { type: 'string' },
      description: 'Headers that the result comes with, such as `next-cursor` and `total-count`.',
    },
  },
}

const jobResponses = {
  200: { description: 'The job.', content: { 'application/json': { schema: job } } },
  ...failures,
}

const queued = {
  202: {
    description: 'The job that makes them records, in `Location`.',
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
    'One object per row. A line of JSON at the end, `{"$end": {"rows": 2}}`, or the trailer `Rows` of CSV, has the number of rows: without it the answer is incomplete.',
  content: { 'application/x-ndjson': { schema: {} }, 'text/csv': { schema: { type: 'string' } } },
}

/** Rows of any number, in and out. */
export const bulkPath = {
  parameters: [
    { name: 'model', in: 'path', required: true, schema: { type: 'string' } },
    inQuery('key', '`external_id`, or fields that are unique, between commas; empty: all rows are new.', {
      type: 'string',
      default: 'external_id',
    }),
    inQuery('on_error', 'Whether a row that fails ends the job.', {
      enum: ['fail', 'skip'],
      default: 'fail',
    }),
    inQuery('atomic', 'All rows in one transaction: 50,000 at most.', { type: 'boolean', default: false }),
  ],
  post: {
    operationId: 'bulk',
    tags: ['jobs'],
    summary:
      'Stores rows as they come, and makes records of them by a job, 500 in a transaction. Its result has a line a row: `{"line": 1, "status": "created", "id": 71}`, and how many there were of each at the end.',
    requestBody: {
      description: 'Rows; may be packed by gzip.',
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
      'The rows that a domain finds as lines of JSON or, with `Accept: text/csv`, as CSV (`text/csv; formulas=text`: of which spreadsheets run nothing), of one moment and of any number; with `limit` page by page, each with a `Link` to the next.',
    parameters: [
      inQuery('model', 'The model.', { type: 'string' }, true),
      inQuery('domain', 'A domain, as JSON.'),
      inQuery('fields', 'Names of fields between commas; all when absent.'),
      inQuery('order', 'Such as `name desc, id`.'),
      inQuery('limit', 'Rows of a page; 0, as when absent: all rows at once.', {
        type: 'integer',
        minimum: 0,
        maximum: 2000,
      }),
      inQuery('cursor', 'Start of a page, from the link to it; 80 rows without `limit`.'),
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
      summary: 'The answer of the call, with its headers.',
      responses: {
        200: { description: 'The result.', content: { 'application/json': { schema: {} } } },
        206: { description: 'The part of it that `Range` asks for.' },
        410: gone('The result is no longer kept (`job_expired`).'),
        ...failures,
      },
    },
  },
}
