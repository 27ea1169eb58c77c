// Every page on a phone and on a desk, by day and by night: it fits, axe finds nothing, the keyboard gets
// everywhere, and nothing breaks the policy.
// Begins first: it takes 30 s.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { modules } from '../../src/main.ts'
import { createKey } from '../../src/services/admin.ts'
import { keepShot } from './browser.ts'
import {
  ADMIN,
  DATABASE,
  type Setting,
  settingFor,
  signIn,
  startSetting,
  tabTo,
  troubles,
  widthOf,
} from './setting.ts'

let opened: Setting | string | undefined
before(async () => {
  opened = await startSetting(modules)
  if (typeof opened === 'string') return
  await createKey(opened.databases, DATABASE, ADMIN.login, { scope: 'rpc', name: 'Till', days: 30 })
})
after(async () => {
  if (typeof opened === 'object') await opened.close()
})

interface Stop {
  readonly name: string
  readonly path: string
  /** Runs before the page is checked. */
  readonly act?: (page: Page) => Promise<unknown>
}

const shut: readonly Stop[] = [
  { name: 'login', path: '/web/login' },
  { name: 'selector', path: '/web/database/selector' },
  { name: 'not-found', path: '/no/such/page' },
]
const unfold = async (page: Page) => {
  for (const summary of await page.locator('main details > summary').all()) await summary.click()
}
const signedIn: readonly Stop[] = [
  { name: 'home', path: '/odoo' },
  { name: 'record', path: '/odoo/res.partner/1' },
  { name: 'no-record', path: '/odoo/res.partner/99999' },
  { name: 'account', path: '/web/account', act: (page) => page.getByRole('table').first().waitFor() },
  { name: 'doc', path: '/doc', act: (page) => page.locator('#technical > summary').click() },
  {
    name: 'doc-search',
    path: '/doc',
    act: async (page) => {
      await page.getByRole('searchbox').fill('delete orders')
      await page.locator('.results a').first().waitFor()
    },
  },
  { name: 'doc-order', path: '/doc/sale.order' },
  {
    name: 'doc-create',
    path: '/doc/sale.order#method-create',
    act: (page) => page.locator('#method-create .attempt').waitFor(),
  },
  {
    name: 'doc-unlink',
    path: '/doc/sale.order#method-unlink',
    act: async (page) => {
      await page.getByRole('button', { name: 'Try unlink' }).click()
      await page.getByRole('alertdialog').waitFor()
    },
  },
  { name: 'doc-unknown', path: '/doc/no.such' },
  { name: 'manager', path: '/web/database/manager', act: unfold },
  {
    name: 'manager-unlocked',
    path: '/web/database/manager',
    act: async (page) => {
      await page.locator('#unlock input').fill('master')
      await page.keyboard.press('Enter')
      await page.locator('.databases .facts').first().waitFor()
      await page.getByRole('button', { name: `Drop ${DATABASE}` }).click()
    },
  },
]

/** On a desk, where every change waits for the tests, by day alone. */
const schemesAt = (width: number) =>
  width > 400 && process.env.CI ? (['light'] as const) : (['light', 'dark'] as const)

for (const width of [390, 1280])
  test(`every page at ${width} pixels, by day and by night`, async (t) => {
    const setting = settingFor(t, opened)
    if (!setting) return
    const page = await setting.visit({ look: { width, scheme: 'light' } })
    const see = async ({ name, path, act }: Stop) => {
      await page.goto(path)
      await act?.(page)
      for (const scheme of schemesAt(width)) {
        await page.emulateMedia({ colorScheme: scheme })
        assert.ok((await widthOf(page)) <= width, `${name}: ${await widthOf(page)} pixels`)
        assert.deepEqual(await troubles(page), [], `${name}, ${scheme}`)
        await keepShot(page, name, { width, scheme })
      }
    }
    for (const stop of shut) await see(stop)
    await signIn(page, '/odoo')
    for (const stop of signedIn) await see(stop)
    await page.context().close()
  })

test('the keyboard alone leads from home to the documentation, over its contents to a call, and back', async (t) => {
  const setting = settingFor(t, opened)
  if (!setting) return
  const page = await setting.visit({ look: { width: 390, scheme: 'light' } })
  await signIn(page, '/odoo')
  await tabTo(page, 'Copy First call')
  await page.keyboard.press('Enter')
  await page.getByText('Copied', { exact: true }).waitFor()
  assert.match(String(await page.evaluate('navigator.clipboard.readText()')), /^curl 'http:.*"limit":5\}'$/s)
  await tabTo(page, 'documentation')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Documentation' }).waitFor()
  await tabTo(page, /pos\.order$/)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: /pos\.order$/ }).waitFor()
  await tabTo(page, /^Other methods of every model/)
  await page.keyboard.press('Enter')
  await page.locator('#core-methods[open]').waitFor()
  // A link of the contents moves the focus, from which the next step starts.
  await tabTo(page, /^copy\(/)
  await page.keyboard.press('Enter')
  await page.locator('#method-copy .attempt').waitFor()
  await page.goBack()
  await page.goto('/doc/sale.order')
  await tabTo(page, /^search_read\(/)
  await page.keyboard.press('Enter')
  await page.locator('#method-search_read .attempt').waitFor()
  await tabTo(page, 'Body')
  await page.keyboard.press('Control+Enter')
  await page.getByText(/Answer: 200 OK, as you in this session/).waitFor()
  await page.context().close()
})

test('nothing broke the policy of the pages', (t) => {
  const setting = settingFor(t, opened)
  if (setting) assert.deepEqual(setting.complaints, [])
})
