// The database manager in a real browser, as an administrator uses it: by keyboard alone, on a narrow screen, under the page's own policy.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, type TestContext, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { createServer, type Server } from '../../src/main.ts'
import { sql } from '../../src/sql/index.ts'
import { makeTemp } from '../support/temp.ts'
import { startBrowser } from './browser.ts'

const temp = makeTemp('browser')
let server: Server | undefined
let browser: Browser | string
/** What the browser complained about: a policy broken, a resource missing. */
const complaints: string[] = []

before(async () => {
  browser = await startBrowser()
  if (typeof browser !== 'string') server = await createServer({ dataDir: temp.path, masterPassword: 'first master' })
})
after(async () => {
  if (typeof browser !== 'string') await browser?.close()
  await server?.close()
  temp.remove()
})

async function open(): Promise<Page> {
  const page = await (browser as Browser).newPage({ viewport: { width: 360, height: 740 } })
  page.on('console', (message) => {
    if (message.type() === 'error' && message.location().url.includes('/web/database/')) complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  await manage(page)
  return page
}
const manage = (page: Page) => page.goto(`${server?.url}/web/database/manager`)
const listed = (page: Page) => page.locator('li').allTextContents()

interface Focused {
  readonly form: string
  readonly name: string
  readonly tag: string
  readonly type: string
  readonly value: string
}
/** What has the focus. Read by the driver, as the page's policy lets no script of its own run. */
const focused = (page: Page) =>
  page.evaluate<Focused>(`(({ form, name = '', tagName = '', type = '', value = '' }) => (
    { form: form?.getAttribute('action') ?? '', name, tag: tagName, type, value }))(document.activeElement)`)

async function choose(page: Page, value: string): Promise<void> {
  await page.keyboard.press('Home')
  for (let n = 0; n < 300 && (await focused(page)).value !== value; n++) await page.keyboard.press('ArrowDown')
}

/** Walks to a form by Tab, fills it in by typing in the order of its fields, and sends it by Enter. */
async function submit(page: Page, action: string, values: Readonly<Record<string, string>>): Promise<void> {
  for (let step = 0; step < 80; step++) {
    await page.keyboard.press('Tab')
    const { form, name, tag, type } = await focused(page)
    if (form !== `/web/database/${action}`) continue
    if (tag === 'BUTTON') return page.keyboard.press('Enter')
    const value = values[name]
    if (value === undefined || type === 'file') continue
    if (tag === 'SELECT') await choose(page, value)
    else if (type === 'checkbox') await page.keyboard.press('Space')
    else {
      await page.keyboard.press('Control+A')
      await page.keyboard.type(value)
    }
  }
  throw new Error(`The keyboard does not get to the end of the form ${action}.`)
}

/** Submits a form and waits for the page that follows. */
async function send(page: Page, action: string, values: Readonly<Record<string, string>>): Promise<void> {
  await manage(page)
  await Promise.all([page.waitForEvent('load'), submit(page, action, values)])
}

const skip = (t: TestContext): boolean => {
  if (typeof browser === 'string') t.skip(browser)
  return typeof browser === 'string'
}

test('databases are made, copied, saved, brought back and dropped by keyboard', async (t) => {
  if (skip(t)) return
  const page = await open()
  assert.deepEqual(await listed(page), [])

  const master = { master_pwd: 'first master' }
  await send(page, 'create', { ...master, name: 'shop', login: 'admin', password: 'a long password', lang: 'fr_FR', country_code: 'be' })
  await manage(page)
  assert.deepEqual(await listed(page), ['shop'])

  const database = await server?.databases.database('shop')
  const [row] =
    (await database?.system((env) =>
      env.query(sql`SELECT p.lang, (SELECT code FROM res_country c JOIN res_partner o ON o.country_id = c.id JOIN res_company y ON y.partner_id = o.id LIMIT 1)
      FROM res_users u JOIN res_partner p ON p.id = u.partner_id WHERE u.login = 'admin'`),
    )) ?? []
  assert.deepEqual(row, ['fr_FR', 'BE'])

  await send(page, 'duplicate', { ...master, name: 'shop', new_name: 'shop-copy', neutralize_database: 'yes' })
  assert.deepEqual(await listed(page), ['shop', 'shop-copy'])

  await manage(page)
  const [download] = await Promise.all([page.waitForEvent('download'), submit(page, 'backup', { ...master, name: 'shop' })])
  const file = join(temp.path, 'shop.zip')
  await download.saveAs(file)
  assert.match(download.suggestedFilename(), /^shop_.*\.zip$/)

  await manage(page)
  // Choosing the file is the browser's own dialogue; the rest is typed.
  await page.locator('form[action$="/restore"] input[type=file]').setInputFiles(file)
  await page.evaluate('document.activeElement.blur()')
  await Promise.all([page.waitForEvent('load'), submit(page, 'restore', { ...master, name: 'restored', copy: 'yes' })])
  assert.deepEqual(await listed(page), ['restored', 'shop', 'shop-copy'])

  await send(page, 'drop', { ...master, name: 'shop-copy', confirm: 'shop' })
  assert.match(String(await page.getByRole('alert').textContent()), /names differ/)
  assert.deepEqual(await listed(page), ['restored', 'shop', 'shop-copy'])
  await send(page, 'drop', { ...master, name: 'shop-copy', confirm: 'shop-copy' })
  assert.deepEqual(await listed(page), ['restored', 'shop'])
})

test('a wrong master password is told, a changed one counts', async (t) => {
  if (skip(t)) return
  const page = await open()
  await send(page, 'change_password', { master_pwd: 'wrong', master_pwd_new: 'other' })
  assert.equal(await page.getByRole('alert').count(), 1)
  await send(page, 'change_password', { master_pwd: 'first master', master_pwd_new: 'second master' })
  assert.equal(await page.getByRole('alert').count(), 0)
  await send(page, 'drop', { master_pwd: 'first master', name: 'restored', confirm: 'restored' })
  assert.equal(await page.getByRole('alert').count(), 1)
  await send(page, 'drop', { master_pwd: 'second master', name: 'restored', confirm: 'restored' })
  assert.deepEqual(await listed(page), ['shop'])
})

test('the page fits 360 pixels, names its fields, shows the focus, and breaks no rule of its policy', async (t) => {
  if (skip(t)) return
  const page = await open()
  const facts = await page.evaluate<{ wide: number; nameless: number; width: string }>(`({
    wide: document.documentElement.scrollWidth,
    nameless: [...document.querySelectorAll('input,select')].filter((field) => !field.labels[0]?.textContent.trim()).length,
    width: getComputedStyle(document.body).maxWidth,
  })`)
  assert.ok(facts.wide <= 360, `${facts.wide} pixels`)
  assert.equal(facts.nameless, 0)
  assert.notEqual(facts.width, 'none', 'the style of the page is not applied')
  await page.keyboard.press('Tab')
  assert.notEqual(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle'), 'none')
  const policy = (await manage(page))?.headers()['content-security-policy'] ?? ''
  assert.match(policy, /default-src 'none'/)
  assert.doesNotMatch(policy, /unsafe/)
  assert.deepEqual(complaints, [])
})
