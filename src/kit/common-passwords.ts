// Common passwords from leaks, which attackers try first: they are refused.
import { UserError } from '../errors.ts'

/**
 * One fixed list of 50,000 texts for the whole process, whatever its databases are. It is loaded when a
 * password is set for the first time: most processes never need it.
 */
let common: Promise<ReadonlySet<string>> | undefined

async function load(): Promise<ReadonlySet<string>> {
  const { dictionary } = await import('@zxcvbn-ts/language-common')
  return new Set(dictionary['passwords-common'])
}

/** Whether a password is among the common ones; capitals and blanks around it make no difference. */
export async function isCommon(password: string): Promise<boolean> {
  common ??= load()
  return (await common).has(password.trim().toLowerCase())
}

/** Throws UserError for a common password. */
export async function assertUncommon(password: string): Promise<void> {
  if (await isCommon(password))
    throw new UserError(
      'This password is too common. Choose another one, such as four words that do not belong together.',
    )
}
