// Kept copies of printed documents: by which marks they are found, and what is stored of them.
import { createHash } from 'node:crypto'
import type { PrintDocument } from './document.ts'

/**
 * Marks that a copy is found by: the name of what was issued, and the digest of the whole document apart from
 * its look. Copies from before documents were issued have the digest.
 */
function marksOf(report: string, { issue, look: _, ...content }: PrintDocument): readonly string[] {
  const digest = createHash('sha256').update(JSON.stringify(content)).digest('hex')
  return [...(issue === undefined ? [] : [`print:${report}:${issue}`]), `print:${digest}`]
}

/**
 * The server's copies of a document, as a domain. Others may attach files too, and say of them what they
 * like.
 */
export const copiesOf = (server: number, report: string, model: string, document: PrintDocument) =>
  [
    ['res_model', '=', model],
    ['res_id', '=', document.id],
    ['description', 'in', marksOf(report, document)],
    ['create_uid', '=', server],
    ['write_uid', '=', server],
  ] as const

/** The file that keeps a document with its record, for all who may read that. */
export const copyFrom = (report: string, model: string, document: PrintDocument, bytes: Buffer) => ({
  name: `${document.name}.pdf`,
  res_model: model,
  res_id: document.id,
  description: marksOf(report, document)[0],
  mimetype: 'application/pdf',
  sealed: true,
  datas: bytes.toString('base64'),
})
