// The database manager in a real browser, as an administrator uses it: by keyboard alone, on a narrow screen,
// under the page's own policy.
// Begins first: it takes 10 s.
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, type TestContext, test } from 'node:test'
import type { Browser, Page, Response } from 'playwright-core'
import { createServer, type Server } from '../../src/main.ts'
import { sql } from '../../src/sql/index.ts'
import { makeDataDir } from '../support/temp.ts'
import { keepShot, looks, startBrowser } from './browser.ts'

const temp = makeDataDir('browser')
let server: Server | undefined
let browser: Browser | string
/** The browser's errors, such as a violated policy or a missing resource. */
const complaints: string[] = []

before(async () => {
  browser = await startBrowser()
  if (typeof browser !== 'string')
    server = await createServer({ dataDir: temp.path, masterPassword: 'first master' })
})
after(async () => {
  if (typeof browser !== 'string') await browser?.close()
  await server?.close()
  temp.remove()
})

async function open(options: Parameters<Browser['newPage']>[0] = {}): Promise<Page> {
  const page = await (browser as Browser).newPage({ viewport: { width: 360, height: 740 }, ...options })
  page.on('console', (message) => {
    // The progress of another process of the server may be missing (404), and the page asks again. An
    // error that the page shows also appears in the browser's console.
    if (message.type() === 'error' && !/\/(?:progress\/|facts$)/.test(message.location().url))
      complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  await manage(page)
  return page
}
const manage = (page: Page) => page.goto(`${server?.url}/web/database/manager`)
const listed = (page: Page) => page.locator('.databases li').allTextContents()

interface Focused {
  readonly form: string
  /** The part of the page whose title has the focus. */
  readonly part: string
  readonly isOpen: boolean
  readonly name: string
  readonly tag: string
  readonly type: string
  readonly value: string
}
/** The focused element. Read by the driver, because the page's policy allows no other scripts. */
const focused = (page: Page) =>
  page.evaluate<Focused>(`(({ form, parentElement, name = '', tagName = '', type = '', value = '' }) => (
    { form: form?.getAttribute('action') ?? '', part: tagName === 'SUMMARY' ? parentElement.id : '', isOpen: parentElement?.open === true,
      name, tag: tagName, type, value }))(document.activeElement)`)

async function choose(page: Page, value: string): Promise<void> {
  await page.keyboard.press('Home')
  for (let n = 0; n < 300 && (await focused(page)).value !== value; n++)
    await page.keyboard.press('ArrowDown')
}

/**
 * Walks to a form by Tab, unfolds it, fills it in by typing in the order of its fields, and sends it by
 * Enter.
 */
async function submit(page: Page, action: string, values: Readonly<Record<string, string>>): Promise<void> {
  for (let step = 0; step < 80; step++) {
    await page.keyboard.press('Tab')
    const { form, part, isOpen, name, tag, type } = await focused(page)
    if (part === action && !isOpen) await page.keyboard.press('Enter')
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
  await send(page, 'create', {
    ...master,
    name: 'shop',
    login: 'admin',
    password: 'a long password',
    lang: 'fr_FR',
    country_code: 'be',
  })
  await manage(page)
  assert.deepEqual(await listed(page), ['shop'])

  const database = await server?.databases.database('shop')
  const [row] =
    (await database?.system((env) =>
      env.query(sql`SELECT p.lang, (SELECT code FROM res_country c JOIN res_partner o ON o.country_id = c.id JOIN res_company y ON y.partner_id = o.id LIMIT 1)
      FROM res_users u JOIN res_partner p ON p.id = u.partner_id WHERE u.login = 'admin'`),
    )) ?? []
  assert.deepEqual(row, ['fr_FR', 'BE'])

  await send(page, 'duplicate', {
    ...master,
    name: 'shop',
    new_name: 'shop-copy',
    neutralize_database: 'yes',
  })
  assert.deepEqual(await listed(page), ['shop', 'shop-copy'])

  await manage(page)
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    submit(page, 'backup', { ...master, name: 'shop' }),
  ])
  const file = join(temp.path, 'shop.zip')
  await download.saveAs(file)
  assert.match(download.suggestedFilename(), /^shop_.*\.zip$/)

  await manage(page)
  // Choosing the file is the browser's own dialogue; the rest is typed.
  await page.locator('form[action$="/restore"] input[type=file]').setInputFiles(file)
  await page.evaluate('document.activeElement.blur()')
  await Promise.all([
    page.waitForURL('**/manager', { waitUntil: 'load' }),
    submit(page, 'restore', { ...master, name: 'restored', copy: 'yes' }),
  ])
  await page.locator('.databases li', { hasText: 'restored' }).waitFor()
  assert.deepEqual(await listed(page), ['restored', 'shop', 'shop-copy'])

  await manage(page)
  await submit(page, 'drop', { ...master, name: 'shop-copy', confirm: 'shop' })
  assert.match(
    String(await page.evaluate("document.querySelector('[name=confirm]').validationMessage")),
    /Type shop-copy/,
  )
  await manage(page)
  assert.deepEqual(await listed(page), ['restored', 'shop', 'shop-copy'], 'nothing was sent')
  await send(page, 'drop', { ...master, name: 'shop-copy', confirm: 'shop-copy' })
  assert.deepEqual(await listed(page), ['restored', 'shop'])
})

