// Headings above lines of documents: the section or subsection that each line stands under, and which go
// along with lines.

interface Placed {
  readonly id: number
  readonly order_id: { readonly id: number }
  readonly display_type: string | null
}

/**
 * Headings by line, of lines in the order of their documents; null for sections and for lines above the first
 * one.
 */
export function headingsOf(lines: readonly Placed[]): Map<number, { id: number } | null> {
  const headings = new Map<number, { id: number } | null>()
  let order: number | undefined
  let section: number | undefined
  let subsection: number | undefined
  for (const line of lines) {
    if (line.order_id.id !== order) {
      order = line.order_id.id
      section = undefined
      subsection = undefined
    }
    const above = line.display_type === 'line_subsection' ? section : (subsection ?? section)
    headings.set(line.id, above === undefined || line.display_type === 'line_section' ? null : { id: above })
    if (line.display_type === 'line_section') {
      section = line.id
      subsection = undefined
    }
    if (line.display_type === 'line_subsection') subsection = line.id
  }
  return headings
}

/** The lines that are wanted, each heading before the first line that stands under it. */
export function withHeadings<L extends { readonly display_type: string | null }>(
  lines: readonly L[],
  wanted: (line: L) => boolean,
): L[] {
  const kept: L[] = []
  let headings: L[] = []
  for (const line of lines) {
    if (line.display_type === 'line_section') headings = [line]
    else if (line.display_type === 'line_subsection')
      headings = [...headings.filter((heading) => heading.display_type === 'line_section'), line]
    else if (wanted(line)) {
      kept.push(...headings, line)
      headings = []
    }
  }
  return kept
}
