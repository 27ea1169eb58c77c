// Documentation of a live database: OpenAPI that validates, tags that change with it, and nothing that
// the caller may not see.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { Validator } from '@seriousme/openapi-schema-validator'
import { noExtension } from '../../src/config/index.ts'
import { createServer, modules, type Server } from '../../src/main.ts'
import { createKey } from '../../src/services/admin.ts'
import { byName } from '../support/by-name.ts'
import { openTestDatabase, type TestDatabase } from '../support/databases.ts'
import { root } from '../support/serve.ts'

const run = promisify(execFile)

interface Schema {
  readonly properties: Record<string, unknown>
  readonly required?: string[]
}
interface OpenApi {
  readonly paths: Record<string, unknown>
  readonly components: { readonly schemas: Record<string, Schema>; readonly securitySchemes: object }
}

let data: TestDatabase
let server: Server
const keys = { admin: '', clerk: '' }

before(async () => {
  data = await openTestDatabase(modules)
  server = await createServer({ databases: data.databases })
  const role = await data.run((env) => env.ref('base.group_user'))
  const clerk = { name: 'Clerk', login: 'clerk', group_ids: [[6, 0, [role]]] } as const
  await data.run((env) => env.model('res.users').create([clerk]))
  for (const login of ['admin', 'clerk'] as const)
    keys[login] = await createKey(data.databases, 'test', login, { scope: null, name: 'test', days: 1 })
})
after(async () => {
  await server?.close()
  await data?.close()
})

const get = (url: string, who: keyof typeof keys = 'admin', headers: Record<string, string> = {}) =>
  server.app.inject({ method: 'GET', url, headers: { authorization: `bearer ${keys[who]}`, ...headers } })
const openApi = async (who: keyof typeof keys, query = ''): Promise<OpenApi> =>
  (await get(`/x/1/openapi.json${query}`, who)).json()

test('OpenAPI: the document is valid', async () => {
  const document = await openApi('admin')
  const validator = new Validator()
  const { valid, errors } = await validator.validate({ ...document })
  assert.ok(valid, JSON.stringify(errors)?.slice(0, 2000))
  assert.equal(validator.version, '3.1')
  assert.ok(document.paths['/json/2/res.partner/search_read'])
  assert.deepEqual(Object.keys(document.components.securitySchemes), ['key', 'database'])
})

test('shapes: all to read, what takes values to write, and what is needed to create', async () => {
  const { schemas } = (await openApi('admin', '?model=res.partner.category')).components
  const shape = (kind: string) => schemas[`res.partner.category.${kind}`] as Schema
  assert.ok('display_name' in shape('read').properties)
  assert.ok(!('display_name' in shape('write').properties))
  assert.ok('name' in shape('write').properties)
  assert.deepEqual(shape('create').required, ['name'])
  assert.equal(schemas['res.partner.read'], undefined)
})

interface Content {
  readonly schema: { readonly required?: string[]; readonly properties: object }
  readonly example: Record<string, unknown>
}
type Bodies = Record<string, { content: { 'application/json'?: Content } }>

test('OpenAPI: every operation has an example body with all required and no unknown members', async () => {
  const { paths, components } = (await openApi('admin')) as unknown as {
    paths: Record<string, { post?: { requestBody: { $ref?: string } & Bodies[string] } }>
    components: { requestBodies: Bodies }
  }
  for (const [path, { post }] of Object.entries(paths)) {
    if (!post) continue
    const shared = post.requestBody.$ref?.split('/').at(-1)
    const { content } = (shared ? components.requestBodies[shared] : post.requestBody) as Bodies[string]
    // Rows in lines have no members.
    const json = content['application/json']
    if (!json) continue
    const { schema, example } = json
    assert.deepEqual(
      (schema.required ?? []).filter((name) => !(name in example)),
      [],
      path,
    )
    assert.deepEqual(
      Object.keys(example).filter((name) => !(name in schema.properties)),
      [],
      path,
    )
  }
})

