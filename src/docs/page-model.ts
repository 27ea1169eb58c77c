// The page `/doc/<model>` as HTML: fields in a table, methods with parameters, result and examples.
import { escapeHtml } from '../kit/html.ts'
import type { MethodDocument, ModelDocument } from './catalogue.ts'
import { exampleList, type Target } from './examples.ts'
import { type DocumentPage, docStart, modelPath, searchPlace } from './page.ts'
import type { DescribedModel } from './page-data.ts'

/** What people come for first, in the order in which they need it. */
const FIRST = ['search_read', 'create', 'read', 'write', 'unlink']

/** A part of the page, with its line in the contents. */
interface Part {
  readonly id: string
  readonly title: string
  readonly size: number
  readonly html: string
  /** Folded until somebody wants it. */
  readonly isFolded?: boolean
}

/** One model. */
export function modelPage(
  { document: model, bodies, needed, rules, example }: DescribedModel,
  target: Target,
): DocumentPage {
  const methods = Object.entries(model.methods)
  const listed = (list: typeof methods) =>
    list.map(([name, method]) => methodPart(model.model, name, method, bodies[name] ?? {}, target)).join('\n')
  const own = methods.filter(([, method]) => method.module !== 'core')
  const core = methods.filter(([, method]) => method.module === 'core')
  const first = FIRST.flatMap((name) => core.filter(([one]) => one === name))
  const rest = core.filter(([name]) => !FIRST.includes(name))
  const parts: Part[] = [
    {
      id: 'first',
      title: 'Find, create, read, write',
      size: first.length,
      html: needs(needed) + refusals(rules) + listed(first),
    },
    { id: 'record', title: 'A record', size: Object.keys(example).length, html: exampleRecord(example) },
    { id: 'methods', title: 'Methods of this model', size: own.length, html: listed(own) },
    {
      id: 'fields',
      title: 'Fields',
      size: Object.keys(model.fields).length,
      html: fieldTable(model.fields, needed ?? []),
    },
    {
      id: 'core-methods',
      title: 'Other methods of every model',
      size: rest.length,
      html: listed(rest),
      isFolded: true,
    },
  ]
  const shown = parts.filter(({ size }) => size > 0)
  return {
    title: `${model.name} (${model.model})`,
    html: [
      docStart(target, model.model),
      '<p><a href="/doc">All models</a></p>',
      `<h1>${escapeHtml(model.name)} <code>${escapeHtml(model.model)}</code></h1>`,
      searchPlace,
      '<div class="beside"><nav class="contents" aria-label="On this page">',
      ...shown.map(({ id, title, size }) => `<a href="#${id}">${title} <span class="tag">${size}</span></a>`),
      `<a href="${modelPath(model.model)}.json">As JSON</a></nav><div>`,
      ...shown.map(section),
      '</div></div></div>',
    ].join('\n'),
  }
}

function section({ id, title, html, isFolded }: Part): string {
  return isFolded
    ? `<details class="card" id="${id}"><summary><h2>${title}</h2></summary>${html}</details>`
    : `<section class="card" aria-labelledby="${id}"><h2 id="${id}">${title}</h2>${html}</section>`
}

/** What `create` must be sent; a default counts as sent. */
function needs(needed: DescribedModel['needed']): string {
  if (needed === null) return '<p class="faint">You may not create records of this model.</p>'
  const names = needed.map(
    (name) => `<a href="#field-${escapeHtml(name)}"><code>${escapeHtml(name)}</code></a>`,
  )
  const words =
    names.length === 0
      ? 'Nothing must be sent to create a record: what is required has a default.'
      : `To create a record you must send ${names.join(', ')}. Everything else has a default or may stay empty.`
  return `<p>${words}</p>`
}

function refusals(rules: DescribedModel['rules']): string {
  if (rules.length === 0) return ''
  const items = rules.map((rule) => `<li>${escapeHtml(rule)}</li>`)
  return `<details class="rules"><summary>What is refused <span class="tag">${rules.length}</span></summary><ul>${items.join('')}</ul></details>`
}

function exampleRecord(example: DescribedModel['example']): string {
  return `<p class="faint">As <code>search_read</code> and <code>read</code> give it: ids and names of links, ids of lines, <code>false</code> for what is not set.</p><pre>${escapeHtml(JSON.stringify(example, null, 2))}</pre>`
}

