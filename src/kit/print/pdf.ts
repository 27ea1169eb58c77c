// Documents as PDF, made in a separate thread so that other requests do not wait.
import { Aside, threadProgram } from '../aside.ts'
import { type PrintDocument, rowsIn } from './document.ts'

const thread = new Aside<readonly PrintDocument[], Uint8Array>({
  program: threadProgram(import.meta.url, 'thread'),
  // Thousands of rows take a few seconds.
  patienceMs: 60_000,
  turnMs: 5000,
  // Fonts are read once for all that is printed in a row.
  idleMs: 30_000,
  heapMb: 256,
  waiting: 64 * 1024 ** 2,
  what: 'documents',
})

/** Bytes that a row takes while it waits, about. */
const ROW = 600

/**
 * The PDF of documents; null if it could not be made. Throws ServiceUnavailable while too much is waiting.
 */
export async function printPdf(documents: readonly PrintDocument[]): Promise<Buffer | null> {
  const pictures = documents.reduce((sum, { logo }) => sum + (logo?.length ?? 0), 0)
  const pdf = await thread.ask(documents, rowsIn(documents) * ROW + pictures)
  return pdf && Buffer.from(pdf.buffer, pdf.byteOffset, pdf.byteLength)
}
