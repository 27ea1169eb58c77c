// The policy for sanitizing markup: what is kept, what is removed, and how it is written
// (spec/models-api.md section 5, "Values": html).

import { beyond, limits } from '../limits.ts'
import { type IOptions, sanitizeHtml } from './sanitize.ts'

const inline =
  'a abbr acronym b bdi bdo big br cite code data del dfn em font i img ins kbd label mark map area picture q rp rt ruby s samp small'
const moreInline = 'source span strike strong sub sup time tt u var wbr audio video track'
const block =
  'address article aside blockquote center dd details dir div dl dt fieldset figcaption figure footer h1 h2 h3 h4 h5 h6 header hgroup'
const moreBlock =
  'hr legend li main menu nav ol p pre section summary table tbody td tfoot th thead tr caption col colgroup ul'

const blockTags = new Set(`${block} ${moreBlock}`.split(' '))
const voidTags = ['area', 'br', 'col', 'hr', 'img', 'source', 'track', 'wbr']

const attributes =
  'class id style title lang dir role align valign width height bgcolor color face size border cellpadding cellspacing nowrap'
const linkSchemes = ['http', 'https', 'ftp', 'mailto', 'tel', 'sms', 'cid']
/** Styles that run code in some browser, or load from a URL whose scheme does. */
const activeStyle = /expression\s*\(|javascript\s*:|vbscript\s*:|-moz-binding|behavior\s*:|\\/i

const policy: IOptions = {
  allowedTags: [...inline.split(' '), ...moreInline.split(' '), ...blockTags],
  allowedAttributes: {
    '*': [...attributes.split(' '), 'data-*', 'aria-*'],
    a: ['href', 'name', 'target', 'rel', 'download', 'hreflang'],
    area: ['href', 'alt', 'coords', 'shape', 'target'],
    audio: ['src', 'controls', 'loop', 'muted', 'preload'],
    blockquote: ['cite'],
    col: ['span'],
    colgroup: ['span'],
    data: ['value'],
    del: ['cite', 'datetime'],
    details: ['open'],
    img: ['src', 'srcset', 'alt', 'sizes', 'loading', 'usemap', 'hspace', 'vspace'],
    ins: ['cite', 'datetime'],
    li: ['value'],
    map: ['name'],
    ol: ['start', 'type', 'reversed'],
    q: ['cite'],
    source: ['src', 'srcset', 'type', 'media', 'sizes'],
    table: ['summary', 'background'],
    td: ['colspan', 'rowspan', 'headers', 'background'],
    th: ['colspan', 'rowspan', 'headers', 'scope', 'abbr'],
    time: ['datetime'],
    track: ['src', 'kind', 'srclang', 'label'],
    video: ['src', 'controls', 'loop', 'muted', 'preload', 'poster', 'playsinline'],
  },
  allowedSchemes: linkSchemes,
  allowedSchemesByTag: { img: [...linkSchemes, 'data'] },
  allowedSchemesAppliedToAttributes: ['href', 'src', 'cite', 'background', 'poster'],
  allowProtocolRelative: true,
  selfClosing: voidTags,
  nonTextTags: ['script', 'style', 'textarea', 'option', 'xmp', 'noscript', 'title', 'template'],
  // Styles are kept as written. An unsafe style removes the whole attribute.
  parseStyleAttributes: false,
  transformTags: {
    '*': (tagName, attribs) => {
      if (attribs.style !== undefined && activeStyle.test(attribs.style)) delete attribs.style
      return { tagName, attribs }
    },
  },
}

/**
 * Markup without scripts, event attributes and unsafe URLs. Text outside of a block at its start gets a
 * paragraph. Throws PayloadTooLarge for markup nested deeper than `deepest`, as soon as it reaches that
 * level: each level costs more than the previous one.
 */
export function cleanHtml(markup: string, deepest: number = limits['html-depth']): string {
  if (markup.trim() === '') return markup
  let depth = 0
  const onOpenTag = () => {
    if (++depth > deepest) throw beyond('html-depth')
  }
  // `<img />` is written `<img>`. In clean markup a slash before `>` occurs nowhere else, because texts
  // and attributes escape `>`.
  const clean = quietly(() => sanitizeHtml(markup, { ...policy, onOpenTag, onCloseTag: () => void depth-- }))
    .replaceAll(' />', '>')
    .replaceAll('\u00a0', '&nbsp;')
  return /^\s*[^<\s]/.test(clean) ? wrapStart(clean) : clean
}

/**
 * The parser of `srcset` prints errors to the console: clients must not be able to fill the server's
 * output.
 */
function quietly<T>(work: () => T): T {
  const { log } = console
  console.log = () => undefined
  try {
    return work()
  } finally {
    console.log = log
  }
}

/** Puts everything before the first block of the top level into a paragraph. */
function wrapStart(clean: string): string {
  let depth = 0
  let end = clean.length
  for (const tag of clean.matchAll(/<(\/?)([a-z0-9]+)[^>]*>/g)) {
    const [, slash, name = ''] = tag
    if (slash) depth--
    else if (depth === 0 && blockTags.has(name)) {
      end = tag.index
      break
    } else if (!voidTags.includes(name)) depth++
  }
  return `<p>${clean.slice(0, end)}</p>${clean.slice(end)}`
}
