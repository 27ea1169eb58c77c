// Warnings on sales and purchase orders: what is noted of their contact and of their products.

/** A note about a contact or product, with its name. */
interface Noted {
  readonly name: string | null
  readonly note: string | null
}

/** The notes as one text, each of them once and on a line. */
export const warningText = (noted: readonly Noted[]): string =>
  [...new Set(noted.flatMap(({ name, note }) => (note ? [`${name ?? ''} - ${note}`] : [])))].join('\n')
