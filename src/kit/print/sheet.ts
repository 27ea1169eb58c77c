// A page in the making: its measures, and the next one where something does not fit any more.
import type { PrintDocument } from './document.ts'
import type { lookOf } from './look.ts'

export const MARGIN = 48
/** Room at the foot of every page. */
export const FOOT = 56
/** Between the edge of a cell and its text. */
export const PAD = 4

/** A document in the making. */
export interface Sheet {
  readonly pdf: PDFKit.PDFDocument
  readonly document: PrintDocument
  readonly look: ReturnType<typeof lookOf>
  readonly left: number
  readonly width: number
  readonly bottom: () => number
}

/** Starts a new page unless the height fits on the current one. Returns whether it did. */
export function ensureHeight({ pdf, document, bottom }: Sheet, height: number): boolean {
  if (pdf.y + height <= bottom()) return false
  pdf.addPage({ size: document.paper, margin: MARGIN })
  pdf.font('plain').fontSize(8).fillColor('#666').text(document.title, MARGIN, MARGIN, { lineBreak: false })
  pdf.y = MARGIN + 20
  pdf.fillColor('#222')
  return true
}
