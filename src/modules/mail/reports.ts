// Documents that go with mails: printed of the record that a mail is about, as PDF.
import type { Environment, ModelName, PrintDocument } from '#models'
import { UserError } from '../../errors.ts'
import { printPdf } from '../../kit/print/pdf.ts'

/** Files of printed documents, which belong to the record. Throws UserError for what cannot be printed. */
export async function printedFiles(
  env: Environment,
  reports: readonly number[],
  { model, id }: { readonly model: ModelName; readonly id: number },
): Promise<readonly number[]> {
  const files: { name: string; mimetype: string; datas: string; res_model: string; res_id: number }[] = []
  for (const report of await env.model('ir.actions.report').browse(reports).load(['report_name', 'model'])) {
    const printer = env.unit.registry.get(`report.${report.report_name}`)
    if (report.model !== model || !printer?.methods.has('documents'))
      throw new UserError(`${report.report_name} prints no records of ${model}: choose another report.`)
    const documents = (await env
      .model(printer.name as ModelName)
      .invoke('documents', { docids: [id], data: null })) as readonly PrintDocument[]
    const bytes = await printPdf(documents)
    if (!bytes) throw new UserError('The document of the mail could not be made. Try again.')
    files.push({
      name: `${documents[0]?.name ?? report.report_name}.pdf`,
      mimetype: 'application/pdf',
      datas: bytes.toString('base64'),
      res_model: model,
      res_id: id,
    })
  }
  return files.length ? (await env.model('ir.attachment').create(files)).ids : []
}
