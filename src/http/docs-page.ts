// The routes of the page /doc, for browser sessions: without one, to the login and back (spec/wire.md section
// 14).
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Extensions } from '../config/index.ts'
import {
  type DescribedIndex,
  type DescribedModel,
  type DocumentPage,
  document,
  guidePage,
  indexPage,
  modelPage,
  type PageTarget,
  refusalPage,
  type Subject,
} from '../docs/index.ts'
import { ServiceError, SessionExpired } from '../errors.ts'
import type { Backend } from '../wire/backend.ts'
import type { Visitor } from '../wire/session.ts'
import { sendBuiltPage } from './pages.ts'
import { loginPath, redirect, signedOut } from './session/paths.ts'
import { personOf } from './session/person.ts'
import { visitOf } from './session/visit.ts'

export interface DocumentOptions {
  readonly backend: Backend
  /** Whether the paths under /x/1 exist. */
  readonly extensions: Extensions
}

/** The subject of a page: all models, one of them, or a guide. */
type PageSubject = { readonly model: string } | { readonly guide: string } | null

/** Sends a page of the documentation. */
export async function sendDocumentPage(
  request: FastifyRequest,
  reply: FastifyReply,
  { backend, extensions }: DocumentOptions,
  about: PageSubject,
): Promise<unknown> {
  const { visitor, cookie } = await visitOf(request, backend)
  if (!visitor || !cookie) return redirect(reply, loginPath(request.url, cookie !== null))
  try {
    const { signedIn } = await personOf(backend, visitor, cookie)
    const { title, html, status } = await pageOf(request, { backend, extensions }, visitor, about)
    return await sendBuiltPage(reply, {
      name: 'doc',
      width: 'wide',
      title,
      plain: html,
      status,
      bar: { ...signedIn, path: '/doc' },
    })
  } catch (error) {
    return signedOut(request, reply, error, request.url)
  }
}

/** The page, or its replacement for users without access and for unknown models. */
async function pageOf(
  request: FastifyRequest,
  { backend, extensions }: DocumentOptions,
  { database, token }: Visitor,
  about: PageSubject,
): Promise<DocumentPage & { readonly status: number }> {
  const subject: Subject =
    about !== null && 'model' in about ? { kind: 'page', model: about.model } : { kind: 'overview' }
  const target: PageTarget = {
    origin: `${request.protocol}://${request.host}`,
    database,
    extensions: extensions.size > 0,
    dryRuns: extensions.has('dry-run'),
  }
  try {
    if (about !== null && 'guide' in about) return { ...guidePage(target, about.guide), status: 200 }
    const contents = await document(backend.databases, {
      database,
      credential: { kind: 'session', token },
      remote: request.ip,
      answering: request.answering,
      subject,
    })
    const content: unknown = JSON.parse(contents.json)
    const page =
      about === null
        ? indexPage(content as DescribedIndex, target)
        : modelPage(content as DescribedModel, target)
    return { ...page, status: 200 }
  } catch (error) {
    if (!(error instanceof ServiceError) || (error.status !== 403 && error.status !== 404)) throw error
    if (error instanceof SessionExpired) throw error
    return { ...refusalPage(error.message), status: error.status }
  }
}
