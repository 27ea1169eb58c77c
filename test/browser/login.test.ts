// Signing in and out in a real browser: with script and without, by keyboard, locked out for a while, on a
// phone and by night.
// Begins first: it takes 8 s.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { stepOf, totpCode } from '../../src/kit/totp.ts'
import { modules } from '../../src/main.ts'
import { createKey } from '../../src/services/admin.ts'
import { type Sql, sql } from '../../src/sql/index.ts'
import { keepShot, looks } from './browser.ts'
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
  assert.deepEqual(
    [await password.getAttribute('type'), await password.inputValue()],
    ['text', ADMIN.password],
  )
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
      const parameters = await env.model('ir.config_parameter').search([['key', '=', key]])
      await (parameters.ids.length
        ? parameters.write({ value })
        : env.model('ir.config_parameter').create([{ key, value }]))
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
  assert.match(
    String(await page.getByRole('alert').textContent()),
    /Too many login failures.* Time left: 1 min \d+ s\./,
  )
  assert.equal(await page.getByRole('button', { name: 'Sign in' }).isDisabled(), true)
  await page.clock.fastForward(90_000)
  await page.getByText('You can try again now.').waitFor()
  await database.system((env) => env.query(sql`DELETE FROM failed_login`))
  await page.getByLabel('Password', { exact: true }).fill(ADMIN.password)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Hello, Administrator' }).waitFor()
  await page.context().close()
})

test('home page: shows models, use of keys, keys that end soon, and first steps', async (t) => {
  const setting = settingFor(t, opened)
  if (!setting) return
  const database = await setting.databases.database(DATABASE)
  const key = await createKey(setting.databases, DATABASE, ADMIN.login, {
    scope: 'rpc',
    name: 'Till <3',
    days: 30,
  })
  const ask = () =>
    fetch(`${setting.url}/json/2/res.partner/search_count`, {
      method: 'POST',
      headers: {
        authorization: `bearer ${key}`,
        'x-service-database': DATABASE,
        'content-type': 'application/json',
      },
      body: '{"domain": []}',
    })
  const count = await (await ask()).json()
  await ask()
  await database.callers.settle()
  await database.system((env) =>
    env.query(
      sql`UPDATE res_users_apikeys SET create_date = now() - interval '60 days', expiration_date = now() AT TIME ZONE 'UTC' + interval '36 hours' WHERE name = 'Till <3'`,
    ),
  )
  const page = await setting.visit()
  await signIn(page, '/odoo')
  assert.match(
    String(await page.getByRole('region', { name: 'The shop' }).textContent()),
    new RegExp(`Contacts${count}$`),
  )
  await page.getByText(/The key Till <3 expires tomorrow\. Create another one before then\./).waitFor()
  const calls = page.getByRole('region', { name: 'API calls' })
  assert.match(
    String(await calls.locator('li').first().textContent()),
    /^Till <3: .*(?:now|second|minute).*, from 127\.0\.0\.1, 2 times in all$/,
  )
  const curl = String(await calls.locator('pre').textContent())
  assert.ok(
    curl.includes(`${setting.url}/json/2/res.partner/search_read`) &&
      curl.includes('bearer $API_KEY') &&
      curl.includes('X-Service-Database: shop'),
    curl,
  )
  await page.context().close()
})

