// The page `/doc/guides/<name>` as HTML: a guide, with the list of all guides in a column.
import { NotFound } from '../errors.ts'
import { html, joined } from '../kit/html.ts'
import type { PageTarget } from './examples.ts'
import { guideLink, guidePath, guides } from './guides.ts'
import { markdown } from './markdown.ts'
import { type DocumentPage, docStart, searchPlace } from './page.ts'

/** A guide next to the list of all guides. Throws NotFound. */
export function guidePage(target: PageTarget, name: string): DocumentPage {
  const guide = guides().get(name)
  if (!guide) throw new NotFound('Guide not found.')
  const links = [...guides()].map(
    ([guideName, { title }]) =>
      html`<a href="${guidePath(guideName)}"${guideName === name ? html` aria-current="page"` : ''}>${title}</a>`,
  )
  return {
    title: guide.title,
    html: joined(
      [
        docStart(target),
        html`<p><a href="/doc">All models</a></p>`,
        searchPlace,
        html`<div class="columns"><nav class="contents" aria-label="Guides">${links}</nav>`,
        html`<article class="card guide">${markdown(guide.text, guideLink)}</article></div></div>`,
      ],
      '\n',
    ),
  }
}