test('database manager: reports a wrong master password, and accepts a changed one', async (t) => {
  if (skip(t)) return
  const page = await open()
  await send(page, 'change_password', { master_pwd: 'wrong', master_pwd_new: 'other' })
  assert.equal(await page.getByRole('alert').count(), 1)
  assert.equal(
    await page.locator('#change_password').getAttribute('open'),
    '',
    'the form that failed stays open',
  )
  await send(page, 'change_password', { master_pwd: 'first master', master_pwd_new: 'second master' })
  assert.equal(await page.getByRole('alert').count(), 0)
  await send(page, 'drop', { master_pwd: 'first master', name: 'restored', confirm: 'restored' })
  assert.equal(await page.getByRole('alert').count(), 1)
  await send(page, 'drop', { master_pwd: 'second master', name: 'restored', confirm: 'restored' })
  assert.deepEqual(await listed(page), ['shop'])
})

test('database manager: backup and restore show progress; an invalid file is reported and leaves the page usable', async (t) => {
  if (skip(t)) return
  const page = await open()
  const stages: { path: string; state: string; done: number }[] = []
  const hear = async (response: Response) => {
    const path = new URL(response.url()).pathname
    if (!path.includes('/progress/') || response.status() !== 200) return
    // The browser keeps no answer of a page that it has left meanwhile.
    const answer = (await response.json().catch(() => null)) as { state: string; done: number } | null
    if (answer) stages.push({ path, ...answer })
  }
  const recorded: Promise<void>[] = []
  page.on('response', (response) => recorded.push(hear(response)))
  const master = { master_pwd: 'second master' }
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    submit(page, 'backup', { ...master, name: 'shop' }),
  ])
  const file = join(temp.path, 'backup.zip')
  await download.saveAs(file)
  await page.locator('#backup .report').getByText('Done.').waitFor()
  await Promise.all(recorded)
  assert.ok(stages.some(({ state, done }) => state === 'done' && done === 1))
  assert.ok(await page.locator('#backup button').isEnabled())

  await manage(page)
  const wrong = join(temp.path, 'wrong.zip')
  await writeFile(wrong, 'no backup')
  const restoring = page.locator('#restore')
  await restoring.locator('input[type=file]').setInputFiles(wrong)
  await page.evaluate('document.activeElement.blur()')
  await submit(page, 'restore', { ...master, name: 'never' })
  await restoring.getByRole('alert').waitFor()
  assert.match(String(await restoring.getByRole('alert').textContent()), /not a Comptoir backup/)
  assert.deepEqual(await listed(page), ['shop'])

  await restoring.locator('input[type=file]').setInputFiles(file)
  const began = stages.length
  await Promise.all([
    page.waitForURL('**/manager', { waitUntil: 'load' }),
    restoring.locator('form button.primary').click(),
  ])
  await page.locator('.databases li', { hasText: 'never' }).waitFor()
  assert.ok(new Set(stages.slice(began).map(({ path }) => path)).size <= 1, 'one name for one submission')
})

