// Rows as the methods of models give them: PostgreSQL made their JSON where nothing had to be computed.

export type Rows = Record<string, unknown>[]

const isText = (rows: unknown): rows is { readonly json: string } =>
  typeof rows === 'object' && rows !== null && 'json' in rows && typeof rows.json === 'string'

/** The rows of an answer of `search_read`. */
export const rowsIn = (answer: unknown): Rows =>
  isText(answer) ? (JSON.parse(answer.json) as Rows) : (answer as Rows)
