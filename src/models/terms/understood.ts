// Failures of PostgreSQL in the words of a database's models.
import { ServiceError } from '../../errors.ts'
import { isRetryable, translate } from '../../postgres/index.ts'
import type { Registry } from '../language/definitions.ts'

/** Broken constraints and the like, by the messages of rules and the labels of fields; others as they are. */
export function inWordsOf(registry: Registry, error: unknown): unknown {
  if (error instanceof ServiceError || isRetryable(error)) return error
  return translate(error, {
    constraint: (name) => registry.constraintMessages.get(name),
    field: (table, column) =>
      [...registry.models.values()].find((model) => model.table === table)?.fields.get(column)?.label,
  })
}
