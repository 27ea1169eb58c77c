// The page `/doc/<model>` as HTML: fields in a table, methods with parameters, result and examples.
import { escapeHtml } from '../kit/html.ts'
import type { MethodDocument, ModelDocument } from './catalogue.ts'
import { exampleList, type Target } from './examples.ts'
import { type DocumentPage, docStart, modelPath, searchPlace } from './page.ts'
import type { DescribedModel } from './page-data.ts'

/** One model. */
export function modelPage({ document: model, bodies }: DescribedModel, target: Target): DocumentPage {
  const methods = Object.entries(model.methods)
  const listed = (list: typeof methods) =>
    list.map(([name, method]) => methodPart(model.model, name, method, bodies[name] ?? {}, target)).join('\n')
  const own = methods.filter(([, method]) => method.module !== 'core')
  const core = methods.filter(([, method]) => method.module === 'core')
  const parts = [
    { id: 'fields', title: 'Fields', size: Object.keys(model.fields).length, html: fieldTable(model.fields) },
    { id: 'methods', title: 'Methods', size: own.length, html: listed(own) },
    { id: 'core-methods', title: 'Methods of every model', size: core.length, html: listed(core) },
  ].filter(({ size }) => size > 0)
  return {
    title: `${model.name} (${model.model})`,
    html: [
      docStart(target, model.model),
      '<p><a href="/doc">All models</a></p>',
      `<h1>${escapeHtml(model.name)} <code>${escapeHtml(model.model)}</code></h1>`,
      searchPlace,
      `<nav class="row contents" aria-label="On this page">${parts.map(({ id, title, size }) => `<a href="#${id}">${title} <span class="tag">${size}</span></a>`).join('')}`,
      `<a href="${modelPath(model.model)}.json">As JSON</a></nav>`,
      ...parts.map(({ id, title, html }) => `<section class="card" aria-labelledby="${id}"><h2 id="${id}">${title}</h2>${html}</section>`),
      '</div>',
    ].join('\n'),
  }
}

function fieldTable(fields: ModelDocument['fields']): string {
  const head = ['Name', 'Label', 'Type', 'Notes'].map((title) => `<th scope="col">${title}</th>`).join('')
  return `<table class="cards fields"><thead><tr>${head}</tr></thead><tbody>${Object.entries(fields).map(fieldRow).join('\n')}</tbody></table>`
}

function fieldRow([name, field]: [string, Readonly<Record<string, unknown>>]): string {
  const { string, type, relation, required, readonly, store, module, help, selection } = field as Readonly<Record<string, string | null>>
  const facts = [required && 'required', readonly && 'read-only', !store && 'not stored', module && `from ${module}`].filter(Boolean)
  const to = relation ? ` of <a href="${modelPath(relation)}">${escapeHtml(relation)}</a>` : ''
  const keys = Array.isArray(selection) ? (selection as unknown[][]).map(([key]) => `<code>${escapeHtml(String(key))}</code>`) : []
  const id = `field-${escapeHtml(name)}`
  return [
    `<tr id="${id}"><th scope="row"><a href="#${id}"><code>${escapeHtml(name)}</code></a></th>`,
    `<td data-label="Label"><span>${escapeHtml(String(string))}</span></td>`,
    `<td data-label="Type"><span>${escapeHtml(String(type))}${to}${keys.length ? `<small class="block">${keys.join(', ')}</small>` : ''}</span></td>`,
    `<td data-label="Notes"><span>${escapeHtml(facts.join(', '))}${help ? `<small class="faint block">${escapeHtml(help)}</small>` : ''}</span></td></tr>`,
  ].join('')
}

/** `doc` members of the document are HTML already: made by us, of escaped text. */
function methodPart(model: string, name: string, method: MethodDocument, body: DescribedModel['bodies'][string], target: Target): string {
  const readonly = method.api?.includes('readonly') ?? false
  const tags = [readonly ? 'reads only' : 'may change data', ...(method.module === 'core' ? [] : [`from ${method.module}`])]
  const id = `method-${escapeHtml(name)}`
  return [
    `<details class="method" id="${id}"><summary><h3><code><b>${escapeHtml(name)}</b>${escapeHtml(method.signature)}</code></h3></summary>`,
    `<p class="row">${tags.map((tag) => `<span class="tag">${escapeHtml(tag)}</span>`).join('')}<a href="#${id}">Link to this method</a></p>`,
    method.doc ?? '',
    parameterTable(method),
    `<p><b>Result:</b> ${method.return?.annotation ? `<code>${escapeHtml(method.return.annotation)}</code>` : 'any JSON'}</p>${method.return?.doc ?? ''}`,
    exampleList(target, { model, method: name, body }, 4),
    `<div class="try" data-method="${escapeHtml(name)}" data-body="${escapeHtml(JSON.stringify(body, null, 2))}"${readonly ? ' data-readonly' : ''}></div></details>`,
  ].join('\n')
}

function parameterTable({ api, parameters }: MethodDocument): string {
  const rows = Object.entries(parameters).map(([name, { annotation, doc, kind, ...rest }]) => {
    const required = !kind && !('default' in rest)
    const given = required
      ? '<span class="tag">required</span>'
      : kind
        ? ''
        : `<code>${escapeHtml(JSON.stringify(rest.default ?? null))}</code>`
    return parameterRow(`${kind ? '**' : ''}${name}`, annotation ?? 'any', given, doc ?? '')
  })
  if (!api?.includes('model')) rows.unshift(parameterRow('ids', 'list[int]', '', '<p>The records that the method works on.</p>'))
  if (rows.length === 0) return '<p>It takes no parameters.</p>'
  const head = ['Parameter', 'Type', 'Default', 'Meaning'].map((title) => `<th scope="col">${title}</th>`).join('')
  return `<table class="cards"><thead><tr>${head}</tr></thead><tbody>${rows.join('\n')}</tbody></table>`
}

function parameterRow(name: string, type: string, given: string, doc: string): string {
  const cells = [
    ['Type', `<code>${escapeHtml(type)}</code>`],
    ['Default', given],
    ['Meaning', doc],
  ].map(([label, html]) => (html ? `<td data-label="${label}"><div>${html}</div></td>` : '<td class="empty"></td>'))
  return `<tr><th scope="row"><code>${escapeHtml(name)}</code></th>${cells.join('')}</tr>`
}
