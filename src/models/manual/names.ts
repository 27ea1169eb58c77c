// Valid names and orders of custom models and fields (spec/models-api.md section 10, "Made models").
import { ServiceError, ValidationError } from '../../errors.ts'
import { parseOrder, type Term } from '../row/order.ts'

const patterns = {
  model: /^x_[a-z0-9_]+(?:\.[a-z0-9_]+)*$/,
  field: /^x_[A-Za-z0-9_]+$/,
  'link table': /^x_[a-z0-9_]+$/,
} as const

/** Whether a custom model, field or link table may have a name. PostgreSQL allows 63 bytes. */
export function isMadeName(kind: keyof typeof patterns, name: unknown): name is string {
  return typeof name === 'string' && patterns[kind].test(name) && name.length <= 63
}

/** Throws ValidationError for a name that a custom model or field may not have. */
export function assertName(kind: 'model' | 'field', name: unknown): asserts name is string {
  if (isMadeName(kind, name)) return
  throw new ValidationError(
    kind === 'model'
      ? 'The model name must start with x_ and hold lower case letters, digits, underscores and dots only.'
      : 'Custom fields must have a name that starts with x_ and holds letters, digits and underscores only.',
  )
}

/** Fields that every custom model can be ordered by. */
export const everywhere: ReadonlySet<string> = new Set([
  'id',
  'display_name',
  'create_uid',
  'create_date',
  'write_uid',
  'write_date',
])

/** Throws ValidationError for an invalid order, or for one with a field that the model does not have. */
export function assertOrder(order: unknown, names: ReadonlySet<string>): void {
  for (const { path } of termsOf(order)) {
    const [name = ''] = path
    if (!everywhere.has(name) && !names.has(name)) {
      throw new ValidationError(
        `Unable to order by ${name}: fields used for ordering must be present on the model and stored.`,
      )
    }
  }
}

function termsOf(order: unknown): readonly Term[] {
  try {
    return parseOrder(order)
  } catch (error) {
    if (error instanceof ServiceError) throw new ValidationError(error.message, { cause: error })
    throw error
  }
}
