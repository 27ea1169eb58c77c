// The look of documents: colours, font and layout that a company chose, else those of the printer.

export const printLayouts = ['standard', 'boxed', 'bold', 'striped'] as const
export type PrintLayout = (typeof printLayouts)[number]

/** Choices of a company for its documents. */
export interface PrintLook {
  readonly layout: PrintLayout
  /** `#rrggbb`: headings, heads of tables, sums. */
  readonly primary: string | null
  /** `#rrggbb`: labels. */
  readonly secondary: string | null
  /** Name of a font family. PDF has it as a font of the same kind; web pages ask the browser for it. */
  readonly font: string | null
}

const plain: PrintLook = { layout: 'standard', primary: null, secondary: null, font: null }
const HEX = /^#[0-9a-f]{6}$/i

/** The look of a document, with a colour for everything that has one. */
export function lookOf({ look = plain }: { readonly look?: PrintLook }) {
  const colour = (value: string | null, otherwise: string) => (value && HEX.test(value) ? value : otherwise)
  return {
    layout: look.layout,
    font: look.font,
    heading: colour(look.primary, '#222222'),
    rule: colour(look.primary, '#444444'),
    label: colour(look.secondary, '#666666'),
  }
}

/** A font whose letters have the same width. */
export const isMonospaced = (font: string | null): boolean => font !== null && / Mono$/.test(font)

/** Black or white, whichever is easier to read on a colour. */
export function textColourOn(colour: string): string {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16))
  return red * 0.299 + green * 0.587 + blue * 0.114 > 150 ? '#222222' : '#ffffff'
}
