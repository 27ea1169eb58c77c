// Documents that go with mails: printed of the record that a mail is about, as PDF.
import type { Environment, ModelName, PrintDocument } from '#models'
import { UserError } from '../../errors.ts'
import { copiesOf, copyFrom } from '../../kit/print/kept.ts'
import { printPdf } from '../../kit/print/pdf.ts'
import { SYSTEM } from './opening.ts'

/**
 * Files of printed documents, which belong to the record: the kept copies of what was issued. Throws
 * UserError for what cannot be printed.
 */
export async function printedFiles(
  env: Environment,
  reports: readonly number[],
  { model, id }: { readonly model: ModelName; readonly id: number },
): Promise<readonly number[]> {
  const files: number[] = []
  const rows = await env
    .model('ir.actions.report')
    .browse(reports)
    .load(['report_name', 'model', 'attachment_use'])
  for (const report of rows) {
    const printer = env.unit.registry.get(`report.${report.report_name}`)
    if (report.model !== model || !printer?.methods.has('documents'))
      throw new UserError(`${report.report_name} does not print records of ${model}: choose another report.`)
    const [document] = (await env
      .model(printer.name as ModelName)
      .invoke('documents', { docids: [id], data: null })) as readonly PrintDocument[]
    if (document) files.push(await fileOf(env, { ...report, model }, document))
  }
  return files
}

/** The kept copy of a final document, created by its first print; of others a new file. */
async function fileOf(
  env: Environment,
  report: { readonly report_name: string; readonly model: string; readonly attachment_use: boolean },
  document: PrintDocument,
): Promise<number> {
  const { report_name: name, model } = report
  const keeps = report.attachment_use && document.final
  const server = await env.asUser(SYSTEM)
  if (keeps) {
    const { ids } = await server
      .model('ir.attachment')
      .search([...copiesOf(SYSTEM, name, model, document)], { limit: 1, order: 'id' })
    if (ids[0] !== undefined) return ids[0]
  }
  const bytes = await printPdf([document])
  if (!bytes) throw new UserError('The document for the mail could not be created. Try again.')
  const { description, sealed, ...file } = copyFrom(name, model, document, bytes)
  const files = keeps
    ? await server.model('ir.attachment').create([{ ...file, description, sealed }])
    : await env.model('ir.attachment').create([file])
  return files.ensureOne()
}
