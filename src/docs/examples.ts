// Examples of calls for people to copy: curl, Python, TypeScript and PHP, for this server and this database.
import { type Html, html, joined } from '../kit/html.ts'
import { literal as python } from './python.ts'
import { quoted } from './types/typescript.ts'

/** The destination of an example's call. */
export interface Target {
  /** Such as `https://shop.example.com`. */
  readonly origin: string
  readonly database: string
  /** Whether the server has the paths under /x/1. */
  readonly extensions: boolean
}

/** The destination of the links and calls of a page. */
export interface PageTarget extends Target {
  /** Whether the server supports dry runs. */
  readonly dryRuns: boolean
}

/** The call of an example. */
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
 * The same call in each language. The key is read from a variable, so that it does not get into files
 * and shell histories.
 */
function examples(target: Target, shown: Shown): Example[] {
  return [
    { language: 'curl', code: inCurl(target, shown) },
    { language: 'Python', code: inPython(target, shown) },
    { language: 'TypeScript', code: inTypeScript(target, shown) },
    { language: 'PHP', code: inPhp(target, shown) },
  ]
}

const urlOf = ({ origin }: Target, { model, method }: Shown) => `${origin}/json/2/${model}/${method}`

const inCurl = (target: Target, shown: Shown): string =>
  [
    `curl ${shell(urlOf(target, shown))} \\`,
    '  -H "Authorization: bearer $API_KEY" \\',
    `  -H ${shell(`X-Service-Database: ${target.database}`)} \\`,
    "  -H 'Content-Type: application/json' \\",
    `  -d ${shell(JSON.stringify(shown.body))}`,
  ].join('\n')

const inPython = (target: Target, shown: Shown): string =>
  [
    'import os',
    'import requests',
    '',
    'response = requests.post(',
    `    ${python(urlOf(target, shown))},`,
    '    headers={',
    '        "Authorization": f"bearer {os.environ[\'API_KEY\']}",',
    `        "X-Service-Database": ${python(target.database)},`,
    '    },',
    `    json=${python(shown.body)},`,
    '    timeout=30,',
    ')',
    'response.raise_for_status()',
    'print(response.json())',
  ].join('\n')

function inTypeScript({ origin, database }: Target, shown: Shown): string {
  return [
    "import { createClient } from 'comptoir/client'",
    `// npx comptoir types --url ${origin} --database ${database} --out models.ts`,
    "import type { Models } from './models.ts'",
    '',
    `const client = createClient<Models>({ url: ${quoted(origin)}, database: ${quoted(database)}, key: process.env.API_KEY ?? '' })`,
    `console.log(await client.model(${quoted(shown.model)}).${typedCall(shown)})`,
  ].join('\n')
}

/** The call by the client's typed method, or by the method's name. */
function typedCall({ method, body: { ids, ...named } }: Shown): string {
  const records = Array.isArray(ids) && ids.length === 1 ? ids[0] : ids
  const rest = Object.keys(named).length > 0 ? [named] : []
  const list = (...values: readonly unknown[]) => `(${values.map(typescript).join(', ')})`
  switch (method) {
    case 'search':
      return `search${list(named)}`
    case 'search_count':
      return `searchCount${list(named)}`
    case 'search_read':
      return `searchRead${list(named)}`
    case 'read':
      return `read${list(records, ...rest)}`
    case 'create': {
      const values = named.vals_list
      return `create${list(Array.isArray(values) && values.length === 1 ? values[0] : values)}`
    }
    case 'write':
      return `write${list(records, named.vals)}`
    case 'unlink':
      return `unlink${list(records)}`
    default:
      return `call${list(method, ...(ids === undefined ? rest : [named, { ids }]))}`
  }
}

/** A value in TypeScript syntax. */
function typescript(value: unknown): string {
  if (typeof value === 'string') return quoted(value)
  if (Array.isArray(value)) return `[${value.map(typescript).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).map(
    ([name, held]) => `${/^[A-Za-z_$][\w$]*$/.test(name) ? name : quoted(name)}: ${typescript(held)}`,
  )
  return members.length > 0 ? `{ ${members.join(', ')} }` : '{}'
}

const inPhp = (target: Target, shown: Shown): string =>
  [
    '<?php',
    '$options = [',
    "    'method' => 'POST',",
    "    'header' => [",
    "        'Authorization: bearer ' . getenv('API_KEY'),",
    `        ${php(`X-Service-Database: ${target.database}`)},`,
    "        'Content-Type: application/json',",
    '    ],',
    `    'content' => json_encode(${php(shown.body)}),`,
    "    'ignore_errors' => true,",
    '];',
    `$answer = file_get_contents(${php(urlOf(target, shown))}, false, stream_context_create(['http' => $options]));`,
    'print_r(json_decode($answer, true));',
  ].join('\n')

/** A value in PHP syntax, from which `json_encode` produces the same JSON. */
function php(value: unknown): string {
  if (typeof value === 'string') return `'${value.replaceAll(/[\\']/g, '\\$&')}'`
  if (Array.isArray(value)) return `[${value.map(php).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).map(([name, held]) => `${php(name)} => ${php(held)}`)
  return members.length > 0 ? `[${members.join(', ')}]` : 'new stdClass()'
}

/** The call as a shell command. */
export function curlExample(target: Target, shown: Shown): string {
  return examples(target, shown)[0]?.code ?? ''
}

/**
 * The same as HTML, one below the other, each under a heading of this level. A script turns them into
 * tabs.
 */
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
