// Headings above lines of documents: the section or subsection that each line stands under.

interface Placed {
  readonly id: number
  readonly order_id: { readonly id: number }
  readonly display_type: string | null
}

/** Headings by line, of lines in the order of their documents; null for sections and for lines above the first one. */
export function headingsOf(lines: readonly Placed[]): Map<number, { id: number } | null> {
  const headings = new Map<number, { id: number } | null>()
  let order: number | undefined
  let section: number | undefined
  let subsection: number | undefined
  for (const one of lines) {
    if (one.order_id.id !== order) {
      order = one.order_id.id
      section = undefined
      subsection = undefined
    }
    const above = one.display_type === 'line_subsection' ? section : (subsection ?? section)
    headings.set(one.id, above === undefined || one.display_type === 'line_section' ? null : { id: above })
    if (one.display_type === 'line_section') {
      section = one.id
      subsection = undefined
    }
    if (one.display_type === 'line_subsection') subsection = one.id
  }
  return headings
}
