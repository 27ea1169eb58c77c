// The verb of printing: documents of records as PDF or HTML, for people who may read these records
// (docs/guides/printing.md).
import type { Answering } from '../access/index.ts'
import type { Databases } from '../databases/index.ts'
import { MissingError, NotFound, ServiceUnavailable, UserError } from '../errors.ts'
import { type PrintDocument, rowsIn } from '../kit/print/document.ts'
import { printHtml } from '../kit/print/html.ts'
import { copiesOf, copyFrom } from '../kit/print/kept.ts'
import { printPdf } from '../kit/print/pdf.ts'
import { assertWithin } from '../limits.ts'
import type { Environment } from '../models/language/environment.ts'
import { recordsOf } from '../models/unit/environment.ts'
import { SYSTEM } from '../models/unit/options.ts'
import { idList, sql } from '../sql/index.ts'
import { readAsOwner } from './as-owner.ts'
import type { Credential } from './request.ts'

export interface Printing {
  readonly database: string
  readonly credential: Credential
  readonly remote: string
  readonly answering?: Answering | null
  readonly format: 'pdf' | 'html'
  /** `report_name` of an ir.actions.report. */
  readonly report: string
  readonly ids: readonly number[]
}

export interface Printed {
  readonly name: string
  readonly mimetype: string
  readonly bytes: Buffer
}

interface PrintedDocuments {
  readonly model: string
  readonly documents: readonly PrintDocument[]
  /** Whether copies are kept with the records. */
  readonly keeps: boolean
}

/**
 * The documents of records in one file. Throws NotFound, AccessError, MissingError, UserError, and
 * PayloadTooLarge for what is too long.
 */
export async function printed(server: Databases, printing: Printing): Promise<Printed> {
  const { format } = printing
  const printout = await readAsOwner(server, printing, (env) => documentsOf(env, printing))
  assertWithin('print-lines', rowsIn(printout.documents))
  const [first, ...more] = printout.documents
  if (!first) throw new UserError('Nothing to print: pass the ids of records.')
  const name = more.length ? `${first.name} +${more.length}` : first.name
  if (format === 'html')
    return { name: `${name}.html`, mimetype: 'text/html', bytes: Buffer.from(printHtml(printout.documents)) }
  const kept =
    printout.keeps && more.length === 0 && first.final
      ? await keptCopy(server, printing, printout.model, first)
      : null
  return {
    name: `${name}.pdf`,
    mimetype: 'application/pdf',
    bytes: kept ?? (await pdfOf(printout.documents)),
  }
}

async function pdfOf(documents: readonly PrintDocument[]): Promise<Buffer> {
  const bytes = await printPdf(documents)
  if (!bytes)
    throw new ServiceUnavailable('The document could not be created. Try again, or request it as HTML.')
  return bytes
}

async function documentsOf(env: Environment, { report, ids }: Printing): Promise<PrintedDocuments> {
  const [row] = await env.query<
    [string, unknown, unknown]
  >(sql`SELECT r.model, COALESCE(r.attachment_use, false), NOT EXISTS (SELECT FROM res_groups_report_rel g WHERE g.uid = r.id)
      OR EXISTS (SELECT FROM res_groups_report_rel g WHERE g.uid = r.id AND g.gid = ANY(${idList([...env.user.groupIds])}))
    FROM ir_act_report_xml r WHERE r.report_name = ${report} ORDER BY r.id LIMIT 1`)
  const printer = env.unit.registry.get(`report.${report}`)
  const model = row && env.unit.registry.get(row[0])
  if (!row?.[2] || !printer?.methods.has('documents') || !model)
    throw new NotFound(`Unknown report ${report}.`)
  const uniqueIds = [...new Set(ids)]
  assertWithin('print-documents', uniqueIds.length)
  // Read access to the records is enough to print them.
  const rows = await recordsOf(env, model, uniqueIds).read(['display_name'])
  if (rows.length < uniqueIds.length)
    throw new MissingError('A record to be printed does not exist any more.')
  const documents = (await recordsOf(env, printer, []).invoke('documents', {
    docids: uniqueIds,
  })) as readonly PrintDocument[]
  return { model: model.name, documents, keeps: row[1] === true }
}

/**
 * The copy that was made when the document was printed before; else it is made and kept with the record, for
 * all who may read that.
 */
async function keptCopy(
  server: Databases,
  { database: name, report }: Printing,
  model: string,
  document: PrintDocument,
): Promise<Buffer> {
  const database = await server.database(name)
  const stored = await database.system(async (env) => {
    const attachments = await env
      .model('ir.attachment')
      .search([...copiesOf(SYSTEM.id, report, model, document)], { limit: 1, order: 'id' })
    const [file] = await attachments.load(['raw'])
    return typeof file?.raw === 'string' ? Buffer.from(file.raw, 'base64') : null
  })
  if (stored) return stored
  const bytes = await pdfOf([document])
  await database.system(async (env) => {
    await env.model('ir.attachment').create([copyFrom(report, model, document, bytes)])
  })
  return bytes
}