test('a path that leads nowhere has the frame of the others', async (t) => {
  const setting = settingFor(t, opened)
  if (!setting) return
  for (const look of looks) {
    const page = await setting.visit({ look })
    const answer = await page.goto('/no/such/page')
    assert.equal(answer?.status(), 404)
    await page.getByRole('heading', { name: 'Not Found' }).waitFor()
    assert.match(await page.title(), /404 Not Found/)
    assert.ok((await widthOf(page)) <= look.width)
    assert.deepEqual(await troubles(page), [])
    await keepShot(page, 'not-found', look)
    await page.getByRole('link', { name: 'Sign in' }).click()
    await page.waitForURL((url) => url.pathname !== '/no/such/page')
    await page.context().close()
  }
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

test('second factor: set up by keyboard, asked for at the login and before a key is made, and switched off', async (t) => {
  const setting = settingFor(t, opened)
  if (!setting) return
  const database = await setting.databases.database(DATABASE)
  const look = { width: 360, scheme: 'dark' } as const
  const page = await setting.visit({ look })
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const check = async (name: string) => {
    assert.ok((await widthOf(page)) <= look.width, `${name}: ${await widthOf(page)} pixels`)
    assert.deepEqual(await troubles(page), [], name)
    await keepShot(page, name, look)
  }
  const camille = { login: 'camille', password: 'a clerk of the shop' }
  await database.system((env) => env.model('res.users').create([{ name: 'Camille', ...camille }] as never))
  await signIn(page, '/web/account', camille)
  await tabTo(page, 'Set up a second factor')
  await page.keyboard.press('Enter')
  await page.getByLabel('Password', { exact: true }).waitFor()
  await page.keyboard.type('wrong\n')
  await page.getByText('This is not your password. Try again.').waitFor()
  await page.keyboard.type(`${camille.password}\n`)
  await page.getByLabel('Code', { exact: true }).waitFor()
  await check('account-second-factor')
  const secret = String(await page.locator('.copy code').textContent()).replaceAll(' ', '')
  assert.match(String(await page.getByRole('link', { name: /in the app/ }).getAttribute('href')), /^otpauth:/)
  const codes = [-1, 0, 1].map((away) => totpCode(secret, stepOf(new Date()) + away))
  await page.keyboard.type(`${codes[0]}\n`)
  await page.getByText('Each code signs you in once').waitFor()
  await check('account-recovery-codes')
  const recovery = String(await page.locator('.copy code').textContent()).split('\n')
  assert.equal(recovery.length, 10)
  await tabTo(page, 'I have stored them')
  await page.keyboard.press('Enter')
  await page.getByText('10 recovery codes are left.').waitFor()

  await button('Sign out').click()
  await signIn(page, '/web/account', camille)
  await page.waitForURL('**/web/login/code?redirect=%2Fweb%2Faccount')
  await check('login-code')
  await page.keyboard.type('000000\n')
  await page.getByRole('alert').getByText('Wrong code.').waitFor()
  await page.keyboard.type(`${codes[1]}\n`)
  await page.getByRole('heading', { name: 'Account security' }).waitFor()

  await button('New API Key').click()
  await page.getByRole('textbox', { name: 'Description' }).fill('By code')
  await button('Create key').click()
  await page.getByLabel('Code', { exact: true }).fill(recovery[0] ?? '')
  await page.keyboard.press('Enter')
  await page.getByText('Your new API key').waitFor()
  await page.reload()
  await page.getByText('9 recovery codes are left.').waitFor()
  await button('Switch off').click()
  await page.getByLabel('Code', { exact: true }).fill(codes[2] ?? '')
  await page.keyboard.press('Enter')
  await page.getByText('Your second factor is switched off.').waitFor()
  await page.getByText('You sign in with your password only.').waitFor()
  await page.context().close()
})

test('second factor: an administrator who must have one sets it up while signing in, without script', async (t) => {
  const setting = settingFor(t, opened)
  if (!setting) return
  const database = await setting.databases.database(DATABASE)
  const run = (statement: Sql) => database.system((env) => env.query(statement))
  await run(
    sql`INSERT INTO ir_config_parameter (key, value) VALUES ('comptoir.second_factor_required', 'True')`,
  )
  const page = await setting.visit({ script: false, look: { width: 360, scheme: 'light' } })
  await page.goto('/web/login')
  await page.getByLabel('Login').fill(ADMIN.login)
  await page.getByLabel('Password').fill(ADMIN.password)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Set up a second factor' }).waitFor()
  await keepShot(page, 'login-enrol', { width: 360, scheme: 'light' })
  const secret = String(await page.locator('code').textContent()).replaceAll(' ', '')
  await page.getByLabel('Code').fill(totpCode(secret, stepOf(new Date())))
  await page.getByRole('button', { name: 'Switch on and sign in' }).click()
  assert.equal(await page.locator('.codes li').count(), 10)
  await keepShot(page, 'login-recovery-codes', { width: 360, scheme: 'light' })
  await page.getByRole('link', { name: 'I have stored them' }).click()
  await page.getByRole('heading', { name: 'Hello, Administrator' }).waitFor()
  await run(sql`DELETE FROM ir_config_parameter WHERE key = 'comptoir.second_factor_required'`)
  await run(sql`DELETE FROM comptoir_second_factor`)
  await page.context().close()
})

test('nothing broke the policy of the pages', (t) => {
  const setting = settingFor(t, opened)
  if (setting) assert.deepEqual(setting.complaints, [])
})
