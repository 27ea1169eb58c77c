// The page `/doc` of all models as HTML. It reads without a script; src/pages/doc adds the search.
import { type Html, html, joined } from '../kit/html.ts'
import type { ModelSummary } from './catalogue.ts'
import { exampleList, type PageTarget } from './examples.ts'
import { guidePath, guides } from './guides.ts'
import type { DescribedIndex } from './page-data.ts'

/** Title and content of a page. */
export interface DocumentPage {
  readonly title: string
  /** HTML of the main part. */
  readonly html: Html
}

/** The models of a database, in groups by what they are for; those that few look for are folded. */
export function indexPage(
  { document: { models, modules }, purposes }: DescribedIndex,
  target: PageTarget,
): DocumentPage {
  const often = namesOfMost(models.map((model) => model.methods))
  const items = new Map(models.map((model) => [model.model, modelItem(model, often)]))
  const groups = purposes.map(({ title, summary, models: names, isTechnical }, i) => {
    const about = summary ? html`<p class="faint">${summary}</p>` : ''
    const list = html`${about}<ul class="models">${joined(
      names.map((name) => items.get(name)),
      '\n',
    )}</ul>`
    const heading = html`<h3 id="purpose-${i}">${title} <span class="tag">${names.length}</span></h3>`
    return isTechnical
      ? html`<details class="purpose" id="technical"><summary>${heading}</summary>${list}</details>`
      : html`<section class="purpose" aria-labelledby="purpose-${i}">${heading}${list}</section>`
  })
  return {
    title: `Models of ${target.database}`,
    html: joined(
      [
        docStart(target),
        html`<h1>Documentation</h1>`,
        html`<p class="faint">Database <b>${target.database}</b>: ${count(models.length, 'model')} of the modules ${joined(modules, ', ')}.`,
        html`You see the models that your groups may read. <a href="#calls">How to call</a> · <a href="#guides">Guides</a></p>`,
        searchPlace,
        html`<section class="card" aria-labelledby="models"><h2 id="models">Models</h2>${joined(groups, '\n')}</section>`,
        guideList(),
        calls(target),
        html`</div>`,
      ],
      '\n',
    ),
  }
}

function guideList(): Html {
  const links = [...guides()].map(
    ([name, { title }]) => html`<li><a href="${guidePath(name)}">${title}</a></li>`,
  )
  return html`<section class="card" aria-labelledby="guides"><h2 id="guides">Guides</h2><ul class="models">${links}</ul></section>`
}

function modelItem({ model, name, fields, methods }: ModelSummary, often: ReadonlySet<string>): Html {
  const modelMethods = methods.filter((method) => !often.has(method)).length
  const facts = [
    count(Object.keys(fields).length, 'field'),
    ...(modelMethods ? [count(modelMethods, 'own method')] : []),
  ].join(', ')
  return html`<li><a href="${modelPath(model)}"><b>${name}</b> <code>${model}</code></a> <small class="faint">${facts}</small></li>`
}

/** Explains how to call a method, for first-time readers. */
function calls(target: PageTarget): Html {
  const { origin, database, extensions } = target
  const types = `npx comptoir types --url ${origin} --database ${database} --out models.ts`
  return joined(
    [
      html`<section class="card" aria-labelledby="calls"><h2 id="calls">How to call</h2>`,
      html`<p>Every method is <code>POST /json/2/&lt;model&gt;/&lt;method&gt;</code> with an <a href="/web/account">API key</a> and a JSON object of named parameters;`,
      html`<code>ids</code> are the records it works on. One call is one transaction. An error has a status of 400 or more, a <code>name</code> for programs and a <code>message</code> for people.</p>`,
      exampleList(target, { model: 'res.users', method: 'context_get', body: {} }, 3),
      html`<p class="faint">For programs: <a href="/doc/index.json">the models as JSON</a>;`,
      extensions ? html`with a key <code>/x/1/openapi.json</code>, the whole as OpenAPI 3.1;` : '',
      html`for the typed client <code>${types}</code>.</p></section>`,
    ],
    '\n',
  )
}

/** Why there is nothing to see. */
export function refusalPage(message: string): DocumentPage {
  const page = html`<h1>Documentation</h1><p class="notice bad" role="alert">${message}</p><p><a href="/doc">All models</a></p>`
  return { title: 'Documentation', html: page }
}

/** The start of what scripts work in: they read from it where calls go. */
export function docStart({ origin, database, dryRuns }: PageTarget, model = ''): Html {
  return html`<div id="doc" data-origin="${origin}" data-database="${database}" data-model="${model}"${dryRuns ? html` data-dry-runs` : ''}>`
}

/** Where the script puts the search. */
export const searchPlace = html`<div id="search"></div>`

/** Address of a model's page. */
export const modelPath = (model: string): string => `/doc/${encodeURIComponent(model)}`

/** `1 field`, `2 fields`. */
export function count(n: number, what: string): string {
  return `${n} ${what}${n === 1 ? '' : 's'}`
}

/** Names that more than half of the lists have: methods of every model say nothing about one. */
function namesOfMost(lists: readonly (readonly string[])[]): Set<string> {
  const counts = new Map<string, number>()
  for (const name of lists.flat()) counts.set(name, (counts.get(name) ?? 0) + 1)
  return new Set([...counts].filter(([, times]) => times > lists.length / 2).map(([name]) => name))
}
