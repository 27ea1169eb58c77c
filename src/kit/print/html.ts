// Documents as a page of HTML without scripts: every text is escaped, pictures stand in the page itself.
import { escapeHtml } from '../html.ts'
import {
  type PrintBlock,
  type PrintColumn,
  type PrintDocument,
  type PrintRow,
  pictureKind,
} from './document.ts'

const style = `body{font:14px/1.45 system-ui,sans-serif;color:#222;margin:0;background:#fff}
article{max-width:800px;margin:0 auto;padding:32px;page-break-after:always}article:last-child{page-break-after:auto}
header{display:flex;justify-content:space-between;gap:24px;margin-bottom:24px}header img{max-width:220px;max-height:90px}
.addresses{display:flex;gap:48px;margin:16px 0}.addresses b,.facts dt{color:#666;font-weight:600;font-size:12px}
h1{font-size:22px;margin:16px 0}.facts{display:flex;flex-wrap:wrap;gap:8px 32px;margin:16px 0}.facts dd{margin:0}
table{border-collapse:collapse;width:100%;margin:16px 0}th{text-align:left;border-bottom:2px solid #444;padding:6px}
td{padding:6px;border-bottom:1px solid #ddd;vertical-align:top;white-space:pre-wrap}.right{text-align:right;white-space:nowrap}
.section td{font-weight:700;background:#f3f3f3}.note td{font-style:italic}.totals{width:45%;margin-left:auto}.totals .strong td{font-weight:700;border-top:2px solid #444}
.text{white-space:pre-wrap;margin:16px 0}footer{border-top:1px solid #bbb;margin-top:32px;padding-top:8px;color:#666;font-size:12px;text-align:center}
@media print{article{padding:0;max-width:none}thead{display:table-header-group}tr{break-inside:avoid}}`

const lines = (texts: readonly string[]) => texts.map(escapeHtml).join('<br>')

/** The whole page. */
export function printHtml(documents: readonly PrintDocument[]): string {
  const [first] = documents
  const title = documents.map(({ name }) => name).join(', ')
  return `<!doctype html>
<html lang="${escapeHtml(first?.lang ?? 'en')}"><head><meta charset="utf-8"><title>${escapeHtml(title)}</title>
<meta name="viewport" content="width=device-width"><style>${style}</style></head>
<body>${documents.map(article).join('\n')}</body></html>
`
}

function article({ lang, logo, sender, blocks, footer }: PrintDocument): string {
  const kind = logo === null ? null : pictureKind(logo)
  const picture =
    kind === null ? '' : `<img alt="" src="data:image/${kind};base64,${escapeHtml(logo ?? '')}">`
  return `<article lang="${escapeHtml(lang)}"><header><div>${picture}</div><address>${lines(sender)}</address></header>
${blocks.map(block).join('\n')}
<footer>${lines(footer)}</footer></article>`
}

function block(one: PrintBlock): string {
  switch (one.kind) {
    case 'addresses':
      return `<div class="addresses">${one.of.map(({ label, lines: own }) => `<div><b>${escapeHtml(label)}</b><br>${lines(own)}</div>`).join('')}</div>`
    case 'heading':
      return `<h1>${escapeHtml(one.text)}</h1>`
    case 'facts':
      return `<dl class="facts">${one.facts.map(([name, value]) => `<div><dt>${escapeHtml(name)}</dt><dd>${escapeHtml(value)}</dd></div>`).join('')}</dl>`
    case 'table':
      return table(one.columns, one.rows)
    case 'totals':
      return `<table class="totals">${one.rows
        .map(
          ({ label, value, strong }) =>
            `<tr${strong ? ' class="strong"' : ''}><td>${escapeHtml(label)}</td><td class="right">${escapeHtml(value)}</td></tr>`,
        )
        .join('')}</table>`
    case 'text':
      return `<div class="text">${escapeHtml(one.text)}</div>`
  }
}

function table(columns: readonly PrintColumn[], rows: readonly PrintRow[]): string {
  const cell = (tag: 'th' | 'td', text: string, at: number) =>
    `<${tag}${columns[at]?.align === 'right' ? ' class="right"' : ''}>${escapeHtml(text)}</${tag}>`
  const over = columns.length
  const body = rows.map((row) => {
    if (row.kind === 'values') return `<tr>${row.cells.map((text, at) => cell('td', text, at)).join('')}</tr>`
    if (row.kind === 'subtotal')
      return `<tr class="section"><td colspan="${over - 1}" class="right">${escapeHtml(row.label)}</td><td class="right">${escapeHtml(row.value)}</td></tr>`
    return `<tr class="${row.kind}"><td colspan="${over}">${escapeHtml(row.text)}</td></tr>`
  })
  return `<table><thead><tr>${columns.map(({ label }, at) => cell('th', label, at)).join('')}</tr></thead><tbody>${body.join('\n')}</tbody></table>`
}
