// Entry of the folder `docs`: documents about a database's models, as one caller may see them.
import type { Answering } from '../access/index.ts'
import type { Extensions } from '../config/index.ts'
import type { Databases } from '../databases/index.ts'
import type { Environment } from '../models/language/environment.ts'
import type { Module } from '../models/language/module.ts'
import { readAsOwner } from '../services/as-owner.ts'
import type { Credential } from '../services/request.ts'
import { type Document, keptDocument } from './cache.ts'
import { indexDocument, modelDocument } from './catalogue.ts'
import { withRealRecords } from './example-records.ts'
import { openApi, type Selection } from './openapi/index.ts'
import { type DescribedModel, describeIndex, describeModel } from './page-data.ts'

export { type BriefModel, describedModel, isDestructive, listedModels } from './agents.ts'
export type { Document } from './cache.ts'
export { curlExample, type PageTarget } from './examples.ts'
export { guideParts } from './guides.ts'
export { type DocumentPage, indexPage, refusalPage } from './page.ts'
export type { DescribedIndex, DescribedModel } from './page-data.ts'
export { guidePage } from './page-guide.ts'
export { modelPage } from './page-model.ts'
export { declaredModels } from './types/declared-facts.ts'
export { liveModels } from './types/server-facts.ts'
export { typesText } from './types/write.ts'

/** Subject of a document. */
export type Subject =
  | { readonly kind: 'index' }
  | { readonly kind: 'overview' }
  | { readonly kind: 'model'; readonly model: string }
  | { readonly kind: 'page'; readonly model: string }
  | { readonly kind: 'openapi'; readonly selection: Selection; readonly extensions: Extensions }

interface DocumentRequest {
  readonly database: string
  readonly credential: Credential
  readonly remote: string
  readonly answering?: Answering | null
  readonly subject: Subject
}

/**
 * The document. Throws what the credential deserves, AccessError for what the caller may not see, NotFound
 * for what is not there.
 */
export function document(server: Databases, request: DocumentRequest): Promise<Document> {
  const { subject, database } = request
  return readAsOwner(server, request, async (env) => {
    const localized = env.withContext({ lang: env.user.lang })
    const kept = await keptDocument(localized, JSON.stringify(subject), () =>
      make(localized, subject, server.options.modules, database),
    )
    if (subject.kind !== 'page') return kept
    // Records are the caller's own affair, and nothing of them is kept.
    const page = await withRealRecords(localized, JSON.parse(kept.json) as DescribedModel)
    return { ...kept, json: JSON.stringify(page) }
  })
}

function make(env: Environment, subject: Subject, modules: readonly Module[], database: string): unknown {
  switch (subject.kind) {
    case 'index':
      return indexDocument(env)
    case 'overview':
      return describeIndex(env, modules)
    case 'model':
      return modelDocument(env, subject.model)
    case 'page':
      return describeModel(env, subject.model)
    case 'openapi':
      return openApi(env, subject.selection, { database, extensions: subject.extensions })
  }
}
