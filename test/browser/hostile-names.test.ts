// Names that people type, with HTML and quotes in them, on every page that shows some: they stay text, and
// nothing of them runs.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { modules } from '../../src/main.ts'
import { createKey } from '../../src/services/admin.ts'
import { DATABASE, type Setting, settingFor, signIn, startSetting, widthOf } from './setting.ts'

/** Ends attributes, elements, comments, scripts and JSON, and would leave a mark on the page. */
const HOSTILE = `"'><img src=x onerror="document.documentElement.dataset.hit=1">--></script></title><script>document.documentElement.dataset.hit=1</script>\${7*7}`
const CLERK = { login: `clerk${HOSTILE}`, password: 'a clerk of the shop' } as const
let opened: Setting | string | undefined

before(async () => {
  opened = await startSetting(modules.filter((module) => module.name === 'base'))
  if (typeof opened === 'string') return
  const { databases } = opened
  const database = await databases.database(DATABASE)
  await database.system(async (env) => {
    const admins = [await env.ref('base.group_system'), await env.ref('api_doc.group_allow_doc')]
    await env.model('res.users').create([{ name: HOSTILE, ...CLERK, group_ids: [[6, 0, admins]] }] as never)
    await env.model('ir.model').create([{ name: HOSTILE, model: 'x_hostile' }] as never)
  })
  await databases.forget(DATABASE)
  await (await databases.database(DATABASE)).system(async (env) => {
    const [model] = (await env.model('ir.model').search([['model', '=', 'x_hostile']] as never)).ids
    const field = {
      model_id: model,
      name: 'x_field',
      field_description: HOSTILE,
      help: HOSTILE,
      ttype: 'char',
    }
    await env.model('ir.model.fields').create([field] as never)
    await env.model('ir.model.access').create([{ name: 'all', model_id: model, perm_read: true }] as never)
  })
  await databases.forget(DATABASE)
  await createKey(databases, DATABASE, CLERK.login, { scope: 'rpc', name: HOSTILE, days: 30 })
})
after(async () => {
  if (typeof opened === 'object') await opened.close()
})

/** Nothing of it became an element or ran, and it can be read. */
async function assertText(page: Page, isShown = true): Promise<void> {
  const where = page.url()
  assert.equal(await page.locator('img[src=x]').count(), 0, where)
  assert.equal(await page.evaluate('document.documentElement.dataset.hit ?? null'), null, where)
  const scripts = 'script:not([type="application/json"]):not([src^="/web/assets/"])'
  assert.equal(await page.locator(scripts).count(), 0, where)
  if (isShown)
    await page.getByText('onerror="document.documentElement').filter({ visible: true }).first().waitFor()
}

test('names, keys, models and fields with HTML in them stay text', async (t) => {
  const setting = settingFor(t, opened)
  if (!setting) return
  for (const width of [1280, 360]) {
    const page = await setting.visit({ look: { width, scheme: 'light' } })
    await signIn(page, '/odoo', CLERK)
    await assertText(page)
    await page.goto('/web/account')
    await page.getByRole('region', { name: 'My API keys' }).getByRole('table').waitFor()
    await page.getByRole('region', { name: 'API keys of all users' }).getByRole('table').waitFor()
    await assertText(page)
    await page.goto('/doc/x_hostile')
    assert.match(String(await page.locator('h1').textContent()), /onerror/)
    assert.match(String(await page.locator('#field-x_field').textContent()), /onerror/)
    await assertText(page)
    await page.goto('/doc')
    await page.getByRole('searchbox').fill('x_hostile')
    await page.getByRole('list', { name: 'Results' }).getByRole('link').first().waitFor()
    await assertText(page)
    assert.ok((await widthOf(page)) <= width, `${width}`)
    await page.context().close()
  }
  assert.deepEqual(setting.complaints, [], 'the policy had nothing to stop')
})

test('what an address or a form sends comes back as text', async (t) => {
  const setting = settingFor(t, opened)
  if (!setting) return
  const page = await setting.visit()
  const sent = encodeURIComponent(HOSTILE)
  await page.goto(`/web/login?redirect=${sent}&reason=${sent}&login=${sent}`)
  await assertText(page, false)
  await page.getByLabel('Login').fill(HOSTILE)
  await page.getByLabel('Password', { exact: true }).fill('wrong')
  await page.keyboard.press('Enter')
  await page.getByRole('alert').waitFor()
  await assertText(page, false)
  assert.equal(await page.getByLabel('Login').inputValue(), HOSTILE)
  for (const path of [`/doc/${sent}`, `/web?db=${sent}`, `/web/login?db=${sent}`, `/nowhere/${sent}`]) {
    await page.goto(path)
    await assertText(page, false)
  }
  await page.goto('/web/database/manager')
  await page.locator('#create summary').click()
  const form = page.locator('#create form')
  await form.getByLabel('Master password').fill('wrong')
  await form.locator('[name=name]').fill('other')
  await form.locator('[name=login]').fill(HOSTILE)
  await form.locator('[name=password]').fill('x')
  await form.getByRole('button', { name: 'Create' }).click()
  await page.getByRole('alert').waitFor()
  await assertText(page, false)
  assert.equal(await form.locator('[name=login]').inputValue(), HOSTILE)
  assert.deepEqual(setting.complaints, [], 'the policy had nothing to stop')
})

test('a way back leads to this server only', async (t) => {
  const setting = settingFor(t, opened)
  if (!setting) return
  for (const path of [
    '//evil.example/',
    '/\\evil.example',
    'https://evil.example/',
    '/\t/evil.example',
    'javascript:alert(1)',
    '',
  ]) {
    const page = await setting.visit()
    await signIn(page, path)
    assert.equal(new URL(page.url()).origin, setting.url, path)
    await page.context().close()
  }
})