test('one unlock shows sizes and backups, and each database has its actions in its row', async (t) => {
  if (skip(t)) return
  const page = await open()
  const unlock = page.locator('#unlock')
  await unlock.getByLabel('Master password').fill('wrong')
  await page.keyboard.press('Enter')
  await unlock.getByRole('alert').getByText('This is not the master password.').waitFor()
  // The wrong one is selected: typing replaces it.
  await page.keyboard.type('second master')
  await page.keyboard.press('Enter')
  const row = (name: string) =>
    page.locator('.databases li').filter({ has: page.getByRole('link', { name, exact: true }) })
  await row('shop')
    .getByText(/^\d+ MB, backed up /)
    .waitFor()
  await row('never')
    .getByText(/^\d+ MB, never backed up$/)
    .waitFor()
  assert.equal(
    await page.getByLabel('Master password', { exact: true }).locator('visible=true').count(),
    0,
    'no form asks again',
  )

  await row('never').getByRole('button', { name: 'Duplicate never' }).press('Enter')
  assert.deepEqual(await focused(page).then(({ form, name }) => [form, name]), [
    '/web/database/duplicate',
    'new_name',
  ])
  await page.keyboard.type('again')
  await page.keyboard.press('Enter')
  await row('again')
    .getByText(/never backed up/)
    .waitFor()
  await row('again').getByRole('button', { name: 'Drop again' }).press('Enter')
  assert.equal((await focused(page)).name, 'confirm')
  await page.keyboard.type('again')
  await page.keyboard.press('Enter')
  await row('again').waitFor({ state: 'detached' })
  assert.deepEqual(await page.locator('.databases li a').allTextContents(), ['never', 'shop'])
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    (async () => {
      await row('shop').getByRole('button', { name: 'Back up shop' }).press('Enter')
      assert.equal((await focused(page)).tag, 'BUTTON')
      await page.keyboard.press('Enter')
    })(),
  ])
  await download.cancel()
  await manage(page)
  assert.equal(await unlock.isVisible(), true, 'who comes back is asked again')
})

test('without a script the same forms work, and a wrong name to drop is refused by the server', async (t) => {
  if (skip(t)) return
  const page = await open({ javaScriptEnabled: false })
  const part = page.locator('#drop')
  await part.locator('summary').click()
  await part.getByLabel('Master password').fill('second master')
  await part.getByLabel('Database').selectOption('never')
  await part.getByLabel('Its name again').fill('shop')
  await part.getByRole('button', { name: 'Drop' }).click()
  assert.match(String(await page.getByRole('alert').textContent()), /names differ/)
  assert.equal(await part.getByLabel('Database').inputValue(), 'never', 'what was chosen stays')
  await part.getByLabel('Master password').fill('second master')
  await part.getByLabel('Its name again').fill('never')
  await part.getByRole('button', { name: 'Drop' }).click()
  assert.deepEqual(await listed(page), ['shop'])
})

test('the page has a look for phone and desk, by day and by night', async (t) => {
  if (skip(t)) return
  const grounds = new Set<string>()
  for (const look of looks) {
    const page = await open({ viewport: { width: look.width, height: 740 }, colorScheme: look.scheme })
    for (const summary of await page.locator('summary').all()) await summary.click()
    assert.ok(
      (await page.evaluate<number>('document.documentElement.scrollWidth')) <= look.width,
      `${look.width} pixels`,
    )
    grounds.add(`${look.scheme} ${await page.evaluate('getComputedStyle(document.body).backgroundColor')}`)
    await keepShot(page, 'databases', look)
  }
  assert.equal(grounds.size, 2, 'light and dark each have one ground')
})

test('the page fits 360 pixels, names its fields, shows the focus, and breaks no rule of its policy', async (t) => {
  if (skip(t)) return
  const page = await open()
  const facts = await page.evaluate<{ wide: number; nameless: number; width: string }>(`({
    wide: document.documentElement.scrollWidth,
    nameless: [...document.querySelectorAll('input:not([type=hidden]),select')].filter((field) => !field.labels[0]?.textContent.trim()).length,
    width: getComputedStyle(document.querySelector('main')).maxWidth,
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
