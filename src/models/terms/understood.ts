// Translates failures of PostgreSQL to errors with the names of a database's models.
import { ServiceError } from '../../errors.ts'
import { isRetryable, translate, type Wording } from '../../postgres/index.ts'
import type { Registry } from '../language/definitions.ts'
import { foreignKeyName } from '../row/thing-names.ts'

/**
 * Violated constraints and the like, by the messages of constraints and the labels of fields; other
 * errors are returned as they are.
 */
export function inWordsOf(registry: Registry, error: unknown): unknown {
  if (error instanceof ServiceError || isRetryable(error)) return error
  return translate(error, wordingOf(registry))
}

/** The models' names for what PostgreSQL reports by names of its own. */
export function wordingOf(registry: Registry): Wording {
  const modelOf = (table: string) => [...registry.models.values()].find((model) => model.table === table)
  return {
    constraint: (name) => registry.constraintMessages.get(name),
    field: (table, column) => modelOf(table)?.fields.get(column)?.label,
    reference: (table, key) => {
      const model = modelOf(table)
      const field =
        model && [...model.fields.values()].find(({ name }) => foreignKeyName(table, name) === key)
      return field && { model: `${model.label} (${model.name})`, field: `${field.label} (${field.name})` }
    },
  }
}
