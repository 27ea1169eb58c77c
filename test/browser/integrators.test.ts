// Integrations in a browser: Swagger UI shows the OpenAPI document and sends a call, and the typed
// client works in a page.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { createServer as createHttpServer, type Server as HttpServer, type IncomingMessage } from 'node:http'
import { stripTypeScriptTypes } from 'node:module'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { after, before, type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { createServer, modules, type Server } from '../../src/main.ts'
import { createKey } from '../../src/services/admin.ts'
import { openTestDatabase, type TestDatabase } from '../support/databases.ts'
import { root } from '../support/serve.ts'
import { startBrowser } from './browser.ts'

const viewer = dirname(fileURLToPath(import.meta.resolve('swagger-ui-dist/swagger-ui-bundle.js')))
let browser: Browser | string
let data: TestDatabase | undefined
let server: Server | undefined
let pages: HttpServer | undefined
let key = ''
/** The browser's errors, and its requests to other hosts than the loopback. */
const complaints: string[] = []

before(async () => {
  browser = await startBrowser()
  if (typeof browser === 'string') return
  data = await openTestDatabase(modules.filter(({ name }) => name === 'base'))
  const { url, app } = await createServer({ databases: data.databases }).then((created) => (server = created))
  key = await createKey(data.databases, 'test', 'admin', { scope: null, name: 'viewer', days: 1 })
  const ask = (path: string) =>
    app.inject({ method: 'GET', url: path, headers: { authorization: `bearer ${key}` } })
  // One origin for the page, the document and the calls, as if the viewer were installed on the
  // server's host.
  pages = createHttpServer(async (request, response) => {
    const { url: path = '/' } = request
    if (path === '/' || path === '/empty')
      return response
        .setHeader('content-type', 'text/html; charset=utf-8')
        .end(path === '/' ? html : '<!doctype html><link rel="icon" href="data:,">')
    if (path.startsWith('/x/1/'))
      return response.setHeader('content-type', 'application/json').end((await ask(path)).body)
    if (path.startsWith('/json/2/')) {
      const { authorization = '' } = request.headers
      const headers = { authorization, 'content-type': 'application/json' }
      const answer = await fetch(`${url}${path}`, { method: 'POST', headers, body: await bodyOf(request) })
      return response
        .writeHead(answer.status, { 'content-type': 'application/json' })
        .end(await answer.text())
    }
    // The sources of the client, as a browser takes them: every import in them is the way to a file.
    const source = /^\/src\/((?:client\/)?[\w-]+\.ts)$/.exec(path)?.[1]
    if (source) {
      const text = stripTypeScriptTypes(await readFile(join(root, 'src', source), 'utf8'))
      return response.setHeader('content-type', 'text/javascript; charset=utf-8').end(text)
    }
    const file = /^\/(swagger-ui(?:-bundle)?\.(?:js|css))$/.exec(path)?.[1]
    if (!file) return response.writeHead(404).end()
    response.setHeader(
      'content-type',
      `${file.endsWith('.js') ? 'text/javascript' : 'text/css'}; charset=utf-8`,
    )
    return response.end(await readFile(join(viewer, file)))
  })
  await new Promise<void>((done) => pages?.listen(0, '127.0.0.1', done))
})
after(async () => {
  if (typeof browser !== 'string') await browser?.close()
  pages?.closeAllConnections()
  pages?.close()
  await server?.close()
  await data?.close()
})

const html = `<!doctype html><link rel="stylesheet" href="/swagger-ui.css"><link rel="icon" href="data:,"><div id="ui"></div>
<script src="/swagger-ui-bundle.js"></script>
<script>SwaggerUIBundle({ url: '/x/1/openapi.json' + location.hash.slice(1), dom_id: '#ui', docExpansion: 'none', validatorUrl: null })</script>`

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}

async function open(path: string): Promise<Page> {
  const { port } = (pages as HttpServer).address() as AddressInfo
  const page = await (browser as Browser).newPage()
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on(
    'request',
    (request) =>
      /^(http:\/\/127\.0\.0\.1:|data:|blob:)/.test(request.url()) || complaints.push(request.url()),
  )
  await page.goto(`http://127.0.0.1:${port}${path}`)
  return page
}

const skip = (t: TestContext): boolean => {
  if (typeof browser === 'string') t.skip(browser)
  return typeof browser === 'string'
}

test('the document of a model opens: its operations, their parameters, examples and errors; a call goes through', async (t) => {
  if (skip(t)) return
  const page = await open('/#?model=res.partner.category,res.bank')
  await page.locator('.opblock-tag').first().waitFor()
  assert.equal(await page.locator('.errors-wrapper').count(), 0)
  await page.locator('.opblock-tag', { hasText: 'res.partner.category' }).click()
  assert.ok((await page.locator('.opblock').count()) > 30)
  const create = page.locator('.opblock', {
    has: page.locator('[data-path="/json/2/res.partner.category/create"]'),
  })
  await create.locator('.opblock-summary-control').click()
  await create.locator('.opblock-body .body-param__example').waitFor()
  assert.match(String(await create.locator('.body-param__example').textContent()), /"vals_list".*"name"/s)
  assert.match(
    String(await create.locator('.responses-table').first().textContent()),
    /422.*Invalid parameters or values/s,
  )

  await page.locator('.auth-wrapper .authorize').first().click()
  await page.locator('#auth-bearer-value').fill(key)
  await page.locator('.auth-btn-wrapper .authorize').first().click()
  await page.locator('.auth-btn-wrapper .btn-done').first().click()
  await create.locator('.try-out__btn').click()
  await create.locator('.execute').click()
  await create.locator('.live-responses-table .response-col_status').last().waitFor()
  assert.match(String(await create.locator('.live-responses-table').textContent()), /200.*\[\s*\d+\s*\]/s)
  assert.deepEqual(complaints, [])
  await page.close()
})

test('the typed client works in a page, its errors included', async (t) => {
  if (skip(t)) return
  const page = await open('/empty')
  const said = await page.evaluate<unknown[]>(`(async () => {
    const { createClient, NotFound, InvalidApiKey } = await import('/src/client/index.ts')
    const url = location.origin
    const tags = createClient({ url, key: ${JSON.stringify(key)} }).model('res.partner.category')
    const made = await tags.create([{ name: 'Red' }, { name: 'Blue' }, { name: 'Green' }])
    const names = []
    for await (const tag of tags.each({ domain: [['id', 'in', made]], fields: ['name'], size: 2 })) names.push(tag.name)
    const lost = await createClient({ url, key: ${JSON.stringify(key)} }).model('no.such').search().catch((error) => error instanceof NotFound)
    const shut = await createClient({ url, key: 'wrong' }).model('res.users').search().catch((error) => error instanceof InvalidApiKey)
    return [names, lost, shut]
  })()`)
  assert.deepEqual(said, [['Red', 'Blue', 'Green'], true, true])
  await page.close()
})
