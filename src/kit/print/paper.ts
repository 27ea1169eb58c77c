// Content of every page: the sender with a logo on the first, the footer and the number on all.
import { type PrintDocument, pictureKind } from './document.ts'
import { FOOT, MARGIN, type Sheet } from './sheet.ts'

const LOGO = { width: 150, height: 64 }

/** Begins a document on a new page; returns the number of that page in the file. */
export function openDocument(pdf: PDFKit.PDFDocument, document: PrintDocument): number {
  pdf.addPage({ size: document.paper, margin: MARGIN })
  const { start, count } = pdf.bufferedPageRange()
  const width = pdf.page.width - 2 * MARGIN
  const drawn = document.logo !== null && drawLogo(pdf, document.logo)
  pdf.font('plain').fontSize(9).fillColor('#222')
  pdf.text(document.sender.join('\n'), MARGIN + width / 2, MARGIN, {
    width: width / 2,
    align: 'right',
    height: 110,
    ellipsis: true,
  })
  pdf.y = Math.max(pdf.y, MARGIN + (drawn ? LOGO.height : 0)) + 24
  return start + count - 1
}

/** False for a picture that cannot be read: documents do without it. */
function drawLogo(pdf: PDFKit.PDFDocument, base64: string): boolean {
  if (pictureKind(base64) === null) return false
  try {
    pdf.image(Buffer.from(base64, 'base64'), MARGIN, MARGIN, { fit: [LOGO.width, LOGO.height] })
    return true
  } catch {
    return false
  }
}

/** Writes the footer of all pages of a document, once their number is known. */
export function closePages({ pdf, document }: Sheet, from: number): void {
  const { start, count } = pdf.bufferedPageRange()
  const last = start + count - 1
  for (let page = from; page <= last; page++) {
    pdf.switchToPage(page)
    const { width, height, margins } = pdf.page
    const kept = margins.bottom
    // Text below the margin would begin a new page.
    margins.bottom = 0
    const top = height - FOOT
    const options = { width: width - 2 * MARGIN, align: 'center' as const, height: 26, ellipsis: true }
    pdf.font('plain').fontSize(7.5).fillColor('#666').text(document.footer.join(' · '), MARGIN, top, options)
    pdf.text(`${document.page} ${page - from + 1} / ${last - from + 1}`, MARGIN, top + 28, {
      ...options,
      height: 10,
    })
    margins.bottom = kept
  }
  pdf.switchToPage(last)
  pdf.fillColor('#222')
}
