// Code and message of a caught value of any type.

/** The code of an error of the system, as ENOENT; undefined for anything else. */
export const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined

/** The message of an error. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Whether a disk has no room left, or none for this account. */
export const isDiskFull = (error: unknown): boolean => ['ENOSPC', 'EDQUOT'].includes(codeOf(error) ?? '')
