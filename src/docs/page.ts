// The page `/doc` as HTML: all models, and one model with its fields and methods. It reads without its script, which searches and tries calls.
import type { IndexDocument, MethodDocument, ModelDocument } from './catalogue.ts'
import { exampleBody, examples, type Target } from './examples.ts'
import { pageScript, pageStyle } from './page-assets.ts'
import { escapeHtml } from './python.ts'

/** The models of a database. */
export function indexPage({ models, modules }: IndexDocument, target: Target): string {
  const often = namesOfMost(models.map((model) => model.methods))
  const items = models.map((model) => {
    const own = model.methods.filter((name) => !often.has(name))
    const labels = Object.values(model.fields).map((field) => field.string)
    return [
      `<li data-words="${words([model.model, model.name, ...Object.keys(model.fields), ...labels, ...own])}">`,
      `<a href="/doc/${encodeURIComponent(model.model)}">${escapeHtml(model.name)}</a> <code>${escapeHtml(model.model)}</code>`,
      `<small>${Object.keys(model.fields).length} fields${own.length ? ` · ${own.map(escapeHtml).join(', ')}` : ''}</small></li>`,
    ].join('\n')
  })
  return page(`Models of ${target.database}`, [
    '<h1>Models</h1>',
    `<p>Database <b>${escapeHtml(target.database)}</b>, modules ${modules.map(escapeHtml).join(', ')}.`,
    'For programs: <a href="/doc/index.json">index.json</a>, and with a key <code>/x/1/openapi.json</code>.</p>',
    search('Search models, fields and methods'),
    `<ul class="models">${items.join('\n')}</ul>`,
  ])
}

/** One model. */
export function modelPage(model: ModelDocument, target: Target): string {
  const methods = Object.entries(model.methods)
  const own = methods.filter(([, method]) => method.module !== 'core')
  const core = methods.filter(([, method]) => method.module === 'core')
  const section = (title: string, list: typeof methods) =>
    list.length ? `<h2>${title}</h2>\n${list.map(([name, method]) => methodPart(model.model, name, method, target)).join('\n')}` : ''
  return page(`${model.name} (${model.model})`, [
    '<nav><a href="/doc">All models</a></nav>',
    `<h1>${escapeHtml(model.name)} <code>${escapeHtml(model.model)}</code></h1>`,
    `<p><a href="/doc/${encodeURIComponent(model.model)}.json">As JSON</a></p>`,
    search('Search fields and methods'),
    '<label class="scripted" hidden>API key to try calls with; it is kept in this page alone <input id="key" type="password" autocomplete="off"></label>',
    '<h2>Fields</h2>',
    fieldTable(model.fields),
    section('Methods', own),
    section('Methods of every model', core),
  ])
}

/** Why there is nothing to see. */
export function refusalPage(message: string): string {
  return page('Documentation', [
    '<h1>Documentation</h1>',
    `<p role="alert">${escapeHtml(message)}</p>`,
    '<p><a href="/doc">All models</a></p>',
  ])
}

function fieldTable(fields: ModelDocument['fields']): string {
  const rows = Object.entries(fields).map(([name, field]) => {
    const { string, type, relation, required, readonly, store, module, help, selection } = field as Readonly<Record<string, string | null>>
    const facts = [required && 'required', readonly && 'read-only', !store && 'not stored', module && `from ${module}`].filter(Boolean)
    const to = relation ? ` → <a href="/doc/${encodeURIComponent(relation)}">${escapeHtml(relation)}</a>` : ''
    const options = Array.isArray(selection) ? `<br><small>${selection.map(([key]) => escapeHtml(String(key))).join(', ')}</small>` : ''
    return [
      `<tr id="field-${escapeHtml(name)}" data-words="${words([name, String(string), String(type), relation ?? ''])}">`,
      `<td><a href="#field-${escapeHtml(name)}"><code>${escapeHtml(name)}</code></a></td><td>${escapeHtml(String(string))}</td>`,
      `<td>${escapeHtml(String(type))}${to}${options}</td>`,
      `<td>${escapeHtml(facts.join(', '))}${help ? `<br><small>${escapeHtml(help)}</small>` : ''}</td></tr>`,
    ].join('')
  })
  const head = ['Name', 'Label', 'Type', 'Notes'].map((title) => `<th scope="col">${title}</th>`).join('')
  return `<div class="wide" role="region" aria-label="Fields" tabindex="0"><table><thead><tr>${head}</tr></thead><tbody>${rows.join('\n')}</tbody></table></div>`
}

/** `doc` members of the document are HTML already: made by us, of escaped text. */
function methodPart(model: string, name: string, method: MethodDocument, target: Target): string {
  const path = `/json/2/${model}/${name}`
  const body = exampleBody(name, method)
  const parameters = Object.entries(method.parameters).map(([parameter, { annotation, doc, kind }]) => {
    const type = annotation ? `: ${escapeHtml(annotation)}` : ''
    return `<dt><code>${kind ? '**' : ''}${escapeHtml(parameter)}${type}</code></dt><dd>${doc ?? ''}</dd>`
  })
  const code = examples(target, { model, method: name, body }).map(
    (example) => `<h4>${example.language}</h4><pre tabindex="0">${escapeHtml(example.code)}</pre>`,
  )
  return [
    `<details id="method-${escapeHtml(name)}" data-words="${words([name])}"><summary><code><b>${escapeHtml(name)}</b>${escapeHtml(method.signature)}</code></summary>`,
    method.doc ?? '',
    method.api?.includes('model') ? '' : '<p>Works on records: give their <code>ids</code>.</p>',
    parameters.length ? `<dl>${parameters.join('')}</dl>` : '',
    method.return?.doc ?? '',
    code.join('\n'),
    `<form class="scripted" hidden data-path="${escapeHtml(path)}" data-database="${escapeHtml(target.database)}"><label>Body`,
    ` <textarea rows="4" spellcheck="false">${escapeHtml(JSON.stringify(body, null, 1))}</textarea></label><button>Try it</button><output></output></form>`,
    '</details>',
  ].join('\n')
}

function search(label: string): string {
  return `<label class="scripted" hidden>${label} (press /) <input id="search" type="search" autocomplete="off"></label>`
}

const words = (texts: readonly string[]): string => escapeHtml(texts.join(' ').toLowerCase())

/** Names that more than half of the lists have: methods of every model say nothing about one. */
function namesOfMost(lists: readonly (readonly string[])[]): Set<string> {
  const counts = new Map<string, number>()
  for (const name of lists.flat()) counts.set(name, (counts.get(name) ?? 0) + 1)
  return new Set([...counts].filter(([, count]) => count > lists.length / 2).map(([name]) => name))
}

function page(title: string, body: readonly string[]): string {
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">',
    `<title>${escapeHtml(title)}</title><style>${pageStyle}</style></head><body><main>`,
    ...body,
    `</main><script>${pageScript}</script></body></html>`,
  ].join('\n')
}
