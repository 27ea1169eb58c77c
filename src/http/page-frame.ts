// The HTML around every page: head, bar, main part, and the facts that the page's script starts with.
import { embeddedJson, type Html, html, joined } from '../kit/html.ts'

/** The signed-in user, for the bar of a page. */
export interface SignedIn {
  readonly name: string
  /** The token of the form that signs out. */
  readonly csrf: string
  /** Whether the documentation is for them. */
  readonly mayDocument: boolean
}

export interface Page {
  readonly title: string
  /** The folder of the page in src/pages. */
  readonly name: string
  /**
   * Initial data of the page's component; its `main.tsx` reads it. Never a secret: it is part of the HTML.
   * Without it, `plain` is the page.
   */
  readonly facts?: object
  /** HTML without scripts, in place of the page's content. */
  readonly plain?: Html
  /** Links and the way out above the page; none: our name alone. */
  readonly bar?: SignedIn & { readonly path: string }
  /** Of one small form, or of tables and code. */
  readonly width?: 'narrow' | 'wide'
  /**
   * Text for programs that read pages, on lines of its own. It is an HTML comment, which browsers do not run.
   */
  readonly note?: Html
  readonly status?: number
}

/** Files of a page. */
export interface Assets {
  readonly styles: readonly string[]
  readonly script: string
}

const SIGN = html`<path fill="#0b6b5f" d="M4 0h24a4 4 0 0 1 4 4v24a4 4 0 0 1-4 4H4a4 4 0 0 1-4-4V4a4 4 0 0 1 4-4z"/><path fill="#fff" d="M6 19h20v3H6zM9 24h3v3H9zM20 24h3v3h-3zM16 5a8 8 0 0 1 8 8v3H8v-3a8 8 0 0 1 8-8zm0 3a5 5 0 0 0-5 5h10a5 5 0 0 0-5-5z"/>`
/** The icon of the pages, an image in SVG. */
export const ICON = `${html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">${SIGN}</svg>`}`
const ICON_ADDRESS = `data:image/svg+xml,${encodeURIComponent(ICON)}`
const SCRIPTLESS = html`<p>This page needs JavaScript.</p>`
const UNBUILT = html`<p class="notice bad" role="alert">The pages are not built yet: run <code>npm run pages</code>.</p>`

/** The page as HTML. `assets`: null if the pages are not built, which the page then says. */
export function frame(
  { title, facts, plain = SCRIPTLESS, bar, width, note }: Page,
  assets: Assets | null,
): string {
  return joined(
    [
      html`<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">`,
      html`<title>${title} · Comptoir</title><link rel="icon" href="${ICON_ADDRESS}">`,
      ...(assets?.styles ?? []).map((path) => html`<link rel="stylesheet" href="${path}">`),
      ...(assets ? [html`<script type="module" src="${assets.script}"></script>`] : []),
      ...(note ? [html`<!--\n${note}\n-->`] : []),
      html`</head><body><a class="skip" href="#main">Skip to the content</a>`,
      header(bar),
      html`<main id="main" tabindex="-1"${width ? html` class="${width}"` : ''}>${plain}${assets ? '' : UNBUILT}</main>`,
      // Data, not a script: browsers do not run this type.
      ...(facts ? [html`<script type="application/json" id="facts">${embeddedJson(facts)}</script>`] : []),
      html`</body></html>`,
    ],
    '\n',
  ).toString()
}

function header(bar: Page['bar']): Html {
  const brand = html`<a class="brand" href="/odoo"><svg viewBox="0 0 32 32" aria-hidden="true">${SIGN}</svg>Comptoir</a>`
  if (!bar) return html`<header class="bar">${brand}</header>`
  const links = [['/web/account', 'Account'], ...(bar.mayDocument ? [['/doc', 'Documentation']] : [])]
  const items = links.map(
    ([path, text]) =>
      html`<a href="${path}"${path === bar.path ? html` aria-current="page"` : ''}>${text}</a>`,
  )
  return html`${[
    html`<header class="bar">${brand}<nav aria-label="Pages">${items}</nav><span class="who faint">${bar.name}</span>`,
    html`<form method="post" action="/web/session/logout"><input type="hidden" name="csrf_token" value="${bar.csrf}">`,
    html`<button class="quiet">Sign out</button></form></header>`,
  ]}`
}
