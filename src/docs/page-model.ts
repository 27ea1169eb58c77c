// The page `/doc/<model>` as HTML: fields in a table, methods with parameters, result and examples.
import { type Html, type HtmlValue, html, joined, raw } from '../kit/html.ts'
import type { MethodDocument, ModelDocument } from './catalogue.ts'
import { exampleList, type PageTarget } from './examples.ts'
import { jsonType } from './json-types.ts'
import { type DocumentPage, docStart, modelPath, searchPlace } from './page.ts'
import type { DescribedModel } from './page-data.ts'
import { meaningOf } from './parameter-meanings.ts'

/** Methods that readers look for first, in the order in which they need them. */
const FIRST = ['search_read', 'create', 'read', 'write', 'unlink']

/** A part of the page, with its line in the contents. */
interface Part {
  readonly id: string
  readonly title: string
  readonly size: number
  readonly html: Html
  /** Folded until it is opened. */
  readonly isFolded?: boolean
}

/** One model. */
export function modelPage(
  { document: model, bodies, needed, rules, example }: DescribedModel,
  target: PageTarget,
): DocumentPage {
  const methods = Object.entries(model.methods)
  const listed = (list: typeof methods) =>
    joined(
      list.map(([name, method]) => methodPart(model.model, name, method, bodies[name] ?? {}, target)),
      '\n',
    )
  const modelMethods = methods.filter(([, method]) => method.module !== 'core')
  const core = methods.filter(([, method]) => method.module === 'core')
  const first = FIRST.flatMap((name) => core.filter(([methodName]) => methodName === name))
  const rest = core.filter(([name]) => !FIRST.includes(name))
  const parts: Part[] = [
    {
      id: 'first',
      title: 'Find, create, read, write',
      size: first.length,
      html: html`${[needs(needed), refusals(rules), listed(first)]}`,
    },
    { id: 'record', title: 'A record', size: Object.keys(example).length, html: exampleRecord(example) },
    { id: 'methods', title: 'Methods of this model', size: modelMethods.length, html: listed(modelMethods) },
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
    html: joined(
      [
        docStart(target, model.model),
        html`<p><a href="/doc">All models</a></p>`,
        html`<h1>${model.name} <code>${model.model}</code></h1>`,
        searchPlace,
        html`<div class="columns"><nav class="contents" aria-label="On this page">`,
        ...shown.map(
          ({ id, title, size }) => html`<a href="#${id}">${title} <span class="tag">${size}</span></a>`,
        ),
        html`<a href="${modelPath(model.model)}.json">As JSON</a></nav><div>`,
        ...shown.map(section),
        html`</div></div></div>`,
      ],
      '\n',
    ),
  }
}

function section({ id, title, html: inner, isFolded }: Part): Html {
  return isFolded
    ? html`<details class="card" id="${id}"><summary><h2>${title}</h2></summary>${inner}</details>`
    : html`<section class="card" aria-labelledby="${id}"><h2 id="${id}">${title}</h2>${inner}</section>`
}

/** Values that `create` requires; fields with a default are not among them. */
function needs(needed: DescribedModel['needed']): Html {
  if (needed === null) return html`<p class="faint">You may not create records of this model.</p>`
  const names = needed.map((name) => html`<a href="#field-${name}"><code>${name}</code></a>`)
  const words =
    names.length === 0
      ? 'No field is required to create a record: required fields have defaults.'
      : html`To create a record you must send ${joined(names, ', ')}. Everything else has a default or may stay empty.`
  return html`<p>${words}</p>`
}

function refusals(rules: DescribedModel['rules']): Html {
  if (rules.length === 0) return html``
  const items = rules.map((rule) => html`<li>${rule}</li>`)
  return html`<details class="rules"><summary>Constraints <span class="tag">${rules.length}</span></summary><ul>${items}</ul></details>`
}

function exampleRecord(example: DescribedModel['example']): Html {
  return html`<p class="faint">As <code>search_read</code> and <code>read</code> return it: relations as id and name, lines as ids, empty values as <code>false</code>.</p><pre>${JSON.stringify(example, null, 2)}</pre>`
}

function fieldTable(fields: ModelDocument['fields'], needed: readonly string[]): Html {
  const head = ['Name', 'Label', 'Type', 'Notes'].map((title) => html`<th scope="col">${title}</th>`)
  return html`<table class="cards fields"><thead><tr>${head}</tr></thead><tbody>${joined(
    Object.entries(fields).map((entry) => fieldRow(entry, needed.includes(entry[0]))),
    '\n',
  )}</tbody></table>`
}

