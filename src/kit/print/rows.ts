// Tables over as many pages as they need: the head on each, rows that are not split, texts that are cut if
// they are longer than a page.
import { present } from '../present.ts'
import { type PrintColumn, type PrintRow, settable } from './document.ts'
import { textColourOn } from './look.ts'
import { ensureHeight, MARGIN, PAD, type Sheet } from './sheet.ts'

interface Place {
  readonly x: number
  readonly width: number
  readonly align: 'left' | 'right'
}

/** Position of each column's text. */
function places({ left, width }: Sheet, columns: readonly PrintColumn[]): Place[] {
  const whole = columns.reduce((sum, column) => sum + column.width, 0) || 1
  let x = left
  return columns.map((column) => {
    const columnWidth = (column.width / whole) * width
    const place: Place = { x: x + PAD, width: columnWidth - 2 * PAD, align: column.align ?? 'left' }
    x += columnWidth
    return place
  })
}

/**
 * Text that fits on one line is set without the library's search for where to break it, which takes most of
 * its time.
 */
const fits = ({ pdf }: Sheet, text: string, width: number) =>
  !text.includes('\n') && pdf.widthOfString(text) <= width

const heightOf = (sheet: Sheet, text: string, width: number) =>
  fits(sheet, text, width) ? sheet.pdf.currentLineHeight(true) : sheet.pdf.heightOfString(text, { width })

function setText(sheet: Sheet, text: string, { x, width, align }: Place, y: number, height: number): void {
  const { pdf } = sheet
  if (text === '') return
  if (!fits(sheet, text, width)) pdf.text(text, x, y, { width, align, height, ellipsis: true })
  else pdf.text(text, align === 'right' ? x + width - pdf.widthOfString(text) : x, y, { lineBreak: false })
}

function rule({ pdf, left, width }: Sheet, color: string, weight: number): void {
  pdf
    .moveTo(left, pdf.y)
    .lineTo(left + width, pdf.y)
    .lineWidth(weight)
    .strokeColor(color)
    .stroke()
}

function setRow(sheet: Sheet, texts: readonly string[], at: readonly Place[], height: number): void {
  const top = sheet.pdf.y + PAD
  for (const [i, text] of texts.entries()) setText(sheet, text, present(at[i]), top, height)
  sheet.pdf.y = top + height + PAD
}

const tallest = (sheet: Sheet, texts: readonly string[], at: readonly Place[]) =>
  Math.max(10, ...texts.map((text, i) => heightOf(sheet, text, at[i]?.width ?? 1)))

/** Fills the area of a row that is set next. */
function shade({ pdf, left, width }: Sheet, color: string, height: number): void {
  pdf.rect(left, pdf.y, width, height + 2 * PAD).fill(color)
}

/** Draws the lines around the cells of the row that was set last. */
function box({ pdf, left, width }: Sheet, at: readonly Place[], height: number): void {
  const top = pdf.y - height - 2 * PAD
  pdf.rect(left, top, width, height + 2 * PAD)
  for (const { x } of at.slice(1)) pdf.moveTo(x - PAD, top).lineTo(x - PAD, pdf.y)
  pdf.lineWidth(0.5).strokeColor('#bbbbbb').stroke()
}

function head(sheet: Sheet, columns: readonly PrintColumn[], at: readonly Place[]): void {
  const { pdf, look } = sheet
  pdf.font('strong').fontSize(9)
  const labels = columns.map(({ label }) => label)
  const height = tallest(sheet, labels, at)
  if (look.layout === 'bold') shade(sheet, look.rule, height)
  if (look.layout === 'boxed') shade(sheet, '#f3f3f3', height)
  pdf.fillColor(look.layout === 'bold' ? textColourOn(look.rule) : look.heading)
  setRow(sheet, labels, at, height)
  if (look.layout === 'boxed') box(sheet, at, height)
  else rule(sheet, look.rule, 1)
  pdf.fillColor('#222')
}

/** Draws a table from the current position on. */
export function drawTable(sheet: Sheet, columns: readonly PrintColumn[], rows: readonly PrintRow[]): void {
  const { pdf, left, width } = sheet
  const { layout } = sheet.look
  const at = places(sheet, columns)
  const over: Place = { x: left + PAD, width: width - 2 * PAD, align: 'left' }
  const longest = sheet.bottom() - MARGIN - 80
  ensureHeight(sheet, 60)
  head(sheet, columns, at)
  for (const [i, row] of rows.entries()) {
    const texts = textsOf(row, columns.length).map(settable)
    const cells = texts.length === 1 ? [over] : at
    const face = row.kind === 'values' || row.kind === 'note' ? 'plain' : 'strong'
    pdf.font(face).fontSize(9)
    const height = Math.min(tallest(sheet, texts, cells), longest)
    if (ensureHeight(sheet, height + 2 * PAD)) head(sheet, columns, at)
    pdf.font(face).fontSize(9)
    if (layout === 'striped' && i % 2 === 0) {
      shade(sheet, '#f3f3f3', height)
      pdf.fillColor('#222')
    }
    setRow(sheet, texts, cells, height)
    if (layout === 'boxed') box(sheet, cells, height)
    else if (layout !== 'striped') rule(sheet, '#dddddd', 0.5)
  }
  pdf.y += 10
}

function textsOf(row: PrintRow, columns: number): readonly string[] {
  if (row.kind === 'values') return row.cells
  if (row.kind !== 'subtotal') return [row.text]
  return [row.label, ...Array.from({ length: columns - 2 }, () => ''), row.value]
}
