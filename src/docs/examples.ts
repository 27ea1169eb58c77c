// Examples of calls for people to copy: curl, Python, JavaScript and TypeScript, for this server and this database.
import type { MethodDocument } from './catalogue.ts'

/** Where an example leads. */
export interface Target {
  /** Such as `https://shop.example.com`. */
  readonly origin: string
  readonly database: string
}

/** What is called. */
interface Shown {
  readonly model: string
  readonly method: string
  readonly body: Readonly<Record<string, unknown>>
}

export interface Example {
  readonly language: string
  readonly code: string
}

/** A body that the method takes: ids where it works on records, and the parameters that must be given. */
export function exampleBody(name: string, { api = [], parameters }: MethodDocument): Record<string, unknown> {
  const body: Record<string, unknown> = api.includes('model') ? {} : { ids: [1] }
  for (const [parameter, { annotation = '', kind, ...rest }] of Object.entries(parameters)) {
    if (!kind && !('default' in rest)) body[parameter] = placeholder(annotation)
  }
  if (name === 'search_read') Object.assign(body, { domain: [], fields: ['display_name'], limit: 10 })
  if (name === 'read') body.fields = ['display_name']
  return body
}

const placeholders: readonly (readonly [RegExp, unknown])[] = [
  [/^DomainType|^list|^tuple/, []],
  [/^ValuesType|^dict/, {}],
  [/^str/, ''],
  [/^int/, 1],
  [/^float/, 1.5],
  [/^bool/, true],
]

function placeholder(annotation: string): unknown {
  return placeholders.find(([pattern]) => pattern.test(annotation))?.[1] ?? null
}

/** The same call in each language. The key is read from a variable, so that it stays out of files and histories. */
export function examples({ origin, database }: Target, { model, method, body }: Shown): Example[] {
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
        "import { connect } from 'comptoir/client'",
        `const options = ${JSON.stringify({ url: origin, database })}`,
        "const client = connect({ ...options, key: process.env.API_KEY ?? '' })",
        `const given = ${JSON.stringify(parameters)}`,
        `console.log(await client.model(${JSON.stringify(model)}).call(${JSON.stringify(method)}, given${ids ? `, { ids: ${JSON.stringify(ids)} }` : ''}))`,
      ].join('\n'),
    },
  ]
}

/** A text as one word of a shell. */
function shell(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
