// The library that takes markup apart, loaded when markup first comes: it is a hundred files, and many
// servers never meet markup.
import { createRequire } from 'node:module'
import type { IOptions } from 'sanitize-html'

type Sanitize = (markup: string, options: IOptions) => string

const load = createRequire(import.meta.url)
let library: Sanitize | undefined

/** Markup with what the options leave of it. */
export function sanitizeHtml(markup: string, options: IOptions): string {
  library ??= load('sanitize-html') as Sanitize
  return library(markup, options)
}

export type { IOptions }
