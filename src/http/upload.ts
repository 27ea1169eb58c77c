// A backup uploaded in a form: the master password is verified before the file is stored, and little is read
// without it.
import { createWriteStream } from 'node:fs'
import { appendFile } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import type { MultipartFile, MultipartValue } from '@fastify/multipart'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { BadRequest, ServiceError, UserError } from '../errors.ts'
import { discard } from './arriving-body.ts'
import type { Bodies } from './body.ts'
import { asServiceError } from './failures.ts'

/** Bytes of a file that are read before the master password. */
const BEFORE_PASSWORD = 2 * 1024 ** 2

/** Limits of the form's parser: a few short fields, one file, and short part headers. */
export const uploadLimits = {
  files: 1,
  fields: 20,
  parts: 25,
  fieldSize: 64 * 1024,
  headerPairs: 20,
  headerSize: 8 * 1024,
  fileSize: Number.MAX_SAFE_INTEGER,
}

export interface Upload {
  readonly fields: ReadonlyMap<string, string>
  readonly hasFile: boolean
}

interface Receiving {
  readonly bodies: Bodies
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  /** Target path of the file. */
  readonly path: string
  /** Judges the master password; rejects for a wrong one. */
  readonly admit: (master: string) => Promise<void>
}

/**
 * Reads all parts of a form. Rejects as soon as the form is refused, without reading the rest. Throws
 * BadRequest (400) for an invalid form, UserError for a file that comes long before the password, and the
 * errors of `admit`.
 */
export async function receiveUpload(receiving: Receiving): Promise<Upload> {
  const { bodies, request } = receiving
  const { raw } = request
  bodies.admit(raw)
  const follow = bodies.pace.follow(raw.socket, () => raw.destroy())
  try {
    return await readParts(receiving)
  } catch (error) {
    raw.unpipe()
    discard(raw)
    throw error
  } finally {
    follow.end()
  }
}

async function readParts(receiving: Receiving): Promise<Upload> {
  const fields = new Map<string, string>()
  const file = new FileBefore(receiving)
  const parts = receiving.request.parts()
  for (let part = await next(parts); part; part = await next(parts)) {
    if (part.type === 'file') await takeFile(receiving, part, file)
    else if (!fields.has(part.fieldname)) {
      fields.set(part.fieldname, String(part.value))
      if (part.fieldname === 'master_pwd')
        await withUploadPaused(receiving.request, () => file.admit(String(part.value)))
    }
  }
  return { fields, hasFile: file.isHere }
}

/**
 * Takes nothing more while a password is judged: fields are not waited for, and what follows a wrong one is
 * not worth a look.
 */
async function withUploadPaused({ raw }: FastifyRequest, judge: () => Promise<void>): Promise<void> {
  raw.pause()
  await judge()
  raw.resume()
}

/** The next part. An error of the parser is the client's mistake. */
async function next(
  parts: AsyncIterator<MultipartFile | MultipartValue>,
): Promise<MultipartFile | MultipartValue | undefined> {
  try {
    const { value, done } = await parts.next()
    return done ? undefined : value
  } catch (error) {
    const failure = asServiceError(error)
    throw failure.status < 500 ? failure : new BadRequest('The form could not be read', { cause: error })
  }
}

async function takeFile(
  { path }: Receiving,
  { fieldname, file }: MultipartFile,
  before: FileBefore,
): Promise<void> {
  if (fieldname !== 'backup_file') return void file.resume()
  before.isHere = true
  try {
    if (before.isAdmitted) return await pipeline(file, createWriteStream(path, { mode: 0o600 }))
    for await (const chunk of file) await before.add(chunk as Buffer)
  } catch (error) {
    // Errors of the disk are the server's; all others mean that the form broke off.
    if (error instanceof ServiceError || (error as NodeJS.ErrnoException).syscall) throw error
    throw new BadRequest('The form broke off', { cause: error })
  }
}

/** A file that may come before the password: a little of it waits in memory. */
class FileBefore {
  isHere = false
  isAdmitted = false
  readonly #receiving: Receiving
  #waiting: Buffer[] = []
  #length = 0

  constructor(receiving: Receiving) {
    this.#receiving = receiving
  }

  async add(chunk: Buffer): Promise<void> {
    const { bodies, request, reply } = this.#receiving
    this.#length += chunk.length
    if (this.#length > BEFORE_PASSWORD)
      throw new UserError('The master password (master_pwd) must be sent before the file (backup_file).')
    await bodies.account(request, reply).take(chunk.length)
    this.#waiting.push(chunk)
  }

  /** The password is here: what waits may be kept. */
  async admit(master: string): Promise<void> {
    const { path, admit } = this.#receiving
    await admit(master)
    this.isAdmitted = true
    const waiting = this.#waiting
    this.#waiting = []
    if (this.isHere) await appendFile(path, Buffer.concat(waiting), { mode: 0o600 })
  }
}
