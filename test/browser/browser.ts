// A real browser for tests of pages: the Chromium that npm brought, without a download.
import chromium from '@sparticuz/chromium'
import { type Browser, chromium as driver } from 'playwright-core'

/** Starts the browser, or says why it cannot: its libraries or its processor may be missing here. */
export async function startBrowser(): Promise<Browser | string> {
  try {
    return await driver.launch({ executablePath: await chromium.executablePath(), args: chromium.args, headless: true })
  } catch (error) {
    return `Chromium does not start here: ${error instanceof Error ? error.message.split('\n')[0] : String(error)}`
  }
}
