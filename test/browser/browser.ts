// A real browser for tests of pages: the Chromium that npm brought, without a download.
import { mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import chromium from '@sparticuz/chromium'
import { type Browser, chromium as driver, type Page } from 'playwright-core'
import { FileLock } from '../../src/postgres/embedded/lock.ts'

/**
 * Pages as people have them: a browser with its security on. The package's own arguments switch parts of it
 * off.
 */
const ARGUMENTS = ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--font-render-hinting=none']

/** Milliseconds after which something is taken to come never, however slow the machine is. */
export const PATIENCE = 900_000

/** Starts the browser, or says why it cannot: its libraries or its processor may be missing here. */
export async function startBrowser(): Promise<Browser | string> {
  try {
    const executablePath = await unpacked()
    return await driver.launch({ executablePath, args: ARGUMENTS, headless: true, timeout: PATIENCE })
  } catch (error) {
    return `Chromium does not start here: ${error instanceof Error ? error.message.split('\n')[0] : String(error)}`
  }
}

/** The program, unpacked by the first who asks: another test file must not take half of it for the whole. */
async function unpacked(): Promise<string> {
  const lock = new FileLock(join(tmpdir(), 'comptoir-chromium.lock'))
  await lock.exclusive(PATIENCE, 'unpacking the browser')
  try {
    return await chromium.executablePath()
  } finally {
    lock.release()
  }
}

const SHOTS = join(import.meta.dirname, '../../build/screenshots')

/** Viewports and colour schemes: phone and desktop, light and dark. */
export interface Look {
  readonly width: number
  readonly scheme: 'light' | 'dark'
}
const everyLook: readonly Look[] = [360, 1280].flatMap((width) =>
  (['light', 'dark'] as const).map((scheme) => ({ width, scheme })),
)
/**
 * All four; where every change waits for the tests, each width and each scheme once: looks.test.ts visits all
 * pages anyway.
 */
export const looks: readonly Look[] = process.env.CI
  ? everyLook.filter((_, at) => at === 1 || at === 2)
  : everyLook

/**
 * Keeps a picture of the page for people who ask for pictures (`COMPTOIR_TEST_SHOTS=1`): no test judges them.
 * Of the whole page, or of what a dialog covers.
 */
export async function keepShot(page: Page, name: string, { width, scheme }: Look): Promise<void> {
  if (!process.env.COMPTOIR_TEST_SHOTS) return
  mkdirSync(SHOTS, { recursive: true })
  const fullPage = (await page.locator('dialog[open]').count()) === 0
  await page.screenshot({ path: join(SHOTS, `${name}-${width}-${scheme}.png`), fullPage })
}
