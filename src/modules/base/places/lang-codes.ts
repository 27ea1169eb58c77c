// Languages that the system knows by code, installed or not: the choice that contacts and users have.
import type { Rec } from '#models'
import { readData } from '../data-files.ts'

type Lang = Rec<'res.lang'>

/** A row of `data/languages.json`. */
export interface LanguageRow {
  readonly id: string
  readonly code: string
  readonly name: string
  readonly iso_code: string
  readonly url_code: string
  readonly direction: 'ltr' | 'rtl'
  readonly date_format: Lang['date_format']
  readonly time_format: Lang['time_format']
  readonly short_time_format: Lang['short_time_format']
  readonly week_start: Lang['week_start']
  readonly grouping: Lang['grouping']
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
