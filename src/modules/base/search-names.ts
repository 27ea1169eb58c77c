// Conditions on display names: what models that are found by more than their name have in common (spec/models-api.md section 2).

/** `!=`, `not in`, `not like` …: unset values and those that do not fit. */
export const isNegative = (operator: string): boolean => operator === '!=' || operator.startsWith('not ')

/** `like` and its kin. */
export const isPattern = (operator: string): boolean => operator.endsWith('like')

/** The operator whose complement a negative one is; a positive one itself. */
export const positive = (operator: string): string => (operator === '!=' ? '=' : operator.replace(/^not /, ''))

/** Any of the fields for a positive operator; none of them for a negative one. */
export function anyField(fields: readonly string[], operator: string, value: unknown): unknown[] {
  const conditions = fields.map((field) => [field, positive(operator), value])
  const either: unknown[] = [...conditions.slice(1).map(() => '|'), ...conditions]
  return isNegative(operator) ? ['!', ...either] : either
}

/** Texts among the values of a condition. */
export const textsOf = (value: unknown): string[] => [value].flat().filter((text): text is string => typeof text === 'string' && text !== '')
