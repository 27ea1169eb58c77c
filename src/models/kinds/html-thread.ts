// The thread that sanitizes long markup. It uses the same function as the server, so the result is
// identical, and other calls go on meanwhile.
import { parentPort } from 'node:worker_threads'
import { PayloadTooLarge } from '../../errors.ts'
import { cleanHtml } from '../../kit/html-policy.ts'
import type { Cleaned, Piece } from './cleaning.ts'

parentPort?.on('message', (piece: Piece) => parentPort?.postMessage(run(piece)))

function run({ texts, deepest }: Piece): Cleaned {
  try {
    return texts.map((text) => cleanHtml(text, deepest))
  } catch (error) {
    if (error instanceof PayloadTooLarge) return 'too deep'
    throw error
  }
}
