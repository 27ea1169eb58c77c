// OpenAPI for programs: the rules of `npx @redocly/cli lint`, examples that match their schemas, and
// the size of the document.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { createServer, modules, type Server } from '../../src/main.ts'
import { createKey } from '../../src/services/admin.ts'
import { openTestDatabase, type TestDatabase } from '../support/databases.ts'

interface Media {
  readonly schema: object
  readonly example?: unknown
}
type Content = Readonly<Record<'application/json', Media>>
interface Part {
  readonly $ref?: string
  readonly description?: string
  readonly content?: Content
}
interface Operation {
  readonly operationId: string
  readonly summary?: string
  readonly tags: readonly string[]
  readonly requestBody?: Part
  readonly responses: Readonly<Record<string, Part>>
}
/** The operations of a path, by the methods of HTTP. */
type Item = Readonly<Partial<Record<'get' | 'post' | 'delete', Operation>>>
const operationsOf = (item: Item): Operation[] =>
  [item.get, item.post, item.delete].filter((operation) => operation !== undefined)
interface Document {
  readonly info: {
    readonly description: string
    readonly license: { readonly name: string; readonly identifier: string }
  }
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly security: readonly object[]
  readonly paths: Readonly<Record<string, Item>>
  readonly components: Readonly<
    Record<'schemas' | 'requestBodies' | 'responses', Readonly<Record<string, object>>>
  >
}

let data: TestDatabase
let server: Server
let key = ''
const texts = new Map<string, string>()

before(async () => {
  data = await openTestDatabase(modules)
  server = await createServer({ databases: data.databases })
  key = await createKey(data.databases, 'test', 'admin', { scope: null, name: 'test', days: 1 })
  for (const query of ['', '?model=*', '?model=sale.order,res.partner', '?module=uom']) {
    const answer = await server.app.inject({
      method: 'GET',
      url: `/x/1/openapi.json${query}`,
      headers: { authorization: `bearer ${key}` },
    })
    assert.equal(answer.statusCode, 200, answer.body)
    texts.set(query, answer.body)
  }
})
after(async () => {
  await server?.close()
  await data?.close()
})

const document = (query: string): Document => JSON.parse(String(texts.get(query)))
const modelsOf = ({ paths }: Document) =>
  new Set(Object.keys(paths).flatMap((path) => (path.startsWith('/json/2/') ? [path.split('/')[3]] : [])))

test('OpenAPI: by default describes what most programs need, and how to get the rest', () => {
  const [small, all, some] = [document(''), document('?model=*'), document('?model=sale.order,res.partner')]
  for (const path of [
    'sale.order/action_confirm',
    'sale.order/create',
    'res.partner/search_read',
    'product.template/write',
    'uom.uom/read',
  ])
    assert.ok(small.paths[`/json/2/${path}`], path)
  for (const path of ['sale.order/onchange', 'ir.cron/search_read', 'ir.model.data/create']) {
    assert.equal(small.paths[`/json/2/${path}`], undefined, path)
    assert.ok(all.paths[`/json/2/${path}`], path)
  }
  assert.deepEqual([...modelsOf(some)], ['res.partner', 'sale.order'])
  assert.ok(some.paths['/json/2/sale.order/onchange'], 'a model that was asked for is told as a whole')
  assert.match(small.info.description, /\?model=res\.partner,sale\.order.*\?module=sale.*\?model=\*/)
  assert.doesNotMatch(all.info.description, /\?model=/)
  assert.ok(String(texts.get('')).length * 3.25 < String(texts.get('?model=*')).length)
})

