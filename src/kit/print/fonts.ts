// Fonts: what every reader of PDF has where its letters suffice, which makes small files; else one with the
// letters of Europe and beyond, of which the used ones go in.
import { createRequire } from 'node:module'
import type { PrintDocument } from './document.ts'
import { isMonospaced, lookOf } from './look.ts'

/** Letters of Western Europe, as PDF's own fonts know them. */
const WESTERN = /^[\x20-\x7e\xa0-\xff\n\t€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]*$/

const find = createRequire(import.meta.url)

/** Registers `plain` and `strong` for all that is printed into one file: one font, also of several documents. */
export function fontsFor(pdf: PDFKit.PDFDocument, documents: readonly PrintDocument[]): void {
  const western = documents.every((document) => isWestern(document))
  const family = documents.every((document) => isMonospaced(lookOf(document).font)) ? 'Courier' : 'Helvetica'
  pdf.registerFont('plain', western ? family : find.resolve('dejavu-fonts-ttf/ttf/DejaVuSans.ttf'))
  pdf.registerFont(
    'strong',
    western ? `${family}-Bold` : find.resolve('dejavu-fonts-ttf/ttf/DejaVuSans-Bold.ttf'),
  )
}

/** Whether all texts are; `logo` and `look` are not printed as texts. */
function isWestern(value: unknown, name = ''): boolean {
  if (name === 'logo' || name === 'look') return true
  if (typeof value === 'string') return WESTERN.test(value)
  if (typeof value !== 'object' || value === null) return true
  return Object.entries(value).every(([key, part]) => isWestern(part, key))
}
