// Backup and restore over HTTP: files that stream in both directions, whatever their size (spec/wire.md
// section 13).
import type { Readable } from 'node:stream'
import multipart from '@fastify/multipart'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { BadRequest, UserError } from '../errors.ts'
import type { Manager } from '../services/db.ts'
import type { Backend } from '../wire/backend.ts'
import { isYes, mediaType } from '../wire/parse.ts'
import { discard } from './arriving-body.ts'
import type { Bodies } from './body.ts'
import { readForm, required } from './form.ts'
import { onlyPost } from './only-post.ts'
import { receiveUpload, uploadLimits } from './upload.ts'

/** The sender of a form. */
export const managerOf = (master: string, request: FastifyRequest): Manager => ({
  master,
  address: request.ip,
})

/** A form that was sent: `fields` and, once `follow` was called, `progress` that the page can ask for. */
export interface Submission {
  fields: ReadonlyMap<string, string>
  progress: (step: string, done: number) => void
  follow: () => void
}

/**
 * Runs a form; it resolves on success, with a stream if that is the answer; failures are shown on the manager
 * page.
 */
export type Submit = (
  action: string,
  work: (form: Submission, request: FastifyRequest, reply: FastifyReply) => Promise<unknown>,
) => (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>

export interface BackupOptions {
  readonly backend: Backend
  readonly bodies: Bodies
  readonly submit: Submit
}

/** Registers the two routes; `submit` is the way of all database forms. */
export async function backupRoutes(
  app: FastifyInstance,
  { backend, bodies, submit }: BackupOptions,
): Promise<void> {
  app.post(
    '/web/database/backup',
    submit('backup', async (form, request, reply) => {
      form.fields = await readForm(bodies, request, reply)
      return backup(backend, form, request, reply)
    }),
  )
  onlyPost(app, '/web/database/backup')
  await app.register(async (scope) => {
    await scope.register(multipart, { limits: uploadLimits })
    scope.post(
      '/web/database/restore',
      submit('restore', (form, request, reply) => restore({ backend, bodies, request, reply }, form)),
    )
    onlyPost(scope, '/web/database/restore')
  })
}

async function backup(
  { databases, db }: Backend,
  form: Submission,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Readable> {
  form.follow()
  const { fields, progress } = form
  const { master_pwd, name } = required(fields, 'master_pwd', 'name')
  const format = (fields.get('backup_format') || 'zip') === 'zip' ? 'zip' : 'dump'
  const stream = await db.backup(databases, managerOf(master_pwd, request), name, format, { progress })
  const moment = new Date().toISOString().slice(0, 19).replace('T', '_').replaceAll(':', '-')
  reply.header('content-type', 'application/octet-stream; charset=binary')
  reply.header(
    'content-disposition',
    `attachment; filename*=UTF-8''${encodeURIComponent(`${name}_${moment}.${format}`)}`,
  )
  return stream
}

interface Restoring {
  readonly backend: Backend
  readonly bodies: Bodies
  readonly request: FastifyRequest
  readonly reply: FastifyReply
}

async function restore(
  { backend: { databases, db }, bodies, request, reply }: Restoring,
  form: Submission,
): Promise<void> {
  if (mediaType(request.headers['content-type']) !== 'multipart/form-data') {
    await readForm(bodies, request, reply)
    throw new UserError('Send the backup as a file, in multipart/form-data.')
  }
  await assertManageable(request, () => db.assertManageable(databases))
  await databases.scratch(async (path) => {
    const admit = (master: string) => db.admit(databases, managerOf(master, request))
    const { fields, hasFile } = await receiveUpload({ bodies, request, reply, path, admit })
    form.fields = fields
    form.follow()
    const { master_pwd, name } = required(fields, 'master_pwd', 'name')
    if (!hasFile) throw new BadRequest('The input backup_file is missing')
    const flag = (...names: string[]) => names.some((key) => isYes(fields.get(key)))
    const options = {
      copy: flag('copy'),
      neutralize: flag('neutralize', 'neutralize_database'),
      progress: form.progress,
    }
    await db.restore(databases, managerOf(master_pwd, request), name, path, options)
  })
}

/** If managing databases is switched off, the body is not read. */
async function assertManageable({ raw }: FastifyRequest, assert: () => Promise<void>): Promise<void> {
  try {
    await assert()
  } catch (error) {
    discard(raw)
    throw error
  }
}
