// Jobs, as OpenAPI tells them.
import { failures } from './errors.ts'

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
    status: { type: ['integer', 'null'], description: 'What the call was answered with.' },
    result: {},
    error: { type: 'object' },
    result_url: { type: 'string' },
  },
}

const told = {
  200: { description: 'The job.', content: { 'application/json': { schema: job } } },
  ...failures,
}

/** Paths of jobs, which `Prefer: respond-async` makes. */
export const jobPaths = {
  '/x/1/jobs/{id}': {
    parameters: [parameter],
    get: { operationId: 'job', tags: ['jobs'], summary: 'How far a job is.', responses: told },
    delete: { operationId: 'cancelJob', tags: ['jobs'], summary: 'Cancels a job.', responses: told },
  },
  '/x/1/jobs/{id}/result': {
    parameters: [parameter],
    get: {
      operationId: 'jobResult',
      tags: ['jobs'],
      summary: 'What the call would have answered.',
      responses: {
        200: { description: 'The result.', content: { 'application/json': { schema: {} } } },
        ...failures,
      },
    },
  },
}