function fieldTable(fields: ModelDocument['fields'], needed: readonly string[]): string {
  const head = ['Name', 'Label', 'Type', 'Notes'].map((title) => `<th scope="col">${title}</th>`).join('')
  return `<table class="cards fields"><thead><tr>${head}</tr></thead><tbody>${Object.entries(fields)
    .map((entry) => fieldRow(entry, needed.includes(entry[0])))
    .join('\n')}</tbody></table>`
}

function fieldRow([name, field]: [string, Readonly<Record<string, unknown>>], isNeeded: boolean): string {
  const { string, type, relation, required, readonly, store, module, help, selection } = field as Readonly<
    Record<string, string | null>
  >
  const facts = [
    isNeeded ? 'must be sent' : required && 'required, has a value by itself',
    readonly && 'read-only',
    !store && 'not stored',
    module && `from ${module}`,
  ].filter(Boolean)
  const to = relation ? ` of <a href="${modelPath(relation)}">${escapeHtml(relation)}</a>` : ''
  const keys = Array.isArray(selection)
    ? (selection as unknown[][]).map(([key]) => `<code>${escapeHtml(String(key))}</code>`)
    : []
  const id = `field-${escapeHtml(name)}`
  return [
    `<tr id="${id}"><th scope="row"><a href="#${id}"><code>${escapeHtml(name)}</code></a></th>`,
    `<td data-label="Label"><span>${escapeHtml(String(string))}</span></td>`,
    `<td data-label="Type"><span>${escapeHtml(String(type))}${to}${keys.length ? `<small class="block">${keys.join(', ')}</small>` : ''}</span></td>`,
    `<td data-label="Notes"><span>${escapeHtml(facts.join(', '))}${help ? `<small class="faint block">${escapeHtml(help)}</small>` : ''}</span></td></tr>`,
  ].join('')
}

/** `doc` members of the document are HTML already: made by us, of escaped text. */
function methodPart(
  model: string,
  name: string,
  method: MethodDocument,
  body: DescribedModel['bodies'][string],
  target: Target,
): string {
  const readonly = method.api?.includes('readonly') ?? false
  const tags = [
    readonly ? 'reads only' : 'may change data',
    ...(method.module === 'core' ? [] : [`from ${method.module}`]),
  ]
  const id = `method-${escapeHtml(name)}`
  return [
    `<details class="method" id="${id}"><summary><h3><code><b>${escapeHtml(name)}</b>${escapeHtml(method.signature)}</code></h3></summary>`,
    `<p class="row">${tags.map((tag) => `<span class="tag">${escapeHtml(tag)}</span>`).join('')}<a href="#${id}">Link to this method</a></p>`,
    method.doc ?? '',
    parameterTable(method),
    `<p><b>Result:</b> ${method.return?.annotation ? `<code>${escapeHtml(method.return.annotation)}</code>` : 'any JSON'}</p>${method.return?.doc ?? ''}`,
    exampleList(target, { model, method: name, body }, 4),
    `<div class="try" data-method="${escapeHtml(name)}" data-body="${escapeHtml(JSON.stringify(body, null, 2))}"${readonly ? ' data-readonly' : ''}${method.api?.includes('model') ? '' : ' data-records'}></div></details>`,
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
  if (!api?.includes('model'))
    rows.unshift(parameterRow('ids', 'list[int]', '', '<p>The records that the method works on.</p>'))
  if (rows.length === 0) return '<p>It takes no parameters.</p>'
  const head = ['Parameter', 'Type', 'Default', 'Meaning']
    .map((title) => `<th scope="col">${title}</th>`)
    .join('')
  return `<table class="cards"><thead><tr>${head}</tr></thead><tbody>${rows.join('\n')}</tbody></table>`
}

function parameterRow(name: string, type: string, given: string, doc: string): string {
  const cells = [
    ['Type', `<code>${escapeHtml(type)}</code>`],
    ['Default', given],
    ['Meaning', doc],
  ].map(([label, html]) =>
    html ? `<td data-label="${label}"><div>${html}</div></td>` : '<td class="empty"></td>',
  )
  return `<tr><th scope="row"><code>${escapeHtml(name)}</code></th>${cells.join('')}</tr>`
}
