// The change feed in a real browser, by its session's cookie: a stream that reconnects by itself, and
// the error that a page gets for an expired cursor.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { modules } from '../../src/main.ts'
import { renewFeed } from '../../src/models/changes/tables.ts'
import { raw } from '../../src/sql/index.ts'
import { DATABASE, type Setting, settingFor, signIn, startSetting } from './setting.ts'

let opened: Setting | string | undefined
before(async () => {
  opened = await startSetting(modules.filter(({ name }) => name === 'base'))
})
after(async () => {
  if (typeof opened === 'object') await opened.close()
})

const PAGE = '/x/1/changes?models=res.partner&fields.res.partner=name'

/** In the page: the first event of one of these names, with its data. */
const heard = (query: string, names: readonly string[]) => `new Promise((resolve) => {
  const source = new EventSource(${JSON.stringify(`${PAGE}&${query}`)})
  for (const name of ${JSON.stringify(names)})
    source.addEventListener(name, ({ data }) => { source.close(); resolve([name, JSON.parse(data)]) })
})`

test('change feed: a page follows by EventSource; a cursor of before a restore is refused by the stream and as 410', async (t) => {
  const setting = settingFor(t, opened)
  if (!setting) return
  const page = await setting.visit()
  await signIn(page, '/web/account')
  const database = await setting.databases.database(DATABASE)
  const cursor = await page.evaluate<string>(
    `fetch('${PAGE}&from=now').then((answer) => answer.json()).then(({ cursor }) => cursor)`,
  )
  await database.system((env) => env.model('res.partner').create([{ name: 'Seen in a browser' }] as never))
  const [event, change] = await page.evaluate<[string, { op: string; values: { name: string } }]>(
    heard(`cursor=${cursor}`, ['change', 'resync']),
  )
  assert.deepEqual([event, change.op, change.values.name], ['change', 'upsert', 'Seen in a browser'])

  await database.system((env) => env.query(raw(renewFeed)))
  const [eventType, failure] = await page.evaluate<[string, Record<string, unknown>]>(
    heard(`cursor=${cursor}`, ['change', 'resync']),
  )
  assert.deepEqual([eventType, failure.status, failure.code], ['resync', 410, 'resync_required'])
  const gone = await page.evaluate<[number, string | null, { context: object }]>(
    `fetch('${PAGE}&cursor=${cursor}').then(async (answer) => [answer.status, answer.headers.get('error-code'), await answer.json()])`,
  )
  assert.deepEqual([gone[0], gone[1], gone[2].context], [410, 'resync_required', { reason: 'feed' }])
  // The one line that the browser writes of the refusal.
  assert.deepEqual(
    setting.complaints.filter((line) => !/\(Gone\)$/.test(line)),
    [],
  )
  await page.close()
})
