// Values of a function that queries, for answers that name many of them: the same as SQL over the row.
import type { Scope } from '#models'
import type { Sql } from '../../sql/index.ts'

interface Readable {
  readonly options: object
}

/** The fields with their SQL, which answers read; conditions on them are refused as before. */
export const readBySql = <F extends Readonly<Record<string, Readable>>>(
  fields: F,
  forms: { readonly [K in keyof F]: (scope: Scope) => Sql },
): F =>
  Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [
      name,
      { ...field, options: { ...field.options, sql: forms[name], searchable: false } },
    ]),
  ) as F
