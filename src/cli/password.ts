// Passwords for commands: read from where other accounts cannot see them, or generated.

import { randomBytes } from 'node:crypto'
import type { Command } from 'commander'
import { secretFile } from '../config/index.ts'
import { UserError } from '../errors.ts'
import { messageOf } from '../kit/caught.ts'

export interface PasswordOptions {
  password?: string
  passwordFile?: string
}

/** Adds `--password` and `--password-file` to a command. */
export function withPassword(command: Command, whose: string): Command {
  return command
    .option(
      '--password <password>',
      `password of ${whose} (COMPTOIR_PASSWORD); default: a random one, which is printed`,
    )
    .option('--password-file <file>', 'file with the password in its first line; - for standard input')
}

/**
 * The password to set, and whether it was invented and so has to be shown. Throws UserError for a file
 * without one.
 */
export function passwordOf(options: PasswordOptions): {
  readonly password: string
  readonly invented: boolean
} {
  const chosen = chosenOf(options)
  return { password: chosen ?? randomBytes(12).toString('base64url'), invented: chosen === undefined }
}

function chosenOf({ password, passwordFile }: PasswordOptions): string | undefined {
  if (passwordFile === undefined) return password ?? (process.env.COMPTOIR_PASSWORD || undefined)
  try {
    return secretFile(passwordFile === '-' ? '/dev/stdin' : passwordFile, process.cwd())
  } catch (error) {
    throw new UserError(`--password-file ${messageOf(error)}.`, { cause: error })
  }
}
