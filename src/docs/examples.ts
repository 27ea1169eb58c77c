// Examples of calls for people to copy: curl, Python, JavaScript and TypeScript, for this server and this
// database.
import { type Html, html, joined } from '../kit/html.ts'

/** Where an example leads. */
export interface Target {
  /** Such as `https://shop.example.com`. */
  readonly origin: string
  readonly database: string
  /** Whether the server has the paths under /x/1. */
  readonly extensions: boolean
}

/** What is called. */
interface Shown {
  readonly model: string
  readonly method: string
  readonly body: Readonly<Record<string, unknown>>
}

interface Example {
  readonly language: string
  readonly code: string
}

/**
 * The same call in each language. The key is read from a variable, so that it stays out of files and
 * histories.
 */
function examples({ origin, database }: Target, { model, method, body }: Shown): Example[] {
  const url = `${origin}/json/2/${model}/${method}`
  const { ids, ...parameters } = body
  const json = JSON.stringify(body)
  return [
    {
      language: 'curl',
      code: [
        `curl ${shell(url)} \\`,
        '  -H "Authorization: bearer $API_KEY" \\',
        `  -H ${shell(`X-Service-Database: ${database}`)} \\`,
        "  -H 'Content-Type: application/json' \\",
        `  -d ${shell(json)}`,
      ].join('\n'),
    },
    {
      language: 'Python',
      code: [
        'import json, os, urllib.request',
        `headers = {"Authorization": "bearer " + os.environ["API_KEY"], "X-Service-Database": ${JSON.stringify(database)}, "Content-Type": "application/json"}`,
        `body = json.loads(${JSON.stringify(json)})`,
        `request = urllib.request.Request(${JSON.stringify(url)}, json.dumps(body).encode(), headers)`,
        'print(json.load(urllib.request.urlopen(request)))',
      ].join('\n'),
    },
    {
      language: 'JavaScript',
      code: [
        `const answer = await fetch(${JSON.stringify(url)}, {`,
        "  method: 'POST',",
        `  headers: { Authorization: \`bearer \${process.env.API_KEY}\`, 'X-Service-Database': ${JSON.stringify(database)}, 'Content-Type': 'application/json' },`,
        `  body: JSON.stringify(${json}),`,
        '})',
        'console.log(await answer.json())',
      ].join('\n'),
    },
    {
      language: 'TypeScript',
      code: [
        "import { createClient } from 'comptoir/client'",
        `const options = ${JSON.stringify({ url: origin, database })}`,
        "const client = createClient({ ...options, key: process.env.API_KEY ?? '' })",
        `const given = ${JSON.stringify(parameters)}`,
        `console.log(await client.model(${JSON.stringify(model)}).call(${JSON.stringify(method)}, given${ids ? `, { ids: ${JSON.stringify(ids)} }` : ''}))`,
      ].join('\n'),
    },
  ]
}

/** The call as a line for a shell. */
export function curlExample(target: Target, shown: Shown): string {
  return examples(target, shown)[0]?.code ?? ''
}

/** The same as HTML, one below the other, each under a heading of this level; a script makes tabs of them. */
export function exampleList(target: Target, shown: Shown, level: 3 | 4): Html {
  const parts = examples(target, shown).map(
    ({ language, code }) =>
      html`<section data-language="${language}"><h${level}>${language}</h${level}><pre>${code}</pre></section>`,
  )
  return html`<div class="examples">${joined(parts, '\n')}</div>`
}

/** A text as one word of a shell. */
function shell(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