test('documentation: the examples of a model run, one after the other', async () => {
  const { paths } = (await openApi('admin', '?model=res.bank')) as unknown as {
    paths: Record<string, { post: { requestBody: Bodies[string] } }>
  }
  for (const method of ['create', 'write', 'read', 'search_read']) {
    const url = `/json/2/res.bank/${method}`
    const payload = paths[url]?.post.requestBody.content['application/json']?.example
    const headers = { authorization: `bearer ${keys.admin}`, 'content-type': 'application/json' }
    const answer = await server.app.inject({ method: 'POST', url, headers, payload: JSON.stringify(payload) })
    assert.equal(answer.statusCode, 200, `${method}: ${answer.body}`)
  }
})

test('documentation: every reference of a selection resolves', async () => {
  const text = (await get('/x/1/openapi.json?model=res.users,res.bank')).body
  const document = JSON.parse(text) as OpenApi
  const references = new Set(
    [...text.matchAll(/"\$ref":"#\/components\/([^"]+)"/g)].map((match) => match[1] as string),
  )
  assert.ok(references.size > 20)
  for (const reference of references) {
    const [kind = '', name = ''] = reference.split('/')
    assert.ok(
      (document.components as unknown as Record<string, Record<string, unknown>>)[kind]?.[name],
      reference,
    )
  }
})

test('documentation: a clerk sees only permitted models and operations', async () => {
  const { paths, components } = await openApi('clerk')
  assert.ok(paths['/json/2/res.partner/search_read'])
  assert.equal(paths['/json/2/ir.rule/search_read'], undefined)
  assert.ok(paths['/json/2/res.company/search_read'])
  assert.equal(paths['/json/2/res.company/write'], undefined)
  assert.equal(components.schemas['res.company.write'], undefined)
  assert.equal((await get('/x/1/openapi.json?model=ir.rule', 'clerk')).statusCode, 403)
  assert.equal((await get('/doc-bearer/index.json', 'clerk')).statusCode, 403)
})

test('documentation: reports unknown models and modules, and a wrong key', async () => {
  for (const query of ['?model=no.such', '?model=__proto__', '?module=no_such'])
    assert.equal((await get(`/x/1/openapi.json${query}`)).statusCode, 404, query)
  assert.equal((await get('/x/1/openapi.json', 'admin', { authorization: 'bearer wrong' })).statusCode, 401)
})

test('documentation: ETags differ by subject, and stay until something changes', async () => {
  const urls = [
    '/doc-bearer/index.json',
    '/doc-bearer/res.users.json',
    '/doc-bearer/res.partner.json',
    '/x/1/openapi.json',
  ]
  const tags = await Promise.all(urls.map(async (url) => String((await get(url)).headers.etag)))
  assert.equal(new Set(tags).size, urls.length)
  const [, , tag = ''] = tags
  const again = (match: string, more = {}) =>
    get('/doc-bearer/res.partner.json', 'admin', { 'if-none-match': match, ...more })
  for (const match of [tag, tag.replaceAll('"', ''), `"x", W/${tag}`])
    assert.equal((await again(match)).statusCode, 304, match)
  assert.equal((await again('"x"')).statusCode, 200)
  assert.equal((await again(tag, { 'cache-control': 'no-cache' })).statusCode, 200)
  const field = { name: 'x_shoe_size', field_description: 'Shoe size', ttype: 'integer' }
  const created = await server.app.inject({
    method: 'POST',
    url: '/json/2/ir.model.fields/create',
    headers: { authorization: `bearer ${keys.admin}`, 'content-type': 'application/json' },
    payload: {
      vals_list: [{ ...field, model_id: await data.run((env) => env.ref('base.model_res_partner')) }],
    },
  })
  assert.equal(created.statusCode, 200, created.body)
  const fresh = await again(tag)
  assert.equal(fresh.statusCode, 200)
  assert.equal(fresh.json().fields.x_shoe_size.module, null)
})

async function signIn(): Promise<string> {
  const login = await server.app.inject({
    method: 'POST',
    url: '/web/session/authenticate',
    headers: { 'content-type': 'application/json' },
    payload: { params: { db: 'test', login: 'admin', password: 'admin' } },
  })
  return String(login.headers['set-cookie']).split(';', 1)[0] as string
}
const visit = (url: string, headers: Record<string, string> = {}) =>
  server.app.inject({ method: 'GET', url, headers })

