// Error codes with their meaning and what to do, as a page for people and as JSON for programs. Needs no key.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { NotFound } from '../../errors.ts'
import { type Html, html } from '../../kit/html.ts'
import { problems, slugOf } from '../../services/problems/table.ts'
import { sendBuiltPage } from '../pages.ts'
import { sendJson } from '../reply.ts'

type Known = typeof problems extends ReadonlyMap<string, infer P> ? P : never

const wantsPage = ({ headers }: FastifyRequest): boolean => /text\/html/i.test(headers.accept ?? '')

const linkOf = ({ code, title, status }: Known) =>
  html`<li><a href="/x/1/problems/${slugOf(code)}">${title}</a> (${status}, <code>${code}</code>)</li>`

const pageOf = ({ code, status, title, name, meaning, remedy }: Known) =>
  html`<div class="card"><h1>${title}</h1><p><code>${code}</code>, status ${status}, <code>${name}</code></p><p>${meaning}</p><h2>What to do</h2><p>${remedy}</p><p><a href="/x/1/problems">All problems</a></p></div>`

function page(reply: FastifyReply, title: string, plain: Html) {
  return sendBuiltPage(reply, { name: 'session', title, width: 'narrow', plain, status: 200 })
}

const shown = ({ code, ...problem }: Known) => ({ type: `/x/1/problems/${slugOf(code)}`, code, ...problem })

/** Registers the pages. */
export function problemPages(app: FastifyInstance): void {
  const all = [...problems.values()]
  const list = JSON.stringify({ problems: all.map(shown) })
  app.get('/x/1/problems', (request, reply) => {
    reply.header('vary', 'accept')
    return wantsPage(request)
      ? page(reply, 'Problems', html`<div class="card"><h1>Problems</h1><ul>${all.map(linkOf)}</ul></div>`)
      : sendJson(request, reply, list)
  })
  app.get('/x/1/problems/:slug', (request: FastifyRequest<{ Params: { slug: string } }>, reply) => {
    const problem = problems.get(request.params.slug.replaceAll('-', '_'))
    if (!problem) throw new NotFound('Unknown problem code')
    reply.header('vary', 'accept')
    return wantsPage(request)
      ? page(reply, problem.title, pageOf(problem))
      : sendJson(request, reply, JSON.stringify(shown(problem)))
  })
}
