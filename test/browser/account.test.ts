// The account page in a real browser: keys made, shown once, used, deleted and revoked; password and
// sessions; by keyboard, on a phone, by night.
// Begins first: it takes 18 s.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { modules } from '../../src/main.ts'
import { createKey } from '../../src/services/admin.ts'
import { listKeys, restrictKey } from '../../src/services/keys.ts'
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

const CLERK = { login: 'clerk', password: 'a clerk of the shop' } as const
const ACCOUNT = '/web/account'
/** For each endpoint, a delivery that is no longer retried. */
const GIVEN_UP = sql`INSERT INTO comptoir_webhook_delivery (webhook_id, user_id, event, type, res_model, res_id, body, state, attempts, log, created, finished, next_at)
  SELECT id, 2, 'evt_18231_3_51_w' || id, 'sale.order.confirmed', 'sale.order', 51, '{}', 'dead', 10, '[{"at": "2026-11-21 10:00:00", "status": 500, "error": null, "ms": 12}]', now(), now(), now() FROM comptoir_webhook`

let opened: Setting | string | undefined

before(async () => {
  opened = await startSetting(modules.filter((module) => module.name === 'base'))
  if (typeof opened === 'string') return
  const { databases } = opened
  const database = await databases.database(DATABASE)
  await database.system((env) =>
    env.model('res.users').create([{ name: 'Camille Clerk', ...CLERK }] as never),
  )
  // Made before the tests, by the command line's service: each user has one.
  await createKey(databases, DATABASE, CLERK.login, { scope: 'rpc', name: 'Stock counter', days: 30 })
  await createKey(databases, DATABASE, ADMIN.login, { scope: null, name: 'Nightly export', days: 3 })
  // One that is paused: nothing leaves this machine.
  await database.system(async (env) => {
    await env.query(
      sql`INSERT INTO comptoir_webhook (url, events, user_id, state, concurrency) VALUES ('https://erp.example/hook', '["sale.order.confirmed"]', 2, 'paused', 4)`,
    )
    await env.query(GIVEN_UP)
  })
})
after(async () => {
  if (typeof opened === 'object') await opened.close()
})

const button = (page: Page, name: string | RegExp) =>
  page.getByRole('button', { name, exact: typeof name === 'string' })
const myKeys = (page: Page) => page.getByRole('region', { name: 'My API keys' })
const allKeys = (page: Page) => page.getByRole('region', { name: 'API keys of all users' })
const names = (page: Page) => myKeys(page).getByRole('rowheader').allTextContents()

/** The status of a call with the key. */
const statusOf = async ({ url }: Setting, key: string): Promise<number> =>
  (
    await fetch(`${url}/json/2/res.users/context_get`, {
      method: 'POST',
      headers: {
        authorization: `bearer ${key}`,
        'x-service-database': DATABASE,
        'content-type': 'application/json',
        'user-agent': 'till/2.1',
      },
      body: '{}',
    })
  ).status

/** Runs the `curl` line as a shell would take it apart. */
async function runCurl(line: string): Promise<unknown> {
  const words = [...line.replaceAll('\\\n', ' ').matchAll(/'([^']*)'|(\S+)/g)].map(
    ([, quoted, plain]) => quoted ?? plain ?? '',
  )
  assert.equal(words[0], 'curl')
  const headers: Record<string, string> = {}
  for (const [at, word] of words.entries()) {
    if (word !== '-H') continue
    const [name = '', value = ''] = (words[at + 1] ?? '').split(': ')
    headers[name] = value
  }
  const answer = await fetch(words[1] ?? '', {
    method: 'POST',
    headers,
    body: words[words.indexOf('-d') + 1] ?? '',
  })
  return answer.json()
}