test('documentation: a browser session reads it; without one it is rejected', async () => {
  const cookie = await signIn()
  const [index, guide] = await Promise.all([
    get('/doc-bearer/index.json'),
    visit('/doc/index.json', { cookie }),
  ])
  assert.equal(guide.body, index.body)
  assert.equal((await visit('/doc/index.json')).statusCode, 403)
})

test('documentation page: lists models, shows one with examples, and redirects to the login without a session', async () => {
  const cookie = await signIn()
  const all = await visit('/doc', { cookie, host: 'shop.test' })
  assert.equal(all.statusCode, 200)
  assert.match(all.body, /<a href="\/doc\/res\.partner">/)
  const page = await visit('/doc/res.partner', { cookie, host: 'shop.test' })
  assert.match(page.body, /id="field-display_name"/)
  assert.match(page.body, /curl &#39;http:\/\/shop\.test\/json\/2\/res\.partner\/search_read&#39;/)
  assert.match(page.body, /X-Service-Database: test/)
  assert.equal((await visit('/doc/no.such', { cookie })).statusCode, 404)
  const away = await visit('/doc/res.partner')
  assert.deepEqual(
    [away.statusCode, away.headers.location],
    [303, '/web/login?redirect=%2Fdoc%2Fres.partner'],
  )
})

test('documentation page: its examples run', async () => {
  const { body } = await visit('/doc/res.partner', { cookie: await signIn(), host: new URL(server.url).host })
  const [part] = body.split('id="method-search"')[1]?.split('</details>') ?? []
  const plain = (html: string) =>
    html.replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))
  const examples = new Map(
    [...String(part).matchAll(/<h4>(\w+)<\/h4><pre[^>]*>([\s\S]*?)<\/pre>/g)].map(([, name, code]) => [
      name,
      plain(String(code)),
    ]),
  )
  assert.deepEqual([...examples.keys()], ['curl', 'Python', 'TypeScript', 'PHP'])
  const flags = ['--disable-warning=ExperimentalWarning', byName, '--input-type=module-typescript', '-e']
  const { stdout } = await run(process.execPath, [...flags, String(examples.get('TypeScript'))], {
    cwd: root,
    env: { ...process.env, API_KEY: keys.admin },
  })
  assert.match(stdout, /^\[\s*\d/)
})

