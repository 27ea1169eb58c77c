// Backup and restore over HTTP: files that stream in both directions, whatever their size (spec/wire.md section 13).
import { createWriteStream } from 'node:fs'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import multipart from '@fastify/multipart'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { BadRequest, UserError } from '../errors.ts'
import type { Manager } from '../services/db.ts'
import type { Backend } from '../wire/backend.ts'
import { mediaType } from '../wire/parse.ts'
import { readForm, required } from './form.ts'
import { onlyPost } from './only-post.ts'

/** Who sends a form. */
export const managerOf = (master: string, request: FastifyRequest): Manager => ({ master, address: request.ip })

/** A form that was sent: `fields` and, once `follow` was called, `progress` that the page can ask for. */
export interface Submission {
  fields: ReadonlyMap<string, string>
  progress: (step: string, done: number) => void
  follow: () => void
}

/** Runs a form; resolving is success, a stream is the answer itself, failures are told on the manager page. */
export type Submit = (
  action: string,
  work: (form: Submission, request: FastifyRequest, reply: FastifyReply) => Promise<unknown>,
) => (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>

/** Registers the two routes; `submit` is the way of all database forms. */
export async function backupRoutes(app: FastifyInstance, { backend, submit }: { backend: Backend; submit: Submit }): Promise<void> {
  app.post(
    '/web/database/backup',
    submit('backup', (form, request, reply) => backup(backend, form, request, reply)),
  )
  onlyPost(app, '/web/database/backup')
  await app.register(async (scope) => {
    await scope.register(multipart, { limits: { files: 1, fields: 20, fieldSize: 64 * 1024, fileSize: Number.MAX_SAFE_INTEGER } })
    scope.post(
      '/web/database/restore',
      submit('restore', (form, request) => restore(backend, form, request)),
    )
    onlyPost(scope, '/web/database/restore')
  })
}

async function backup({ databases, db }: Backend, form: Submission, request: FastifyRequest, reply: FastifyReply): Promise<Readable> {
  form.fields = await readForm(request.raw)
  form.follow()
  const { fields, progress } = form
  const { master_pwd, name } = required(fields, 'master_pwd', 'name')
  const format = (fields.get('backup_format') || 'zip') === 'zip' ? 'zip' : 'dump'
  const stream = await db.backup(databases, managerOf(master_pwd, request), name, format, { progress })
  const moment = new Date().toISOString().slice(0, 19).replace('T', '_').replaceAll(':', '-')
  reply.header('content-type', 'application/octet-stream; charset=binary')
  reply.header('content-disposition', `attachment; filename*=UTF-8''${encodeURIComponent(`${name}_${moment}.${format}`)}`)
  return stream
}

async function restore({ databases, db }: Backend, form: Submission, request: FastifyRequest): Promise<void> {
  if (mediaType(request.headers['content-type']) !== 'multipart/form-data') {
    await readForm(request.raw)
    throw new UserError('The backup must be sent as a file, in multipart/form-data.')
  }
  await databases.scratch(async (path) => {
    const { fields, hasFile } = await receive(request, path, (master) => db.admit(databases, managerOf(master, request)))
    form.fields = fields
    form.follow()
    const { master_pwd, name } = required(fields, 'master_pwd', 'name')
    if (!hasFile) throw new BadRequest('The input backup_file is missing')
    const flag = (...names: string[]) => names.some((key) => isTrue(fields.get(key)))
    const options = { copy: flag('copy'), neutralize: flag('neutralize', 'neutralize_database'), progress: form.progress }
    await db.restore(databases, managerOf(master_pwd, request), name, path, options)
  })
}

/** Reads all parts; the file goes to `path`, unless the password that came before it was wrong: then it is let pass by. */
async function receive(
  request: FastifyRequest,
  path: string,
  assertMaster: (master: string) => Promise<void>,
): Promise<{ fields: Map<string, string>; hasFile: boolean }> {
  const fields = new Map<string, string>()
  let hasFile = false
  let refusal: { readonly reason: unknown } | undefined
  for await (const part of request.parts()) {
    if (part.type === 'field') {
      if (!fields.has(part.fieldname)) fields.set(part.fieldname, String(part.value))
      continue
    }
    const master = fields.get('master_pwd')
    if (master !== undefined) {
      await assertMaster(master).catch((reason: unknown) => {
        refusal = { reason }
      })
    }
    if (refusal || part.fieldname !== 'backup_file') part.file.resume()
    else {
      await pipeline(part.file, createWriteStream(path, { mode: 0o600 }))
      hasFile = true
    }
  }
  if (refusal) throw refusal.reason
  return { fields, hasFile }
}

const isTrue = (value: string | undefined): boolean => value !== undefined && !['', '0', 'false', 'no', 'off'].includes(value.toLowerCase())