test('a key is made by keyboard alone: description, date, password, then it is there once and works', async (t) => {
  const setting = settingFor(t, opened)
  if (!setting) return
  const page = await setting.visit()
  await signIn(page, ACCOUNT)
  await myKeys(page).getByRole('table').waitFor()

  await tabTo(page, 'New API Key')
  await page.keyboard.press('Enter')
  await page.keyboard.type("The till's tablet")
  await page.keyboard.press('Tab')
  await page.locator('option[value="-1"]').waitFor({ state: 'attached' })
  await page.keyboard.press('End')
  assert.equal(await page.getByLabel('Duration').inputValue(), '-1')
  await tabTo(page, 'Last day')
  const date = page.getByLabel('Last day')
  const [first, last] = [await date.getAttribute('min'), await date.getAttribute('max')]
  const days = (Date.parse(String(last)) - Date.parse(String(first))) / 86_400_000
  assert.ok(days >= 89 && days <= 92, `${days} days`)
  await page.keyboard.press('Enter')

  await page.getByLabel('Password', { exact: true }).waitFor()
  await page.keyboard.type('not the password')
  await page.keyboard.press('Enter')
  assert.match(String(await page.getByRole('alert').textContent()), /password/i)
  // The wrong one is selected: typing replaces it.
  await page.keyboard.type(ADMIN.password)
  await page.keyboard.press('Enter')

  const [shown, curl] = [page.locator('.copy code').first(), page.locator('.copy code').last()]
  const key = String(await shown.textContent())
  assert.match(key, /^[0-9a-f]{40}$/)
  assert.deepEqual(await runCurl(String(await curl.textContent())), { lang: 'en_US', tz: false, uid: 2 })
  await page.keyboard.press('Escape')
  assert.match(String(await page.getByRole('alert').textContent()), /not copied/)
  await tabTo(page, 'Copy API key')
  await page.keyboard.press('Enter')
  await page.getByText('Copied', { exact: true }).waitFor()
  assert.equal(await page.evaluate('navigator.clipboard.readText()'), key)
  await page.keyboard.press('Escape')

  await page.getByRole('dialog').waitFor({ state: 'detached' })
  assert.equal(await page.evaluate('document.activeElement.textContent'), 'New API Key')
  assert.ok((await names(page)).includes("The till's tablet"))
  assert.ok(!(await page.content()).includes(key))
  await page.reload()
  await myKeys(page).getByRole('table').waitFor()
  assert.ok(!(await page.content()).includes(key))

  // The password was given just now: the session is trusted for some minutes.
  assert.equal(await statusOf(setting, key), 200)
  await (await setting.databases.database(DATABASE)).callers.settle()
  await page.reload()
  const row = myKeys(page).getByRole('row', { name: /tablet/ })
  assert.match(String(await row.textContent()), /2 times, last by till 2\.1, 127\.0\.0\.1/)
  await tabTo(page, "Revoke the key The till's tablet")
  await page.keyboard.press('Enter')
  const question = page.getByRole('alertdialog')
  await question.waitFor()
  assert.equal(await page.evaluate('document.activeElement.textContent'), 'Keep it')
  await page.keyboard.press('Escape')
  await question.waitFor({ state: 'detached' })
  assert.equal(await statusOf(setting, key), 200)
  assert.equal(
    await page.evaluate("document.activeElement.getAttribute('aria-label')"),
    "Revoke the key The till's tablet",
  )
  await page.keyboard.press('Enter')
  await question.waitFor()
  await tabTo(page, 'Revoke key')
  await page.keyboard.press('Enter')
  await page.getByText('was revoked').waitFor()
  assert.equal(await statusOf(setting, key), 401)
  assert.deepEqual(await names(page), ['Nightly export'])
  assert.equal(await page.evaluate('document.activeElement.textContent'), 'My API keys')
  await page.context().close()
})

test('durations are those that the groups of the user allow', async (t) => {
  const setting = settingFor(t, opened)
  if (!setting) return
  const page = await setting.visit()
  await signIn(page, ACCOUNT, CLERK)
  const offered = async () => {
    await button(page, 'New API Key').click()
    await page.locator('option[value="-1"]').waitFor({ state: 'attached' })
    return page.getByLabel('Duration').locator('option').allTextContents()
  }
  assert.deepEqual(await offered(), ['1 Day', '1 Week', '1 Month', '3 Months', 'Custom Date'])
  assert.equal(await allKeys(page).count(), 0)

  const database = await setting.databases.database(DATABASE)
  const limit = (days: number) =>
    database.system(async (env) => {
      const group = await env.ref('base.group_user')
      await env.model('res.groups').browse([group]).write({ api_key_duration: days })
    })
  await limit(10)
  await page.reload()
  assert.deepEqual(await offered(), ['1 Day', '1 Week', 'Custom Date'])
  await page.getByLabel('Duration').selectOption('Custom Date')
  const date = page.getByLabel('Last day')
  const days =
    (Date.parse(String(await date.getAttribute('max'))) -
      Date.parse(String(await date.getAttribute('min')))) /
    86_400_000
  assert.equal(days, 10)
  // The last of the days that are offered is one that the server takes.
  await page.getByRole('textbox', { name: 'Description' }).fill('To the last day')
  await button(page, 'Create key').click()
  await page.getByLabel('Password', { exact: true }).fill(CLERK.password)
  await page.keyboard.press('Enter')
  await page.getByText('Your new API key').waitFor()
  await limit(90)
  await page.context().close()
})

