// Documents as a page of HTML without scripts: every text is escaped, pictures stand in the page itself.
import { type Html, html, joined, raw } from '../html.ts'
import {
  type PrintBlock,
  type PrintColumn,
  type PrintDocument,
  type PrintRow,
  pictureKind,
} from './document.ts'
import { isMonospaced, lookOf, textColourOn } from './look.ts'

const style = `body{font:14px/1.45 system-ui,sans-serif;color:#222;margin:0;background:#fff}
article{max-width:800px;margin:0 auto;padding:32px;page-break-after:always}article:last-child{page-break-after:auto}
header{display:flex;justify-content:space-between;gap:24px;margin-bottom:24px}header img{max-width:220px;max-height:90px}
.addresses{display:flex;gap:48px;margin:16px 0}.addresses b,.facts dt{color:var(--label);font-weight:600;font-size:12px}
h1{font-size:22px;margin:16px 0;color:var(--heading)}.facts{display:flex;flex-wrap:wrap;gap:8px 32px;margin:16px 0}.facts dd{margin:0}
table{border-collapse:collapse;width:100%;margin:16px 0}th{text-align:left;border-bottom:2px solid var(--rule);padding:6px;color:var(--heading)}
td{padding:6px;border-bottom:1px solid #ddd;vertical-align:top;white-space:pre-wrap}.right{text-align:right;white-space:nowrap}
.section td{font-weight:700;background:#f3f3f3}.note td{font-style:italic}.totals{width:45%;margin-left:auto}.totals .strong td{font-weight:700;border-top:2px solid var(--rule)}
th,td{-webkit-print-color-adjust:exact;print-color-adjust:exact}
.boxed table:not(.totals) :is(td,th){border:1px solid #bbb}.boxed th{background:#f3f3f3}.bold th{background:var(--rule);color:var(--ink)}
.striped table:not(.totals) td{border-bottom:0}.striped table:not(.totals) tbody tr:nth-child(odd) td{background:#f3f3f3}
.text{white-space:pre-wrap;margin:16px 0}footer{border-top:1px solid #bbb;margin-top:32px;padding-top:8px;color:#666;font-size:12px;text-align:center}
@media print{article{padding:0;max-width:none}thead{display:table-header-group}tr{break-inside:avoid}}`

const lines = (texts: readonly string[]): readonly Html[] =>
  texts.map((text, at) => html`${at > 0 && raw('<br>')}${text}`)

/** The whole page. */
export function printHtml(documents: readonly PrintDocument[]): string {
  const [first] = documents
  const title = documents.map(({ name }) => name).join(', ')
  return html`<!doctype html>
<html lang="${first?.lang ?? 'en'}"><head><meta charset="utf-8"><title>${title}</title>
<meta name="viewport" content="width=device-width"><style>${raw(style)}</style></head>
<body>${joined(documents.map(article), '\n')}</body></html>
`.toString()
}

/** Colours and font of a document; the server's own pages have no other inline style. */
function styleOf(document: PrintDocument): string {
  const { heading, rule, label, font } = lookOf(document)
  const family =
    font === null ? '' : `;font-family:'${font}',${isMonospaced(font) ? 'monospace' : 'system-ui,sans-serif'}`
  return `--heading:${heading};--rule:${rule};--label:${label};--ink:${textColourOn(rule)}${family}`
}

function article(document: PrintDocument): Html {
  const { lang, logo, sender, blocks, footer } = document
  const kind = logo === null ? null : pictureKind(logo)
  const picture = kind !== null && html`<img alt="" src="data:image/${kind};base64,${logo ?? ''}">`
  return html`<article lang="${lang}" class="${lookOf(document).layout}" style="${styleOf(document)}"><header><div>${picture}</div><address>${lines(sender)}</address></header>
${joined(blocks.map(block), '\n')}
<footer>${lines(footer)}</footer></article>`
}

function block(item: PrintBlock): Html {
  switch (item.kind) {
    case 'addresses':
      return html`<div class="addresses">${item.of.map(({ label, lines: addressLines }) => html`<div><b>${label}</b><br>${lines(addressLines)}</div>`)}</div>`
    case 'heading':
      return html`<h1>${item.text}</h1>`
    case 'facts':
      return html`<dl class="facts">${item.facts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`
    case 'table':
      return table(item.columns, item.rows)
    case 'totals':
      return html`<table class="totals">${item.rows.map(
        ({ label, value, strong }) =>
          html`<tr${strong && raw(' class="strong"')}><td>${label}</td><td class="right">${value}</td></tr>`,
      )}</table>`
    case 'text':
      return html`<div class="text">${item.text}</div>`
  }
}

function table(columns: readonly PrintColumn[], rows: readonly PrintRow[]): Html {
  const cell = (tag: 'th' | 'td', text: string, at: number) =>
    html`<${tag}${columns[at]?.align === 'right' && raw(' class="right"')}>${text}</${tag}>`
  const over = columns.length
  const body = rows.map((row) => {
    if (row.kind === 'values') return html`<tr>${row.cells.map((text, at) => cell('td', text, at))}</tr>`
    if (row.kind === 'subtotal')
      return html`<tr class="section"><td colspan="${over - 1}" class="right">${row.label}</td><td class="right">${row.value}</td></tr>`
    return html`<tr class="${row.kind}"><td colspan="${over}">${row.text}</td></tr>`
  })
  return html`<table><thead><tr>${columns.map(({ label }, at) => cell('th', label, at))}</tr></thead><tbody>${joined(body, '\n')}</tbody></table>`
}
