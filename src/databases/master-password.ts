// The master password: opens the services that make and drop databases. Hashed in the data directory once it was changed.
import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { AccessDenied, UserError } from '../errors.ts'
import { hashPassword, sameSecret, verifyPassword } from '../kit/secrets.ts'

export class MasterPassword {
  readonly #file: string
  readonly #configured: string | undefined

  constructor(dataDir: string, configured: string | undefined) {
    this.#file = join(dataDir, 'master-password')
    this.#configured = configured
  }

  /** Throws AccessDenied unless `given` is the password, compared exactly. An empty one is never right, and there is no default. */
  async assert(given: string): Promise<void> {
    if (given === '') throw new AccessDenied()
    const hash = await this.#stored()
    const right = hash === null ? this.#configured !== undefined && sameSecret(given, this.#configured) : await verifyPassword(hash, given)
    if (!right) throw new AccessDenied()
  }

  /** Sets another one; the old one is gone at once, also for other processes on the same data directory. */
  async change(given: string, next: string): Promise<void> {
    await this.assert(given)
    if (next === '') throw new UserError('The new master password is empty.')
    const fresh = `${this.#file}.${process.pid}`
    await writeFile(fresh, await hashPassword(next), { mode: 0o600 })
    await rename(fresh, this.#file)
  }

  async #stored(): Promise<string | null> {
    try {
      return await readFile(this.#file, 'utf8')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
      throw error
    }
  }
}