test('administrators find and revoke the keys of others', async (t) => {
  const setting = settingFor(t, opened)
  if (!setting) return
  const key = await createKey(setting.databases, DATABASE, CLERK.login, {
    scope: 'rpc',
    name: 'Lost phone',
    days: 20,
  })
  const page = await setting.visit()
  await signIn(page, ACCOUNT)
  const section = allKeys(page)
  await section.getByLabel('Filter by user or description').fill('camille lost')
  assert.deepEqual(await section.getByRole('rowheader').allTextContents(), ['Lost phone'])
  assert.match(String(await section.getByRole('row').last().textContent()), /Camille Clerk/)
  await button(page, 'Revoke the key Lost phone of Camille Clerk').click()
  await page.getByRole('alertdialog').getByText('Camille Clerk').waitFor()
  await button(page, 'Revoke key').click()
  await page.getByLabel('Password', { exact: true }).fill(ADMIN.password)
  await button(page, 'Revoke key').click()
  await page.getByText('was revoked').waitFor()
  assert.equal(await statusOf(setting, key), 401)
  assert.deepEqual(await section.getByRole('rowheader').allTextContents(), [])
  await page.context().close()
})

test('a key is narrowed by keyboard, in words: what it may do, how fast; wider only administrators make it', async (t) => {
  const setting = settingFor(t, opened)
  if (!setting) return
  const key = await createKey(setting.databases, DATABASE, CLERK.login, {
    scope: 'rpc',
    name: 'Shelf labels',
    days: 20,
  })
  const page = await setting.visit()
  await page.setViewportSize({ width: 360, height: 740 })
  await signIn(page, ACCOUNT, CLERK)
  await myKeys(page).getByRole('table').waitFor()
  const open = async () => {
    await tabTo(page, 'Change the key Shelf labels')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').waitFor()
  }
  await open()
  assert.ok((await widthOf(page)) <= 360)
  await tabTo(page, 'May do')
  await page.keyboard.type('Read only')
  await tabTo(page, 'Speed')
  await page.keyboard.type('600 calls')
  await tabTo(page, 'Change key')
  await page.keyboard.press('Enter')
  await page.getByText('The key “Shelf labels” was changed.').waitFor()
  const row = myKeys(page).getByRole('row', { name: /Shelf labels/ })
  assert.match(String(await row.textContent()), /Read only.*600 calls in 60s/)
  const creation = await fetch(`${setting.url}/json/2/res.partner/create`, {
    method: 'POST',
    headers: {
      authorization: `bearer ${key}`,
      'x-service-database': DATABASE,
      'content-type': 'application/json',
    },
    body: '{"vals_list": [{"name": "x"}]}',
  })
  assert.deepEqual([creation.status, creation.headers.get('error-code')], [403, 'scope_missing'])
  assert.match(creation.headers.get('ratelimit-policy') ?? '', /"key";q=600;w=60/)
  await open()
  await tabTo(page, 'May do')
  await page.keyboard.type('Everything')
  await tabTo(page, 'Change key')
  await page.keyboard.press('Enter')
  assert.match(String(await page.getByRole('alert').textContent()), /Only administrators can widen/)
  await page.context().close()
})

