// Sections of sales and purchase orders: lines stand under a section, or under a subsection of one.

interface Line {
  readonly id: number
  readonly display_type: string | null
  readonly parent_id: { readonly id: number; readonly parent_id: { readonly id: number } | null } | null
}

/** Ids of the sections that lines stand under, over subsections; a section stands for itself. */
export function sectionsOf(lines: readonly Line[]): number[] {
  const sections = lines.flatMap(({ id, display_type, parent_id: above }) =>
    display_type === 'line_section' ? [id] : (above?.parent_id?.id ?? above?.id ?? []),
  )
  return [...new Set(sections)]
}