test('documentation page: parameters have types of JSON, and a domain, values and the context are explained', async () => {
  const { body } = await visit('/doc/res.partner', { cookie: await signIn() })
  const part = (name: string) => body.split(`id="method-${name}"`)[1]?.split('</details>')[0] ?? ''
  assert.match(part('search_read'), /\(domain\?, fields\?, offset\?, limit\?/)
  assert.match(part('search_read'), /integer or null/)
  assert.match(part('search_read'), /ilike/)
  assert.match(part('create'), /One object for each new record.*child_ids/s)
  assert.match(part('write'), /allowed_company_ids/)
  for (const python of ['list[', 'DomainType', '| None', 'dict[', 'ValuesType'])
    assert.ok(!body.includes(python), python)
})

test('documentation page: examples name records that the reader may read', async () => {
  const cookie = await signIn()
  const { body } = await visit('/doc/res.partner.bank', { cookie })
  const values = body.split('id="method-create"')[1]?.split('</details>')[0] ?? ''
  const id = Number(/partner_id&#34;: (\d+)/.exec(values)?.[1])
  assert.ok(id > 0, values)
  await data.run(async (env) => {
    const partner = env.model('res.partner').browse([id])
    assert.equal((await partner.exists()).ids.length, 1)
    const [first] = (await env.model('res.country').search([], { order: 'id', limit: 1 })).ids
    const page = await visit('/doc/res.country', { cookie })
    assert.match(page.body, new RegExp(`&#34;ids&#34;:\\[${first}\\]`))
  })
})

test('guides: all of them are pages under /doc, lead to each other, and are searched by their parts', async () => {
  const cookie = await signIn()
  const { body } = await visit('/doc', { cookie })
  const paths = [...body.matchAll(/href="(\/doc\/guides\/[\w-]+)"/g)].map(([, path]) => String(path))
  assert.ok(paths.includes('/doc/guides/domains') && paths.length > 20, paths.join())
  for (const path of paths) {
    const page = await visit(path, { cookie })
    assert.equal(page.statusCode, 200, path)
    assert.match(page.body, /<h1 id="/)
    const words = page.body.replaceAll(/<(pre|code)>[\s\S]*?<\/\1>/g, '')
    assert.doesNotMatch(words, /\.md[")#]|\*\*|&#60;!--/, path)
    for (const [, name] of page.body.matchAll(/href="\/doc\/guides\/([\w-]+)/g))
      assert.ok(paths.includes(`/doc/guides/${name}`), `${path}: ${name}`)
  }
  const parts = (await visit('/doc/guides.json', { cookie })).json() as { path: string }[]
  assert.ok(parts.some(({ path }) => path.startsWith('/doc/guides/client#')))
  assert.equal((await visit('/doc/guides/no-such', { cookie })).statusCode, 404)
  assert.equal((await visit('/doc/guides.json')).statusCode, 403)
  assert.equal((await visit('/doc/guides/client')).statusCode, 303)
})

test('documentation page: every request body that it offers runs unchanged', async () => {
  const cookie = await signIn()
  const plain = (html: string) =>
    html.replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))
  const headers = { authorization: `bearer ${keys.admin}`, 'content-type': 'application/json' }
  const bodiesOf = async (model: string) => {
    const { body } = await visit(`/doc/${model}`, { cookie })
    const parts = [...body.matchAll(/data-method="([^"]+)" data-body="([^"]+)"/g)]
    return new Map(parts.map(([, method = '', text = '']) => [method, plain(text)]))
  }
  const trial = async (model: string, method: string, payload: string | undefined) => {
    const answer = await server.app.inject({
      method: 'POST',
      url: `/json/2/${model}/${method}`,
      headers,
      payload: payload ?? 'none',
    })
    assert.equal(answer.statusCode, 200, `${model}/${method} ${payload}: ${answer.body}`)
  }
  const tags = await bodiesOf('res.partner.category')
  await trial('res.partner.category', 'create', tags.get('create'))
  // Record 1 has to be there to the end; tags have no kind of field that a progress bar or a panel could
  // show.
  for (const [method, payload] of tags)
    if (method !== 'unlink') await trial('res.partner.category', method, payload)
  await trial('res.partner.category', 'unlink', tags.get('unlink'))
  const contacts = await bodiesOf('res.partner')
  for (const method of ['create', 'write', 'load']) await trial('res.partner', method, contacts.get(method))
  const log = await bodiesOf('comptoir.key.use')
  for (const method of ['search', 'search_count', 'formatted_read_group', 'formatted_read_grouping_sets'])
    await trial('comptoir.key.use', method, log.get(method))
})

test("documentation page: runs only the server's scripts and styles, none inline, under any host name", async () => {
  const { body, headers } = await visit('/doc/res.partner', {
    cookie: await signIn(),
    host: 'x"><script>alert(1)</script>',
  })
  const policy = String(headers['content-security-policy'])
  assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self';/)
  assert.doesNotMatch(policy, /unsafe/)
  const scripts = [...body.matchAll(/<script([^>]*)>/g)].map(([, attributes]) => attributes)
  assert.equal(scripts.length, 1)
  assert.match(String(scripts[0]), /^ type="module" src="\/web\/assets\/doc-[\w-]+\.js"$/)
  assert.doesNotMatch(body, /<style| style=| on[a-z]+=/)
})

test('extensions: can be switched off', async () => {
  const plain = await createServer({ databases: data.databases, extensions: noExtension })
  try {
    const answer = await plain.app.inject({
      method: 'GET',
      url: '/x/1/openapi.json',
      headers: { authorization: `bearer ${keys.admin}` },
    })
    assert.equal(answer.statusCode, 404)
  } finally {
    await plain.close()
  }
})
