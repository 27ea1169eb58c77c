// The documentation in a real browser, with every module installed: search, deep links, examples that run,
// calls with a key, by keyboard, on a phone, by night.
// Begins first: it takes 18 s.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { modules } from '../../src/main.ts'
import { createKey } from '../../src/services/admin.ts'
import { byName } from '../support/by-name.ts'
import { root } from '../support/serve.ts'
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

const run = promisify(execFile)
let opened: Setting | string | undefined
let key = ''

before(async () => {
  opened = await startSetting(modules)
  if (typeof opened === 'object')
    key = await createKey(opened.databases, DATABASE, ADMIN.login, { scope: 'rpc', name: 'doc', days: 1 })
})
after(async () => {
  if (typeof opened === 'object') await opened.close()
})

/** Of what there are many alike, some are looked at. */
const MANY = [
  '.models li:nth-child(n+8)',
  'tr:nth-child(n+8)',
  'details.method:not([open]):nth-child(n+4)',
  '.results li:nth-child(n+6)',
]
const box = (page: Page) => page.getByRole('searchbox')
const results = (page: Page) => page.getByRole('list', { name: 'Results' }).getByRole('link')
const method = (page: Page, name: string) => page.locator(`#method-${name}`)
/** Reported, not asserted: tests do not depend on the speed of the machine. */
const firstPaint = (page: Page) =>
  page.evaluate<number>(`new Promise((done) => new PerformanceObserver((list) => done(Math.round(list.getEntriesByName('first-contentful-paint')[0].startTime)))
    .observe({ type: 'paint', buffered: true }))`)
const focusedText = (page: Page) => page.evaluate<string>('document.activeElement.textContent')

test('search as one types finds models, fields and methods, and leads to them by keyboard', async (t) => {
  const setting = settingFor(t, opened)
  if (!setting) return
  const page = await setting.visit()
  await signIn(page, '/doc')
  await page.getByRole('link', { name: 'How to call' }).click()
  const calls = page.getByRole('region', { name: 'How to call' })
  await calls.getByRole('tab', { name: 'curl' }).waitFor()
  assert.match(
    String(await calls.getByRole('tabpanel').textContent()),
    /json\/2\/res\.users\/context_get.*X-Service-Database: shop/s,
  )
  await page.keyboard.press('/')
  await page.keyboard.type('res.country')
  await results(page).first().waitFor()
  assert.match(String(await results(page).first().textContent()), /^model\s*res\.country\s*Country/)
  await page.keyboard.press('Escape')
  assert.equal(await results(page).count(), 0)

  await page.keyboard.type('bank acc_num')
  await results(page).first().waitFor()
  assert.match(String(await results(page).first().textContent()), /^field.*acc_number.*res\.partner\.bank/)
  await page.keyboard.press('ArrowDown')
  assert.match(await focusedText(page), /acc_number/)
  await page.keyboard.press('Enter')
  await page.waitForURL('**/doc/res.partner.bank#field-acc_number')
  await page.locator('#field-acc_number.here').waitFor()
  assert.equal(await focusedText(page), 'acc_number', 'the focus goes along')

  await page.keyboard.press('/')
  await page.keyboard.type('name_sea')
  await results(page).first().waitFor()
  await page.keyboard.press('Enter')
  await page.waitForURL('**/doc/res.partner.bank#method-name_search')
  await page.locator('#method-name_search[open]').waitFor()
  await method(page, 'name_search').getByRole('table').waitFor()
  assert.equal(await page.locator('.here').count(), 1)
  await page.goto('/doc/res.partner.bank#field-gone%')
  await page.getByText('The field gone% does not exist, or you may not see it.').waitFor()
  await box(page).fill('idempotency key retry')
  await results(page).first().waitFor()
  assert.match(String(await results(page).first().textContent()), /^guide/)
  await page.keyboard.press('Escape')
  await box(page).fill('xylophone zebra')
  await page.getByText('No results.').waitFor()
  await page.getByRole('link', { name: 'All models' }).click()
  await page.getByRole('heading', { name: 'Documentation' }).waitFor()
  await page.getByRole('region', { name: 'Guides' }).getByRole('link', { name: 'The typed client' }).click()
  await page.getByRole('heading', { name: 'The typed client' }).waitFor()
  assert.equal(await page.getByRole('navigation', { name: 'Guides' }).locator('[aria-current]').count(), 1)
  await page.goBack()
  await page.getByRole('heading', { name: 'Documentation' }).waitFor()
  await page.goBack()
  await page.getByRole('heading', { name: /res\.partner\.bank/ }).waitFor()
  await page.context().close()
})

