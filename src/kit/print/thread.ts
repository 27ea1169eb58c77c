// The thread that makes PDF: documents come in, the bytes of one file go out.
import { parentPort } from 'node:worker_threads'
import type { PrintDocument } from './document.ts'
import { composePdf } from './layout.ts'

parentPort?.on('message', async (documents: readonly PrintDocument[]) => {
  parentPort?.postMessage(await composePdf(documents))
})