test('what a key may do and how is read in the list, however much it is; one that has ended is only revoked', async (t) => {
  const setting = settingFor(t, opened)
  if (!setting) return
  const { databases } = setting
  const make = (name: string, scope: string) =>
    createKey(databases, DATABASE, CLERK.login, { scope, name, days: 20 })
  const long = 'A till in the corner behind the door to the yard, with a description that does not end'
  await make(long, 'rpc model:res.partner:rwc model:res.country:r company:1 batch changes')
  await make('Ended', 'rpc')
  const keys = await listKeys(databases, DATABASE, CLERK.login)
  const idOf = (name: string) => keys.find((key) => key.name === name)?.id ?? 0
  await restrictKey(databases, DATABASE, idOf(long), {
    addresses: '10.0.0.0/8, 192.0.2.0/24',
    concurrency: 4,
    idempotency_required: true,
  })
  await (await databases.database(DATABASE)).system((env) =>
    env.query(
      sql`UPDATE res_users_apikeys SET expiration_date = now() - interval '1 day' WHERE id = ${idOf('Ended')}::int`,
    ),
  )
  for (const { visitor, width } of [CLERK, ADMIN].flatMap((visitor) =>
    [360, 800, 1280].map((width) => ({ visitor, width })),
  )) {
    const page: Page = await setting.visit({ look: { width, scheme: 'light' } })
    await signIn(page, ACCOUNT, visitor)
    const region = visitor === ADMIN ? allKeys(page) : myKeys(page)
    const row = region.getByRole('row', { name: new RegExp(long) })
    await row.waitFor()
    assert.ok((await widthOf(page)) <= width, `${visitor.login} at ${width}`)
    const [outer, inner] = [await region.boundingBox(), await region.getByRole('table').boundingBox()]
    const rightOf = (box: typeof outer) => (box ? box.x + box.width : Number.NaN)
    assert.ok(rightOf(inner) <= rightOf(outer), `the table of ${visitor.login} at ${width}`)
    const text = String(await row.textContent())
    assert.match(
      text,
      /res\.partner: read, change, create, res\.country: read, company 1, several calls at once/,
    )
    assert.match(text, /4 calls at a time.*each change with an Idempotency-Key/)
    // A description is broken into lines, and not into letters.
    const cell = (await row.getByRole('rowheader').boundingBox())?.width ?? 0
    assert.ok(cell >= 100, `${cell} pixels wide at ${width}`)
    const ended = region.getByRole('row', { name: /^Ended/ })
    assert.equal(await ended.getByRole('button', { name: /Change/ }).count(), 0)
    assert.match(String(await ended.textContent()), /Everything, over the API.*Expired/)
    await ended.getByRole('button', { name: /Revoke/ }).click()
    assert.match(String(await page.getByRole('alertdialog').textContent()), /has expired and no longer works/)
    await page.context().close()
  }
})

test('the password is changed, and every session ends with the old one', async (t) => {
  const setting = settingFor(t, opened)
  if (!setting) return
  const [page, other] = [await setting.visit(), await setting.visit()]
  await signIn(other, ACCOUNT, CLERK)
  await signIn(page, ACCOUNT, CLERK)
  const change = async (before: string, next: string, again: string) => {
    await page.getByLabel('Current password', { exact: true }).fill(before)
    await page.getByLabel('New password', { exact: true }).fill(next)
    await page.getByLabel('New password again', { exact: true }).fill(again)
    await page.keyboard.press('Enter')
  }
  await change(CLERK.password, 'a better one', 'a bitter one')
  await page.getByText('The two new passwords differ.').waitFor()
  await change('wrong', 'a better one', 'a better one')
  await page.getByText('This is not your current password.').waitFor()
  await change(CLERK.password, 'short', 'short')
  assert.match(String(await page.getByRole('alert').textContent()), /at least 8 characters/)
  await change(CLERK.password, 'a better one', 'a better one')
  await page.getByText('Your password is changed.').waitFor()
  await other.goto(ACCOUNT)
  assert.match(other.url(), /\/web\/login/)
  await signIn(page, ACCOUNT, { ...CLERK, password: 'a better one' })
  await page.getByRole('heading', { name: 'Account security' }).waitFor()

  // A page that was open all along notices with its next call.
  await signIn(other, ACCOUNT, { ...CLERK, password: 'a better one' })
  const admin = await setting.visit()
  await signIn(admin, ACCOUNT)
  await button(page, 'Sign out everywhere').click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Sign out everywhere' }).click()
  await page.getByText('You are signed out on every device.').waitFor()
  await button(other, 'New API Key').click()
  await other.waitForURL('**/web/login?redirect=%2Fweb%2Faccount**')
  await other.getByText('Your session has ended.').waitFor()
  // Sessions of others are none of their business.
  await admin.goto(ACCOUNT)
  await admin.getByRole('heading', { name: 'Account security' }).waitFor()
  await Promise.all([page, other, admin].map((openPage) => openPage.context().close()))
})

