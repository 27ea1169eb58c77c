// Languages that the system knows by code, installed or not: the choice that contacts and users have.
import { readData } from '../data-files.ts'

/** A row of `data/languages.json`. */
export interface LanguageRow {
  readonly id: string
  readonly code: string
  readonly name: string
  readonly iso_code: string
  readonly url_code: string
  readonly direction: 'ltr' | 'rtl'
  readonly date_format: string
  readonly time_format: string
  readonly short_time_format: string
  readonly week_start: string
  readonly grouping: string
  readonly decimal_point: string
  readonly thousands_sep: string
}

let names: Readonly<Record<string, string>> | undefined

/**
 * Code → name. Which of them are installed is a matter of each database and judged when a value is written.
 */
export function languageNames(): Readonly<Record<string, string>> {
  names ??= Object.fromEntries(
    readData<readonly LanguageRow[]>('languages').map(({ code, name }) => [code, name]),
  )
  return names
}
