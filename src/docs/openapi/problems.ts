// Problem details, and the page of each code, as OpenAPI tells them.
import { problems, slugOf } from '../../services/problems/table.ts'
import type { Schema } from './values.ts'

const text = { type: 'string' }

/** The schema of problem details; every code is listed. */
export const problemSchema: Schema = {
  title: 'Problem details (RFC 9457)',
  type: 'object',
  required: ['type', 'title', 'status', 'detail', 'code', 'name'],
  properties: {
    type: { ...text, format: 'uri' },
    title: text,
    status: { type: 'integer' },
    detail: text,
    instance: text,
    code: { ...text, enum: [...problems.keys()] },
    name: text,
    arguments: { type: 'array' },
    context: { type: 'object' },
    kind: { ...text, enum: ['model', 'rule', 'field', 'company'] },
    accepted: { type: 'array', items: text },
    suggestions: { type: 'array', items: text },
    errors: {
      type: 'array',
      items: {
        type: 'object',
        required: ['pointer'],
        properties: { pointer: text, field: text, detail: text, suggestions: { type: 'array', items: text } },
      },
    },
  },
}

/** The path of the pages. */
export const problemPath = (): object => ({
  get: {
    operationId: 'problems',
    tags: ['problems'],
    summary: 'What a code means and what to do; a page for people, or JSON, by Accept.',
    security: [],
    parameters: [
      {
        name: 'code',
        in: 'path',
        required: true,
        schema: { type: 'string', enum: [...problems.keys()].map(slugOf) },
        example: 'unknown-field',
      },
    ],
    responses: {
      200: {
        description: 'The problem.',
        content: { 'application/json': { schema: { type: 'object' } }, 'text/html': { schema: text } },
      },
      404: { $ref: '#/components/responses/Error404' },
    },
  },
})
