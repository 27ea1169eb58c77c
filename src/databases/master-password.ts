// The master password: opens the services that make and drop databases. Hashed once it was changed: in the
// data directory, or, on a server of one's own, where all nodes see it (shared.ts).

import { createHmac, randomBytes } from 'node:crypto'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { AccessDenied, UserError } from '../errors.ts'
import { codeOf } from '../kit/caught.ts'
import { hashPassword, LONGEST_PASSWORD, sameSecret, verifyPassword } from '../kit/secrets.ts'
import type { Announcements } from './announcements.ts'
import { type AuditTarget, audit } from './audit.ts'
import { Guesses } from './guesses.ts'

/** Where guesses come from that have no address of their own: the command line, code in the same process. */
const HERE = 'here'

export class MasterPassword {
  readonly #file: string
  readonly #configured: string | undefined
  readonly #target: AuditTarget
  readonly #line: Pick<Announcements, 'listen' | 'on' | 'say'> | null
  readonly #guesses: Guesses
  /** Marks mean nothing outside of this process. */
  readonly #secret = randomBytes(32)
  /** Mark of what was right last, with what it was compared to. */
  #right: Buffer | undefined

  /**
   * `configured` is used until a password is set: a plain text, or its argon2 hash in the PHC format. `line`:
   * channel on which processes share guesses.
   */
  constructor(
    target: AuditTarget,
    configured: string | undefined,
    line: Pick<Announcements, 'listen' | 'on' | 'say'> | null = null,
  ) {
    this.#line = line
    this.#guesses = new Guesses({}, undefined, (outcome) => void line?.say('guess', outcome))
    line?.on('guess', (outcome) => this.#guesses.hear(outcome))
    this.#file = join(target.dataDir, 'master-password')
    this.#configured = configured
    this.#target = target
  }

  /**
   * Throws AccessDenied unless `password` is right, compared exactly. An empty one is never right, and
   * there is no default. Wrong ones are audited, and make their address wait after some of them. A missing
   * password is not counted as a guess: it reveals nothing.
   */
  async assert(password: string, address: string | null = null): Promise<void> {
    if (password === '') throw new AccessDenied()
    await this.#line?.listen()
    const right = await this.#guesses.judge(address ?? HERE, () => this.#isRight(password))
    if (right) return
    await audit(this.#target, { event: 'master-password.failure', address })
    throw new AccessDenied()
  }

  /** Whether there is one at all: without, nothing is right. */
  async isSet(): Promise<boolean> {
    return Boolean((await this.#stored()) ?? this.#configured)
  }

  /**
   * Sets another one; the old one is gone at once, also for other processes on the same data directory or
   * server.
   */
  async change(password: string, next: string, address: string | null = null): Promise<void> {
    await this.assert(password, address)
    if (next === '') throw new UserError('The new master password must not be empty.')
    if (next.length > LONGEST_PASSWORD)
      throw new UserError(`Password too long: at most ${LONGEST_PASSWORD} characters.`)
    await this.#store(await hashPassword(next))
    await audit(this.#target, { event: 'master-password.change', address })
  }

  async #store(hash: string): Promise<void> {
    if (this.#target.shared) return this.#target.shared.keepSecret(hash)
    const fresh = `${this.#file}.${process.pid}`
    await writeFile(fresh, hash, { mode: 0o600 })
    await rename(fresh, this.#file)
  }

  async #isRight(password: string): Promise<boolean> {
    const hash = (await this.#stored()) ?? this.#configured
    if (hash === undefined || password.length > LONGEST_PASSWORD) return false
    if (!hash.startsWith('$argon2')) return sameSecret(password, hash)
    // One request may show it several times: it costs a slow hash once.
    const mark = createHmac('sha256', this.#secret).update(`${hash}\0${password}`).digest()
    if (this.#right?.equals(mark)) return true
    const right = await verifyPassword(hash, password)
    if (right) this.#right = mark
    return right
  }

  async #stored(): Promise<string | null> {
    const { shared } = this.#target
    if (!shared) return this.#inFile()
    const storedHash = await shared.secret()
    if (storedHash !== null) return storedHash
    // A release that used a file set it on this node: the first node that reads it shares it with all.
    const older = await this.#inFile()
    if (older === null) return null
    await shared.keepSecret(older, true)
    return shared.secret()
  }

  async #inFile(): Promise<string | null> {
    try {
      return await readFile(this.#file, 'utf8')
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return null
      throw error
    }
  }
}