function fieldRow([name, field]: [string, Readonly<Record<string, unknown>>], isNeeded: boolean): Html {
  const { string, type, relation, required, readonly, store, module, help, selection } = field as Readonly<
    Record<string, string | null>
  >
  const facts = [
    isNeeded ? 'must be sent' : required && 'required, has a default',
    readonly && 'read-only',
    !store && 'not stored',
    module && `from ${module}`,
  ].filter(Boolean)
  const to = relation ? html` of <a href="${modelPath(relation)}">${relation}</a>` : ''
  const keys = Array.isArray(selection)
    ? (selection as unknown[][]).map(([key]) => html`<code>${String(key)}</code>`)
    : []
  const id = `field-${name}`
  return html`${[
    html`<tr id="${id}"><th scope="row"><a href="#${id}"><code>${name}</code></a></th>`,
    html`<td data-label="Label"><span>${String(string)}</span></td>`,
    html`<td data-label="Type"><span>${String(type)}${to}${keys.length > 0 && html`<small class="block">${joined(keys, ', ')}</small>`}</span></td>`,
    html`<td data-label="Notes"><span>${facts.join(', ')}${help ? html`<small class="faint block">${help}</small>` : ''}</span></td></tr>`,
  ]}`
}

/** `doc` members of the document are HTML already: made by us, of escaped text. */
function methodPart(
  model: string,
  name: string,
  method: MethodDocument,
  body: DescribedModel['bodies'][string],
  target: PageTarget,
): Html {
  const readonly = method.api?.includes('readonly') ?? false
  const tags = [
    readonly ? 'reads only' : 'may change data',
    ...(method.module === 'core' ? [] : [`from ${method.module}`]),
  ]
  const id = `method-${name}`
  return joined(
    [
      html`<details class="method" id="${id}"><summary><h3><code><b>${name}</b>${parameterNames(method)}</code></h3></summary>`,
      html`<p class="row">${tags.map((tag) => html`<span class="tag">${tag}</span>`)}<a href="#${id}">Link to this method</a></p>`,
      raw(method.doc ?? ''),
      parameterTable(method),
      html`<p><b>Result:</b> ${method.return?.annotation ? html`<code>${jsonType(method.return.annotation)}</code>` : 'any JSON'}</p>${raw(method.return?.doc ?? '')}`,
      exampleList(target, { model, method: name, body }, 4),
      html`<div class="try" data-method="${name}" data-body="${JSON.stringify(body, null, 2)}"${readonly ? ' data-readonly' : ''}${method.api?.includes('model') ? '' : ' data-records'}></div></details>`,
    ],
    '\n',
  )
}

/** `(domain, fields?, limit?)`: what may be left out has a question mark. */
function parameterNames({ parameters }: MethodDocument): string {
  const names = Object.entries(parameters).map(([name, { kind, ...rest }]) =>
    kind ? `…${name}` : 'default' in rest ? `${name}?` : name,
  )
  return `(${names.join(', ')})`
}

function parameterTable({ api, parameters }: MethodDocument): Html {
  const rows = Object.entries(parameters).map(([name, { annotation, doc, kind, ...rest }]) => {
    const required = !kind && !('default' in rest)
    const fallback = required
      ? html`<span class="tag">required</span>`
      : kind
        ? ''
        : html`<code>${JSON.stringify(rest.default ?? null)}</code>`
    const meaning = meaningOf(name) ?? (doc && raw(doc))
    return parameterRow(`${kind ? '…' : ''}${name}`, jsonType(annotation), fallback, meaning)
  })
  if (!api?.includes('model'))
    rows.unshift(
      parameterRow('ids', 'array of integers', '', html`<p>The records that the method works on.</p>`),
    )
  if (!Object.hasOwn(parameters, 'context'))
    rows.push(parameterRow('context', 'object', html`<code>{}</code>`, meaningOf('context')))
  const head = ['Parameter', 'Type', 'Default', 'Meaning'].map((title) => html`<th scope="col">${title}</th>`)
  return html`<table class="cards"><thead><tr>${head}</tr></thead><tbody>${joined(rows, '\n')}</tbody></table>`
}

function parameterRow(name: string, type: string, fallback: HtmlValue, doc: HtmlValue): Html {
  const facts: readonly (readonly [string, HtmlValue])[] = [
    ['Type', html`<code>${type}</code>`],
    ['Default', fallback],
    ['Meaning', doc],
  ]
  const cells = facts.map(([label, inner]) =>
    inner ? html`<td data-label="${label}"><div>${inner}</div></td>` : html`<td class="empty"></td>`,
  )
  return html`<tr><th scope="row"><code>${name}</code></th>${cells}</tr>`
}
