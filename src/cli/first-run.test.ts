// The first run: which shop it makes, and when.
import assert from 'node:assert/strict'
import { existsSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { makeTemp } from '../../test/support/temp.ts'
import { type Config, readConfig } from '../config/index.ts'
import type { CreateOptions, Databases } from '../databases/index.ts'
import { silentLog } from '../http/log.ts'
import { modules } from '../main.ts'
import { markOf, shopOf } from './first-run.ts'
import { firstRun } from './welcome.ts'

const STOP = new Error('asked to create')

test('shop: a first run makes a demo shop, unless it is declined or the server is not an embedded one', (t) => {
  const temp = makeTemp('first-run')
  t.after(() => temp.remove())
  const shop = (flags: Record<string, string | undefined>) =>
    shopOf(readConfig({ flags: { 'data-dir': temp.path, ...flags }, env: {}, cwd: temp.path }))
  const external = { 'database-url': 'postgres://127.0.0.1/postgres' }
  assert.deepEqual(
    [{}, { shop: 'empty' }, { shop: 'none' }, external, { ...external, shop: 'demo' }].map(shop),
    ['demo', 'empty', 'none', 'none', 'demo'],
  )
  assert.throws(() => shop({ shop: 'large' }), /--shop must be one of: demo, empty, none/)
  writeFileSync(markOf({ dataDir: temp.path }), '')
  assert.deepEqual([{}, { shop: 'demo' }].map(shop), ['none', 'none'])
})

test('first run: creates what --shop says where there is no database, and says how to create one where it says none', async (t) => {
  const temp = makeTemp('first-run')
  t.after(() => temp.remove())
  const messages: string[] = []
  const created: CreateOptions[] = []
  const run = (shop: Config['shop'], names: string[] = []) => {
    const config = { ...readConfig({ flags: { 'data-dir': temp.path }, env: {}, cwd: temp.path }), shop }
    const databases: Pick<Databases, 'list' | 'create'> = {
      list: async () => names,
      create: async (_name, options = {}) => {
        created.push(options)
        throw STOP
      },
    }
    return firstRun(config, {
      databases: databases as Databases,
      log: { ...silentLog, info: (message) => messages.push(message) },
      progress: () => undefined,
    })
  }
  assert.equal(await run('none'), undefined)
  assert.match(messages.join(), /^There is no database yet: `comptoir db create NAME --demo` [^`]+`[^`]+`/)
  assert.equal(existsSync(markOf({ dataDir: temp.path })), false, 'another start may still make a shop')
  await assert.rejects(run('demo'), STOP)
  await assert.rejects(run('empty'), STOP)
  const names = modules.map(({ name }) => name)
  assert.deepEqual(
    created.map((options) => [options.modules, options.demo]),
    [
      [names, true],
      [names, false],
    ],
  )
  assert.equal(await run('demo', ['mine']), undefined)
  assert.equal(existsSync(markOf({ dataDir: temp.path })), true)
})