for (const query of ['', '?model=*', '?model=sale.order,res.partner', '?module=uom'])
  test(`OpenAPI: the document of "${query}" has a licence, descriptions, summaries, and nothing unused`, () => {
    const openapi = document(query)
    assert.deepEqual(openapi.info.license, { name: 'MIT', identifier: 'MIT' })
    assert.ok(openapi.security.length > 0)
    for (const { name, description } of openapi.tags) assert.ok(description.length > name.length, name)
    const tags = new Set(openapi.tags.map(({ name }) => name))
    const operations = Object.values(openapi.paths).flatMap(operationsOf)
    const posts = new Set(Object.values(openapi.paths).map(({ post }) => post))
    assert.equal(new Set(operations.map(({ operationId }) => operationId)).size, operations.length)
    const { requestBodies, responses } = openapi.components as unknown as Record<string, Record<string, Part>>
    const partOf = (part: Part | undefined, parts: Record<string, Part> | undefined): Part | undefined =>
      part?.$ref ? parts?.[part.$ref.split('/').at(-1) ?? ''] : part
    for (const operation of operations) {
      const { operationId, summary, tags: operationTags, requestBody, responses: answers } = operation
      assert.ok(summary, `${operationId} has no summary`)
      assert.ok(operationTags.every((tag) => tags.has(tag)))
      if (posts.has(operation)) {
        const body = partOf(requestBody, requestBodies)
        assert.ok(body?.description, `${operationId}: the body has no description`)
        assert.ok((answers[200] ?? answers[201] ?? answers[202]) && answers[422], operationId)
      }
      for (const answer of Object.values(answers))
        assert.ok(partOf(answer, responses)?.description, `${operationId}: an answer has no description`)
    }
    const text = String(texts.get(query))
    for (const [kind, parts] of Object.entries(openapi.components))
      for (const name of kind === 'securitySchemes' ? [] : Object.keys(parts))
        assert.ok(text.includes(`"#/components/${kind}/${name}"`), `nothing refers to ${kind}/${name}`)
  })

test('OpenAPI: every example matches its schema, examples of schemas included', () => {
  const { paths, components } = document('?model=*')
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  ajv.addSchema({ $id: 'api', components })
  const whole = (schema: object): object => JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"api#/'))
  const wrong: string[] = []
  const judge = (where: string, schema: object, example: unknown) => {
    if (!ajv.validate(whole(schema), example))
      wrong.push(`${where}: ${JSON.stringify(example)} ${ajv.errorsText()}`)
  }
  const judgeMedia = (where: string, { content }: Part) => {
    const { schema, example } = content?.['application/json'] ?? {}
    if (schema && example !== undefined) judge(where, schema, example)
  }
  for (const [path, item] of Object.entries(paths))
    for (const { requestBody, responses } of operationsOf(item)) {
      judgeMedia(`${path} body`, requestBody ?? {})
      judgeMedia(`${path} answer`, responses[200] ?? {})
    }
  for (const kind of ['requestBodies', 'responses'] as const)
    for (const [name, part] of Object.entries(components[kind])) judgeMedia(`${kind}/${name}`, part as Part)
  for (const [name, schema] of Object.entries(components.schemas))
    for (const example of (schema as { examples?: unknown[] }).examples ?? [])
      judge(`schemas/${name}`, { $ref: `#/components/schemas/${name}` }, example)
  assert.deepEqual(wrong, [])
})

test('links are shown as they are: id and name when read, an id when written', () => {
  const { paths } = document('')
  const order = (method: string) => paths[`/json/2/sale.order/${method}`]?.post
  const example = (part: Part | undefined) => part?.content?.['application/json'].example
  assert.deepEqual(example(order('search_read')?.requestBody), {
    domain: [],
    fields: ['name', 'partner_id'],
    limit: 10,
  })
  assert.deepEqual(example(order('search_read')?.responses[200]), [
    { id: 1, name: 'Order Reference', partner_id: [1, 'Contact'] },
  ])
  assert.deepEqual(example(order('create')?.requestBody), { vals_list: [{ partner_id: 1 }] })
})

test('OpenAPI: paths other than calls are described with their headers', () => {
  const paths = document('').paths as unknown as Record<
    string,
    Record<string, { readonly parameters?: readonly { readonly $ref?: string }[] }>
  >
  const headersOf = (path: string, verb: string) =>
    (paths[path]?.[verb]?.parameters ?? []).flatMap(({ $ref }) => $ref?.split('/').at(-1) ?? [])
  assert.deepEqual(headersOf('/x/1/webhooks/{id}', 'patch'), ['IdempotencyKey', 'Prefer', 'IfMatch'])
  assert.deepEqual(headersOf('/x/1/webhooks/{id}', 'get'), [])
  assert.deepEqual(headersOf('/x/1/export', 'get'), ['Prefer'])
  assert.deepEqual(headersOf('/x/1/changes', 'get'), ['Prefer'])
  assert.deepEqual(headersOf('/x/1/changes', 'post'), ['Prefer'])
  assert.deepEqual(headersOf('/x/1/bulk/{model}', 'post'), ['IdempotencyKey'])
})
