// Problem details in OpenAPI.
import { problems } from '../../services/problems/table.ts'
import type { Schema } from './values.ts'

const text = { type: 'string' }

/** The schema of problem details; every code is listed. */
export const problemSchema: Schema = {
  title: 'Problem details (RFC 9457)',
  type: 'object',
  required: ['type', 'title', 'status', 'detail', 'code', 'name'],
  properties: {
    type: {
      ...text,
      format: 'uri',
      description: 'Address of a page that explains the code; it needs no API key.',
    },
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
