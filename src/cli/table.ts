// Tables on a terminal: columns as wide as their contents, without lines.

/** Rows under their headings; empty for a table without rows. */
export function table(headings: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  if (rows.length === 0) return ''
  const all = [headings, ...rows.map((row) => row.map((cell) => printable(String(cell))))]
  const widths = headings.map((_, i) => Math.max(...all.map((row) => row[i]?.length ?? 0)))
  return all
    .map((row) =>
      row
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** Names come from users: their control characters must not move the cursor. */
const printable = (text: string): string => text.replaceAll(/\p{C}+/gu, ' ')
