// Texts as PostgreSQL can keep them: what is wrong with one, and cutting by characters.

/** What keeps a text from being stored, in words, or null: NUL characters and half surrogate pairs (spec/wire.md section 3). */
export function flawOf(text: string): string | null {
  if (text.includes('\0')) return 'a NUL character'
  return text.isWellFormed() ? null : 'half a surrogate pair'
}

/** Whether a text can be stored. */
export function isStorable(text: string): boolean {
  return flawOf(text) === null
}

/** The first `size` characters (code points, never half an emoji). */
export function cutTo(text: string, size: number): string {
  if (text.length <= size) return text
  let end = 0
  for (let count = 0; count < size && end < text.length; count++) end += (text.codePointAt(end) as number) > 0xffff ? 2 : 1
  return text.slice(0, end)
}