test('sessions are told apart by their devices, and ended one by one', async (t) => {
  const setting = settingFor(t, opened)
  if (!setting) return
  const [page, other] = [await setting.visit(), await setting.visit()]
  await signIn(other, ACCOUNT)
  await signIn(page, ACCOUNT)
  const sessions = page.getByRole('region', { name: 'Sessions' })
  await sessions.getByRole('table').waitFor()
  const rows = await sessions.getByRole('rowheader').allTextContents()
  assert.ok(rows.length >= 2 && rows.every((row) => /^Chrome on \w+127\.0\.0\.1$/.test(row)), rows.join())
  assert.equal(await sessions.getByText('This browser').count(), 1)
  const others = sessions.getByRole('button', { name: /^Sign out Chrome/ })
  for (let left = await others.count(); left > 0; left--) {
    await others.first().click()
    await others.nth(left - 1).waitFor({ state: 'detached' })
  }
  await sessions.getByText(/Chrome on \w+ is signed out/).waitFor()
  await other.goto(ACCOUNT)
  await other.waitForURL('**/web/login**')
  await Promise.all([page, other].map((openPage) => openPage.context().close()))
})

test('without a connection the page says so and goes on when there is one again', async (t) => {
  const setting = settingFor(t, opened)
  if (!setting) return
  const page = await setting.visit()
  await signIn(page, ACCOUNT)
  await myKeys(page).getByRole('table').waitFor()
  await page.context().setOffline(true)
  await button(page, 'Revoke the key Nightly export').click()
  await button(page, 'Revoke key').click()
  await page.getByText('The server does not respond.').waitFor()
  await page.context().setOffline(false)
  await button(page, 'Revoke key').click()
  await page.getByLabel('Password', { exact: true }).waitFor()
  await page.keyboard.press('Escape')
  assert.deepEqual(await names(page), ['Nightly export'])
  await page.context().close()
})

test('deliveries of webhooks are looked at by keyboard, with their attempts, and sent again', async (t) => {
  const setting = settingFor(t, opened)
  if (!setting) return
  const database = await setting.databases.database(DATABASE)
  const page = await setting.visit()
  // The page reads the deliveries when they are opened and when one was sent again. From then on it looks for
  // news by itself, which has to wait until what is gone meanwhile was sent once more.
  const mayLook = Promise.withResolvers<void>()
  let looks = 0
  await page.route('**/comptoir.webhook.delivery/search_read', async (route) => {
    looks++
    if (looks > 2) await mayLook.promise
    await route.continue()
  })
  await signIn(page, ACCOUNT)
  const webhooks = page.getByRole('region', { name: 'Webhooks of all users' })
  await webhooks.getByRole('table').waitFor()
  assert.match(String(await webhooks.textContent()), /https:\/\/erp\.example\/hook.*Paused/s)
  await tabTo(page, 'Deliveries to https://erp.example/hook')
  await page.keyboard.press('Enter')
  const row = webhooks.getByRole('row', { name: /evt_18231/ })
  await row.waitFor()
  assert.match(String(await row.textContent()), /Failed/)
  await row.locator('summary').focus()
  await page.keyboard.press('Enter')
  await row.getByText('2026-11-21 10:00:00 UTC: 500').waitFor()
  await tabTo(page, /^Send again sale\.order\.confirmed /)
  await page.keyboard.press('Enter')
  await webhooks.getByText('sale.order.confirmed is sent again.').waitFor()
  await webhooks.getByRole('row', { name: /On its way/ }).waitFor()
  const state = sql`SELECT state, attempts FROM comptoir_webhook_delivery`
  assert.deepEqual(await database.system((env) => env.query(state)), [['waiting', 0]])
  // Its time is over meanwhile: the page says so in words, and goes on.
  await database.system((env) => env.query(sql`DELETE FROM comptoir_webhook_delivery`))
  await tabTo(page, /^Send again sale\.order\.confirmed /)
  await page.keyboard.press('Enter')
  await webhooks.getByText(/no longer kept/).waitFor()
  mayLook.resolve()
  await webhooks.getByRole('button', { name: 'Refresh' }).click()
  await webhooks.getByRole('row', { name: /evt_18231/ }).waitFor({ state: 'detached' })
  await database.system((env) => env.query(GIVEN_UP))
  await page.context().close()
})