test('a deep link opens the method with its parameters and result; fields stand in a table', async (t) => {
  const setting = settingFor(t, opened)
  if (!setting) return
  const page = await setting.visit()
  await signIn(page, '/doc/res.partner#method-search_read')
  const part = method(page, 'search_read')
  assert.equal(await part.getAttribute('open'), '')
  assert.ok(await part.getByRole('heading', { name: /^search_read\(/ }).isVisible())
  const names = await part.getByRole('table').getByRole('rowheader').allTextContents()
  assert.deepEqual(names.slice(0, 5), ['domain', 'fields', 'offset', 'limit', 'order'])
  assert.match(String(await part.getByRole('row', { name: /^limit/ }).textContent()), /integer or null.*null/)
  assert.match(String(await part.textContent()), /Result:.*array of objects/)
  const field = page.locator('#field-country_id')
  assert.deepEqual(await field.locator('td').allTextContents(), [
    'Country',
    'many2one of res.country',
    'from base',
  ])
  await field.getByRole('link', { name: 'res.country' }).click()
  await page.waitForURL('**/doc/res.country')
  await page.getByRole('heading', { name: 'Country res.country' }).waitFor()
  await page.context().close()
})

test('the examples name this host, this database and the header, and run', async (t) => {
  const setting = settingFor(t, opened)
  if (!setting) return
  const page = await setting.visit()
  await signIn(page, '/doc/res.currency#method-search_count')
  const part = method(page, 'search_count')
  const code = async (language: string): Promise<string> => {
    await part.getByRole('tab', { name: language, exact: true }).click()
    await part.getByRole('button', { name: `Copy ${language} example` }).click()
    const copied = await page.evaluate<string>('navigator.clipboard.readText()')
    assert.equal(copied, await part.getByRole('tabpanel').locator('code').textContent())
    return copied
  }
  const [curl, python, typescript, php] = [
    await code('curl'),
    await code('Python'),
    await code('TypeScript'),
    await code('PHP'),
  ]
  for (const text of [curl, python, php]) {
    assert.ok(text.includes(`${setting.url}/json/2/res.currency/search_count`), text)
    assert.match(text, /X-Service-Database\W+shop/)
    assert.match(text, /[Bb]earer/)
  }
  assert.ok(typescript.includes(`url: '${setting.url}', database: '${DATABASE}'`))
  assert.match(typescript, /searchCount\(\{ domain: /)
  const node = ['--disable-warning=ExperimentalWarning', byName]
  const commands: readonly (readonly [string, readonly string[]])[] = [
    ['bash', ['-c', curl]],
    ['python3', ['-c', python]],
    [process.execPath, [...node, '--input-type=module-typescript', '-e', typescript]],
    ['php', ['-r', php.replace('<?php', '')]],
  ]
  for (const [program, args] of commands) {
    const { stdout } = await run(program, args, { cwd: root, env: { ...process.env, API_KEY: key } }).catch(
      (error) => {
        if (
          error.code === 'ENOENT' ||
          /curl: (command )?not found|No module named 'requests'/.test(error.stderr)
        )
          return { stdout: 'absent' }
        throw error
      },
    )
    assert.match(stdout, /^(\d+|absent)\s*$/, program)
  }
  await page.context().close()
})

test('a method is tried with a key that stays in the page, by keyboard', async (t) => {
  const setting = settingFor(t, opened)
  if (!setting) return
  const page = await setting.visit()
  await signIn(page, '/doc/res.currency')
  await tabTo(page, 'Other methods of every model')
  await page.keyboard.press('Enter')
  await tabTo(page, /^search_count\(/)
  await page.keyboard.press('Enter')
  await method(page, 'search_count').getByRole('tab').first().waitFor()
  await tabTo(page, 'API key')
  await page.keyboard.type('a'.repeat(40))
  await page.keyboard.press('Enter')
  const part = method(page, 'search_count')
  await part.getByText(/Refused: 401/).waitFor()
  await part.getByLabel('API key', { exact: true }).fill(key)
  await part.getByLabel('Body').fill('{"domain": [["name", "=", "EUR"]]')
  await part.getByRole('button', { name: 'Try search_count' }).click()
  await part.getByRole('alert').getByText('The body is not JSON').waitFor()
  await part.getByLabel('Body').fill('{"domain": [["name", "=", "EUR"]], "context": {"active_test": false}}')
  await page.keyboard.press('Control+Enter')
  await part.getByText(/Answer: 200/).waitFor()
  assert.equal(await part.locator('.answer code').textContent(), '1')

  // On the way to another model the key is still there; it is stored nowhere, and a new visit has none.
  await box(page).fill('res.lang model')
  await page.goto(`${setting.url}/doc/res.currency#method-search_count`)
  await part.getByRole('tab').first().waitFor()
  await part.getByLabel('API key', { exact: true }).fill(key)
  await page.getByRole('link', { name: 'All models' }).click()
  await page.getByRole('heading', { name: 'Documentation' }).waitFor()
  await page
    .getByRole('link', { name: /res\.lang$/ })
    .first()
    .click()
  await page.getByRole('heading', { name: /res\.lang/ }).waitFor()
  await method(page, 'write').locator('summary').click()
  assert.equal(await method(page, 'write').getByLabel('API key', { exact: true }).inputValue(), key)
  assert.ok(await method(page, 'write').getByText('This may change data').isVisible())
  await method(page, 'read').locator('summary').click()
  await method(page, 'read').getByLabel('Body').fill('{}')
  assert.notEqual(await method(page, 'write').getByLabel('Body').inputValue(), '{}')
  const stored = await page.evaluate<string>(
    'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, history.state, location.href])',
  )
  assert.ok(!stored.includes(key))
  await page.reload()
  await method(page, 'write').locator('summary').click()
  assert.equal(await method(page, 'write').getByLabel('API key', { exact: true }).inputValue(), '')
  await page.context().close()
})

test('models stand by what they are for, business first, technical folded', async (t) => {
  const setting = settingFor(t, opened)
  if (!setting) return
  const page = await setting.visit()
  await signIn(page, '/doc')
  const titles = (await page.locator('.purpose h3').allTextContents()).map((title) =>
    title.replace(/ \d+$/, ''),
  )
  assert.deepEqual(titles, [
    'Point of Sale',
    'Purchase Stock',
    'Purchase',
    'Inventory Valuation',
    'Inventory',
    'Sales',
    'Sales Teams',
    'Invoicing',
    'Products & Pricelists',
    'Units of measure',
    'Resource',
    'Discuss',
    'Contacts and companies',
    'Users and rights',
    'Countries, currencies and languages',
    'Technical',
  ])
  const group = (name: string) => page.getByRole('region', { name: new RegExp(`^${name} \\d+$`) })
  assert.equal(await group('Sales').locator('p').first().textContent(), 'Quotations and sales orders')
  // Top-level models come before child models.
  assert.deepEqual(await group('Sales').locator('code').allTextContents(), [
    'payment.transaction',
    'sale.order',
    'sale.order.template',
    'sale.report',
    'product.attribute.custom.value',
    'sale.order.line',
    'sale.order.template.line',
  ])
  const technical = page.locator('#technical')
  const attachment = technical.getByRole('link', { name: /ir\.attachment$/ })
  assert.equal(await attachment.isVisible(), false)
  await technical.locator('summary').click()
  assert.equal(await attachment.isVisible(), true)
  const all = await page.locator('.purpose li').count()
  assert.match(
    String(await page.locator('#doc > p').first().textContent()),
    new RegExp(`: ${all} models`),
    'each stands in one group',
  )
  await page.context().close()
})

test('a model says first how to find, create, read and write, and what must be sent', async (t) => {
  const setting = settingFor(t, opened)
  if (!setting) return
  const page = await setting.visit()
  await signIn(page, '/doc/sale.order')
  const first = page.getByRole('region', { name: 'Find, create, read, write' })
  const names = async (part: typeof first) => part.locator('summary b').allTextContents()
  assert.deepEqual(await names(first), ['search_read', 'create', 'read', 'write', 'unlink'])
  // The company, the date and the state have defaults; the customer has none.
  assert.match(
    String(await first.locator('p').first().textContent()),
    /you must send partner_id\. Everything else/,
  )
  const refused = first.locator('.rules')
  await refused.locator('summary').click()
  assert.ok((await refused.locator('li').allTextContents()).length > 0)
  assert.match(String(await page.locator('#field-partner_id').textContent()), /must be sent/)
  assert.match(String(await page.locator('#field-company_id').textContent()), /required, has a default/)
  const example = JSON.parse(
    String(await page.getByRole('region', { name: 'A record' }).locator('pre').textContent()),
  )
  assert.deepEqual(
    [example.id, Array.isArray(example.partner_id), typeof example.partner_id[1]],
    [1, true, 'string'],
  )
  assert.ok(
    (await names(page.getByRole('region', { name: 'Methods of this model' }))).includes('action_confirm'),
  )
  const contents = page.getByRole('navigation', { name: 'On this page' })
  assert.deepEqual(
    (await contents.getByRole('link').allTextContents()).map((text) => text.replace(/ \d+$/, '')),
    [
      'Find, create, read, write',
      'A record',
      'Methods of this model',
      'Fields',
      'Other methods of every model',
      'As JSON',
    ],
  )
  const [beside, part] = [await contents.boundingBox(), await first.boundingBox()]
  assert.ok(beside && part && beside.x + beside.width <= part.x, 'at the side')
  assert.equal(await method(page, 'name_search').isVisible(), false)
  await page.goto('/doc/sale.order#method-name_search')
  await method(page, 'name_search').getByRole('table').waitFor()
  await page.context().close()
})

test('a call is tried with the session; deleting is asked about first', async (t) => {
  const setting = settingFor(t, opened)
  if (!setting) return
  const database = await setting.databases.database(DATABASE)
  const [tag] = (
    await database.system((env) => env.model('res.partner.category').create([{ name: 'To go' }]))
  ).ids
  const page = await setting.visit()
  await signIn(page, '/doc/res.partner.category#method-search_read')
  const find = method(page, 'search_read')
  await find.getByLabel('Body').fill(`{"domain": [["id", "=", ${tag}]], "fields": ["name"]}`)
  await find.getByRole('button', { name: 'Try search_read' }).click()
  await find.getByText(/Answer: 200 OK, as you in this session/).waitFor()
  assert.deepEqual(JSON.parse(String(await find.locator('.answer code').textContent())), [
    { id: tag, name: 'To go' },
  ])
  const remove = method(page, 'unlink')
  await remove.locator('summary').click()
  await remove.getByLabel('Body').fill(`{"ids": [${tag}]}`)
  await remove.getByLabel('Body').press('Control+Enter')
  const question = page.getByRole('alertdialog')
  assert.match(
    String(await question.textContent()),
    new RegExp(`The record ${tag} of res\\.partner\\.category in the database shop`),
  )
  assert.equal(await focusedText(page), 'Keep them')
  await page.keyboard.press('Enter')
  await question.waitFor({ state: 'detached' })
  const left = () =>
    database.system(
      async (env) => (await env.model('res.partner.category').search([['id', '=', Number(tag)]])).ids.length,
    )
  assert.equal(await left(), 1)
  // By the session and by a key a dry run answers what the call would, without a question, and nothing stays.
  for (const secret of ['', key]) {
    await remove.getByLabel('API key', { exact: true }).fill(secret)
    await remove.getByRole('button', { name: 'Dry run' }).click()
    await remove
      .getByText(secret ? /Dry run, nothing was changed: 200 OK, / : /nothing was changed: 200 OK, as you/)
      .waitFor()
    assert.equal(await remove.locator('.answer code').textContent(), 'true')
    await remove.locator('.answer summary').click()
    assert.match(
      String(await remove.locator('.answer details').textContent()),
      /preference-applied: .*tx=rollback/,
    )
    assert.equal(await left(), 1)
  }
  await remove.getByLabel('API key', { exact: true }).fill('')
  // A refusal is the object that a client gets.
  await find.getByLabel('Body').fill('{"domain": [["nam", "=", 1]]}')
  await find.getByRole('button', { name: 'Try search_read' }).click()
  await find.getByText(/Refused: builtins\.ValueError, as you in this session/).waitFor()
  const refusal = JSON.parse(String(await find.locator('.answer code').textContent()))
  assert.deepEqual(Object.keys(refusal).sort(), ['arguments', 'context', 'debug', 'message', 'name'])
  assert.equal(await find.getByRole('button', { name: 'Dry run' }).count(), 0)
  await remove.getByLabel('Body').fill(`{"ids": [${tag}]}`)
  await remove.getByRole('button', { name: 'Try unlink' }).click()
  await question.getByRole('button', { name: 'Delete' }).click()
  await remove.getByText(/Answer: 200 OK, as you in this session/).waitFor()
  assert.equal(await left(), 0)

  // Removing a module removes what it kept.
  await page.goto('/doc/ir.module.module#method-button_immediate_uninstall')
  await method(page, 'button_immediate_uninstall').getByRole('button', { name: 'Try' }).click()
  assert.match(String(await question.textContent()), /all records of this module/)
  await question.getByRole('button', { name: 'Keep them' }).click()
  await question.waitFor({ state: 'detached' })
  await page.context().close()
})

test('documentation page: reads without scripts, and names what the caller may not see', async (t) => {
  const setting = settingFor(t, opened)
  if (!setting) return
  const page = await setting.visit({ script: false })
  await signIn(page, '/doc')
  await page.getByRole('link', { name: /res\.partner\.category/ }).click()
  await page.locator('#core-methods > summary').click()
  await method(page, 'search').locator('summary').click()
  assert.ok(await method(page, 'search').getByRole('heading', { name: 'Python' }).isVisible())
  await page.goto('/doc/no.such.model')
  assert.match(String(await page.getByRole('alert').textContent()), /does not exist/)
  await page.context().close()
})

for (const look of looks) {
  test(`the documentation is whole and accessible at ${look.width} pixels, ${look.scheme}`, async (t) => {
    const setting = settingFor(t, opened)
    if (!setting) return
    const page = await setting.visit({ look })
    const check = async (name: string) => {
      assert.ok((await widthOf(page)) <= look.width, `${name}: ${await widthOf(page)} pixels`)
      assert.deepEqual(await troubles(page, MANY), [], name)
      await keepShot(page, name, look)
    }
    await signIn(page, '/doc')
    await page.goto('/doc')
    t.diagnostic(`first paint of /doc after ${await firstPaint(page)} ms`)
    await check('doc')
    await box(page).fill('currency')
    await results(page).first().waitFor()
    await check('doc-search')
    await page.goto('/doc/res.currency.rate#method-create')
    await method(page, 'create').getByRole('tab').first().waitFor()
    t.diagnostic(`first paint of a model after ${await firstPaint(page)} ms`)
    await check('doc-model')
    await page.context().close()
  })
}

test('nothing broke the policy of the pages', (t) => {
  const setting = settingFor(t, opened)
  if (setting) assert.deepEqual(setting.complaints, [])
})
