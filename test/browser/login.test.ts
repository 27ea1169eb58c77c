// Signing in and out in a real browser: with script and without, by keyboard, locked out for a while, on a phone and by night.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { modules } from '../../src/main.ts'
import { sql } from '../../src/sql/index.ts'
import { keepShot, looks } from './browser.ts'
import { ADMIN, DATABASE, type Setting, settingFor, signIn, startSetting, troubles, widthOf } from './setting.ts'

let opened: Setting | string | undefined

before(async () => {
  opened = await startSetting(modules.filter((module) => module.name === 'base'))
})
after(async () => {
  if (typeof opened === 'object') await opened.close()
})

test('people sign in and out without any script', async (t) => {
  const setting = settingFor(t, opened)
  if (!setting) return
  const page = await setting.visit({ script: false })
  await page.goto('/odoo')
  await page.getByLabel('Login').fill('admin')
  await page.getByLabel('Password').fill('wrong')
  await page.getByRole('button', { name: 'Sign in' }).click()
  assert.equal(await page.getByRole('alert').textContent(), 'Wrong login/password')
  assert.equal(await page.getByLabel('Login').inputValue(), 'admin')
  await page.getByLabel('Password').fill(ADMIN.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Hello, Administrator' }).waitFor()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByText('You are signed out.').waitFor()
  await page.goto('/web/account')
  assert.match(page.url(), /\/web\/login\?redirect=%2Fweb%2Faccount/)
  await page.context().close()
})

test('the keyboard is enough, and the way leads back to where somebody was going', async (t) => {
  const setting = settingFor(t, opened)
  if (!setting) return
  const page = await setting.visit()
  await page.goto('/web/login?redirect=%2Fweb%2Faccount%3Fa%3D1#part')
  await page.locator('#login:focus').waitFor()
  await page.keyboard.type('admin')
  await page.keyboard.press('Tab')
  await page.keyboard.type(ADMIN.password)
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  const password = page.getByLabel('Password', { exact: true })
  assert.deepEqual([await password.getAttribute('type'), await password.inputValue()], ['text', ADMIN.password])
  await password.press('Enter')
  await page.waitForURL('**/web/account?a=1#part')
  await page.context().close()
})

test('who failed too often sees how long to wait, and gets in afterwards', async (t) => {
  const setting = settingFor(t, opened)
  if (!setting) return
  const database = await setting.databases.database(DATABASE)
  const limits = { 'base.login_cooldown_after': '2', 'base.login_cooldown_duration': '90' }
  await database.system(async (env) => {
    for (const [key, value] of Object.entries(limits)) {
      const known = await env.model('ir.config_parameter').search([['key', '=', key]])
      await (known.ids.length ? known.write({ value }) : env.model('ir.config_parameter').create([{ key, value }]))
    }
  })
  const page = await setting.visit()
  await page.clock.install()
  await page.goto('/web/login')
  await page.getByLabel('Login').fill('admin')
  const tooMany = page.getByRole('alert').getByText('Too many login failures')
  for (let attempt = 0; attempt < 4 && (await tooMany.count()) === 0; attempt++) {
    await page.getByLabel('Password', { exact: true }).fill('wrong')
    await Promise.all([page.waitForEvent('load'), page.keyboard.press('Enter')])
  }
  assert.match(String(await page.getByRole('alert').textContent()), /Too many login failures.* Time left: 1 min \d+ s\./)
  assert.equal(await page.getByRole('button', { name: 'Sign in' }).isDisabled(), true)
  await page.clock.fastForward(90_000)
  await page.getByText('You can try again now.').waitFor()
  await database.system((env) => env.query(sql`DELETE FROM failed_login`))
  await page.getByLabel('Password', { exact: true }).fill(ADMIN.password)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Hello, Administrator' }).waitFor()
  await page.context().close()
})

for (const look of looks) {
  test(`login and home are whole and accessible at ${look.width} pixels, ${look.scheme}`, async (t) => {
    const setting = settingFor(t, opened)
    if (!setting) return
    const page = await setting.visit({ look })
    const check = async (name: string) => {
      assert.ok((await widthOf(page)) <= look.width, `${name}: ${await widthOf(page)} pixels`)
      assert.deepEqual(await troubles(page), [], name)
      await keepShot(page, name, look)
    }
    await page.goto('/web/database/selector')
    await check('selector')
    await page.goto('/web/login?reason=expired')
    await check('login')
    await signIn(page, '/odoo')
    await check('home')
    await page.context().close()
  })
}

test('nothing broke the policy of the pages', (t) => {
  const setting = settingFor(t, opened)
  if (setting) assert.deepEqual(setting.complaints, [])
})
