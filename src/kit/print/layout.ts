// Pages: blocks one below the other, tables over as many pages as they need, with their head on each; sender
// above, footer and numbers below.
import PDFDocument from 'pdfkit'
import { type PrintBlock, type PrintDocument, settable } from './document.ts'
import { fontsFor } from './fonts.ts'
import { lookOf } from './look.ts'
import { closePages, openDocument } from './paper.ts'
import { drawTable } from './rows.ts'
import { ensureHeight, FOOT, MARGIN, PAD, type Sheet } from './sheet.ts'

/** One file with all documents, each starting on a new page. */
export async function composePdf(documents: readonly PrintDocument[]): Promise<Uint8Array> {
  const [first] = documents
  const pdf = new PDFDocument({
    autoFirstPage: false,
    bufferPages: true,
    // No default font of the library: a font that it knows by another name is read again each time it is set.
    font: '',
    lang: first?.lang ?? 'en',
    info: { Title: documents.map(({ name }) => name).join(', '), Producer: 'Comptoir', Creator: 'Comptoir' },
  })
  const parts: Uint8Array[] = []
  const done = new Promise<Uint8Array>((resolve) => {
    pdf.on('data', (part: Uint8Array) => parts.push(part))
    pdf.on('end', () => resolve(Buffer.concat(parts)))
  })
  fontsFor(pdf, documents)
  for (const document of documents) compose(pdf, document)
  pdf.end()
  return done
}

function compose(pdf: PDFKit.PDFDocument, document: PrintDocument): void {
  const from = openDocument(pdf, document)
  const sheet: Sheet = {
    pdf,
    document,
    look: lookOf(document),
    left: MARGIN,
    width: pdf.page.width - 2 * MARGIN,
    bottom: () => pdf.page.height - MARGIN - FOOT,
  }
  for (const block of document.blocks) draw(sheet, block)
  closePages(sheet, from)
}

function draw(sheet: Sheet, block: PrintBlock): void {
  if (block.kind === 'addresses') addresses(sheet, block.of)
  else if (block.kind === 'heading') heading(sheet, block.text)
  else if (block.kind === 'facts') facts(sheet, block.facts)
  else if (block.kind === 'table') drawTable(sheet, block.columns, block.rows)
  else if (block.kind === 'totals') totals(sheet, block.rows)
  else paragraphs(sheet, block.text)
}

function heading(sheet: Sheet, text: string): void {
  ensureHeight(sheet, 80)
  sheet.pdf
    .font('strong')
    .fontSize(16)
    .fillColor(sheet.look.heading)
    .text(text, sheet.left, sheet.pdf.y, { width: sheet.width })
  sheet.pdf.fillColor('#222').y += 8
}

function addresses(
  sheet: Sheet,
  of: readonly { readonly label: string; readonly lines: readonly string[] }[],
): void {
  const { pdf, left, width, look } = sheet
  const share = width / Math.max(of.length, 2)
  ensureHeight(sheet, 80)
  const top = pdf.y
  let lowest = top
  for (const [i, { label, lines }] of of.entries()) {
    const options = { width: share - 12, height: 160, ellipsis: true }
    pdf
      .font('plain')
      .fontSize(8)
      .fillColor(look.label)
      .text(label, left + i * share, top, options)
    pdf
      .fontSize(10)
      .fillColor('#222')
      .text(lines.join('\n'), left + i * share, pdf.y, options)
    lowest = Math.max(lowest, pdf.y)
  }
  pdf.y = lowest + 14
}

const PER_ROW = 4

function facts(sheet: Sheet, all: readonly (readonly [string, string])[]): void {
  const { pdf, left, width, look } = sheet
  const share = width / PER_ROW
  for (let at = 0; at < all.length; at += PER_ROW) {
    ensureHeight(sheet, 30)
    const top = pdf.y
    let lowest = top
    for (const [i, [name, value]] of all.slice(at, at + PER_ROW).entries()) {
      const options = { width: share - 8 }
      pdf
        .font('plain')
        .fontSize(8)
        .fillColor(look.label)
        .text(name, left + i * share, top, options)
      pdf
        .fontSize(10)
        .fillColor('#222')
        .text(value, left + i * share, pdf.y, options)
      lowest = Math.max(lowest, pdf.y)
    }
    pdf.y = lowest + 8
  }
}

function totals(
  sheet: Sheet,
  rows: readonly { readonly label: string; readonly value: string; readonly strong?: boolean }[],
): void {
  const { pdf, left, width, look } = sheet
  const from = left + width * 0.5
  const half = (left + width - from) / 2
  // Sums stay together.
  ensureHeight(sheet, Math.min(rows.length * 18 + 10, 300))
  for (const { label, value, strong } of rows) {
    ensureHeight(sheet, 18)
    pdf.font(strong ? 'strong' : 'plain').fontSize(strong ? 11 : 10)
    const top = pdf.y
    if (strong)
      pdf
        .moveTo(from, top - 2)
        .lineTo(left + width, top - 2)
        .lineWidth(0.8)
        .strokeColor(look.rule)
        .stroke()
    pdf.text(label, from, top, { width: half + 30 })
    const lowest = pdf.y
    pdf.text(value, from + half, top, { width: half - PAD, align: 'right' })
    pdf.y = Math.max(lowest, pdf.y) + 3
  }
  pdf.y += 10
}

function paragraphs(sheet: Sheet, text: string): void {
  const { pdf, left, width } = sheet
  pdf.font('plain').fontSize(9)
  for (const line of text.split('\n').map(settable)) {
    ensureHeight(sheet, Math.min(pdf.heightOfString(line || ' ', { width }), 200))
    pdf
      .font('plain')
      .fontSize(9)
      .text(line || ' ', left, pdf.y, { width, height: sheet.bottom() - pdf.y, ellipsis: true })
  }
  pdf.y += 8
}