test('step-up: a change that asks for the password opens a dialog for it, and goes on; without it nothing is done', async (t) => {
  const setting = settingFor(t, opened)
  if (!setting) return
  const { databases } = setting
  await createKey(databases, DATABASE, CLERK.login, { scope: 'rpc', name: 'Till drawer', days: 20 })
  const database = await databases.database(DATABASE)
  const run = (statement: Sql) => database.system((env) => env.query(statement))
  const page = await setting.visit()
  await signIn(page, ACCOUNT)
  await allKeys(page).getByRole('table').waitFor()
  await run(sql`INSERT INTO ir_config_parameter (key, value) VALUES ('comptoir.step_up_minutes', '10')`)
  await run(sql`UPDATE browser_session SET made = made - interval '11 minutes', confirmed = NULL`)
  const change = async () => {
    await tabTo(page, 'Change key')
    await page.keyboard.press('Enter')
    await question.waitFor()
  }
  const question = page.getByRole('dialog', { name: 'Confirm your identity' })
  await tabTo(page, 'Change the key Till drawer of Camille Clerk')
  await page.keyboard.press('Enter')
  await tabTo(page, 'May do')
  await page.keyboard.type('Read only')
  await change()
  assert.deepEqual(await troubles(page), [])
  await keepShot(page, 'account-step-up', { width: 1280, scheme: 'light' })
  await page.keyboard.press('Escape')
  await page.getByText('Nothing was changed because you did not confirm your identity.').waitFor()
  await change()
  await page.keyboard.type('wrong')
  await page.keyboard.press('Enter')
  await page.getByText('This is not your password. Try again.').waitFor()
  await page.keyboard.type(ADMIN.password)
  await page.keyboard.press('Enter')
  await page.getByText('The key “Till drawer” was changed.').waitFor()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await run(sql`DELETE FROM ir_config_parameter WHERE key = 'comptoir.step_up_minutes'`)
  await page.context().close()
})

for (const look of looks) {
  test(`the account page is whole and accessible at ${look.width} pixels, ${look.scheme}`, async (t) => {
    const setting = settingFor(t, opened)
    if (!setting) return
    const page = await setting.visit({ look })
    const check = async (name: string) => {
      assert.ok((await widthOf(page)) <= look.width, `${name}: ${await widthOf(page)} pixels`)
      assert.deepEqual(await troubles(page), [], name)
      await keepShot(page, name, look)
    }
    await signIn(page, ACCOUNT)
    await allKeys(page).getByRole('table').waitFor()
    await button(page, 'Deliveries to https://erp.example/hook').click()
    await page.getByRole('row', { name: /evt_18231/ }).waitFor()
    await check('account')
    await button(page, 'New API Key').click()
    await page.locator('option[value="-1"]').waitFor({ state: 'attached' })
    await page.getByLabel('Duration').selectOption('Custom Date')
    await page.getByRole('textbox', { name: 'Description' }).fill(`Till ${look.width}`)
    await check('account-new-key')
    await button(page, 'Create key').click()
    await page.getByLabel('Password', { exact: true }).fill(ADMIN.password)
    await check('account-password')
    await page.keyboard.press('Enter')
    await page.getByText('Your new API key').waitFor()
    await check('account-key')
    await button(page, 'Copy API key').click()
    await button(page, 'I have stored it').click()
    await button(page, `Revoke the key Till ${look.width}`).click()
    await check('account-revoke')
    await button(page, 'Revoke key').click()
    await page.getByText('was revoked').waitFor()
    await page.context().close()
  })
}

test('nothing broke the policy of the pages', async (t) => {
  const setting = settingFor(t, opened)
  if (!setting) return
  const page = await setting.visit()
  await signIn(page, ACCOUNT)
  const policy = (await page.goto(ACCOUNT))?.headers()['content-security-policy'] ?? ''
  assert.match(policy, /default-src 'none'; script-src 'self'; style-src 'self'/)
  assert.doesNotMatch(policy, /unsafe|\*/)
  const inline = await page.evaluate(
    '[...document.querySelectorAll("script:not([src],[type=\\"application/json\\"]),style,[style],[onclick]")].map((one) => one.outerHTML)',
  )
  assert.deepEqual(inline, [])
  assert.deepEqual(setting.complaints, [])
  const database = await setting.databases.database(DATABASE)
  const rows = await database.system((env) =>
    env.query(sql`SELECT count(*)::int FROM comptoir_audit WHERE event = 'session.end'`),
  )
  assert.ok(Number(rows[0]?.[0]) >= 1)
  await page.context().close()
})
