// A server with one database and a browser in front of it, for tests of the pages of people who sign in.
import type { TestContext } from 'node:test'
import axe from 'axe-core'
import type { Browser, Page } from 'playwright-core'
import type { Module } from '#models'
import { Databases } from '../../src/databases/index.ts'
import { createServer } from '../../src/main.ts'
import '../support/patience.ts'
import { takeDataDir } from '../support/shared-server.ts'
import { type Look, PATIENCE, startBrowser } from './browser.ts'

export interface Setting {
  readonly url: string
  readonly databases: Databases
  /** Errors of pages: a violated policy, a missing file, a script that failed. */
  readonly complaints: string[]
  /** A page of a browser profile of its own. */
  visit(options?: { look?: Look; script?: boolean; zone?: string }): Promise<Page>
  close(): Promise<void>
}

const DESK: Look = { width: 1280, scheme: 'light' }
export const DATABASE = 'shop'
export const ADMIN = { login: 'admin', password: 'admin' } as const

/** Starts both with all `modules` in the database, or says why there is no browser. */
export async function startSetting(modules: readonly Module[]): Promise<Setting | string> {
  const browser = await startBrowser()
  if (typeof browser === 'string') return browser
  const temp = await takeDataDir('pages')
  const opened: (() => unknown)[] = [() => temp.remove()]
  const close = async () => {
    for (const leave of opened.splice(0).reverse()) await leave()
  }
  try {
    const databases = await Databases.open({
      dataDir: temp.path,
      modules,
      masterPassword: 'master',
      durable: false,
    })
    opened.push(
      () => databases.close(),
      () => temp.release(databases),
    )
    await databases.create(DATABASE, { modules: modules.map((module) => module.name), ...ADMIN })
    const server = await createServer({ databases, dataDir: temp.path, masterPassword: 'master' })
    opened.push(() => server.close())
    // The browser leaves first: it holds connections open.
    opened.push(() => browser.close())
    const complaints: string[] = []
    return {
      url: server.url,
      databases,
      complaints,
      close,
      visit: (options) => visit(browser, server.url, complaints, options),
    }
  } catch (error) {
    await close()
    await browser.close()
    throw error
  }
}

async function visit(
  browser: Browser,
  url: string,
  complaints: string[],
  { look = DESK, script = true, zone = 'Europe/Brussels' }: Parameters<Setting['visit']>[0] = {},
): Promise<Page> {
  const context = await browser.newContext({
    baseURL: url,
    viewport: { width: look.width, height: 800 },
    colorScheme: look.scheme,
    reducedMotion: 'reduce',
    javaScriptEnabled: script,
    locale: 'en-GB',
    timezoneId: zone,
  })
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  // For what never comes: on a slow machine a page may take a minute to be there.
  context.setDefaultTimeout(PATIENCE)
  const page = await context.newPage()
  page.on('console', (message) => {
    // A refusal that a page shows in words is a line in the browser's console too.
    if (
      message.type() === 'error' &&
      !/^Failed to load resource: .*(40[134]|ERR_INTERNET)/.test(message.text())
    )
      complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  return page
}

/** Signs in by the form, on the way to `path`. */
export async function signIn(
  page: Page,
  path: string,
  { login, password }: { login: string; password: string } = ADMIN,
): Promise<void> {
  await page.goto(`/web/login?redirect=${encodeURIComponent(path)}`)
  await page.getByLabel('Login').fill(login)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.keyboard.press('Enter')
  await page.waitForURL((url) => url.pathname !== '/web/login')
}

/** The setting; null after skipping the test if it is missing. */
export function settingFor(t: TestContext, setting: Setting | string | undefined): Setting | null {
  if (typeof setting === 'object') return setting
  t.skip(setting)
  return null
}

/** Presses Tab until what has the focus is called `name`. Throws where Tab does not get there. */
export async function tabTo(page: Page, name: string | RegExp): Promise<void> {
  for (let step = 0; step < 120; step++) {
    await page.keyboard.press('Tab')
    const called = await page.evaluate<string>(NAME_OF_FOCUSED)
    if (typeof name === 'string' ? called === name : name.test(called)) return
  }
  throw new Error(`The keyboard does not get to ${name}.`)
}

/** Read by the driver: the policy lets no script of its own into the page. */
const NAME_OF_FOCUSED = `((element) => element.getAttribute('aria-label') || element.labels?.[0]?.textContent.trim() || element.textContent.trim())(document.activeElement)`

/** Widest content in pixels. */
export const widthOf = (page: Page): Promise<number> =>
  page.evaluate<number>('document.documentElement.scrollWidth')

/**
 * Accessibility faults that axe finds by the rules of WCAG 2.2 A and AA and good practice: `rule:
 * element`, one line each; `exclude`: selectors.
 */
export async function troubles(page: Page, exclude: readonly string[] = []): Promise<string[]> {
  // A page keeps what it loaded: its other looks are judged with it.
  if (!(await page.evaluate<boolean>('"axe" in window'))) await page.evaluate(axe.source)
  const results = await page.evaluate<{ violations: { id: string; nodes: { html: string }[] }[] }>(
    // Of what passes, which are most of all elements, nothing is described and sent.
    `axe.run({ exclude: ${JSON.stringify(exclude)} }, { resultTypes: ['violations'], selectors: false })`,
  )
  return results.violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`))
}
