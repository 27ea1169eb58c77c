// Settings: the form shows the current features, parameters and defaults, and applies changes when it is
// executed.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { boolean, char, defineModule, type Environment, extend, implement, integer } from '#models'
import { openTestDatabase, type TestDatabase } from '../../../../test/support/databases.ts'
import { UserError } from '../../../errors.ts'
import { base } from '../index.ts'
import { featureIsOn } from '../reflection/features.ts'

const settings = extend('res.config.settings', {
  fields: {
    group_many: boolean({ setting: { group: 'base.group_multi_currency' } }),
    greeting: char({ setting: { parameter: 'trial.greeting' } }),
    patience: integer({ setting: { parameter: 'trial.patience' } }),
    loud: boolean({ setting: { parameter: 'trial.loud' } }),
    default_city: char({ setting: { defaultOf: 'res.partner' } }),
    module_trial_settings: boolean(),
    module_nowhere: boolean(),
  },
})
const trial = defineModule({
  name: 'trial_settings',
  version: '1.0',
  summary: 'Settings, for tests',
  depends: ['base'],
  models: [implement(settings)],
})

let database: TestDatabase
before(async () => {
  database = await openTestDatabase([base, trial])
})
after(() => database?.close())

const names = ['group_many', 'greeting', 'patience', 'loud', 'default_city']
/** The trial's fields are not known to the types of other tests. */
const form = async (env: Environment, vals: object) =>
  env.model('res.config.settings').create([vals as never])
const shown = async (env: Environment) => {
  const created = await form(env, {})
  const [row] = (await created.load(names as never)) as unknown as Record<string, unknown>[]
  return names.map((name) => row?.[name])
}

test('settings: the form shows the current values, and execute applies the new ones', () =>
  database.run(async (env) => {
    assert.deepEqual(await shown(env), [false, null, 0, false, null])
    await (
      await form(env, { group_many: true, greeting: 'Hello', patience: 7, loud: true, default_city: 'Ghent' })
    ).execute({})
    assert.deepEqual(await shown(env), [true, 'Hello', 7, true, 'Ghent'])
    assert.equal(await featureIsOn(env, 'base.group_multi_currency'), true)
    assert.equal(
      await env.model('ir.config_parameter').get_param({ key: 'trial.patience', default: false }),
      '7',
    )
    await (await form(env, { patience: 0, greeting: false })).execute({})
    assert.deepEqual(await shown(env), [true, null, 0, true, 'Ghent'])
    assert.equal(
      await env.model('ir.config_parameter').get_param({ key: 'trial.patience', default: false }),
      false,
    )
  }))

test('settings: switching a feature off also removes it from users who were added one by one', () =>
  database.run(async (env) => {
    const group = await env.ref('base.group_multi_currency')
    const admin = await env.ref('base.user_admin')
    await (await form(env, { group_many: true })).execute({})
    await env
      .model('res.groups')
      .browse([group])
      .write({ user_ids: [[4, admin, 0]] })
    await (await form(env, { group_many: false })).execute({})
    assert.equal(await featureIsOn(env, 'base.group_multi_currency'), false)
    const { user_ids } = await env.model('res.groups').browse([group]).one(['user_ids'])
    assert.deepEqual(user_ids, [])
  }))

test('settings: nothing is applied before the form is executed', () =>
  database.run(async (env) => {
    const before = await shown(env)
    await form(env, { greeting: 'Never' })
    assert.deepEqual(await shown(env), before)
    const defaults = (await env
      .model('res.config.settings')
      .invoke('default_get', { fields: ['loud', 'company_id'] })) as Record<string, unknown>
    assert.deepEqual(defaults, { company_id: env.companyId, loud: true })
  }))

test('settings: show installed modules, and reject modules that cannot be installed or removed', () =>
  database.run(async (env) => {
    const shownModules = await form(env, {})
    const [row] = (await shownModules.load([
      'module_trial_settings',
      'module_nowhere',
    ] as never)) as unknown as Record<string, unknown>[]
    assert.deepEqual([row?.module_trial_settings, row?.module_nowhere], [true, false])
    for (const vals of [{ module_nowhere: true }, { module_trial_settings: false }]) {
      await assert.rejects(
        env.unit.savepoint(async () => (await form(env, vals)).execute({})),
        UserError,
      )
    }
  }))
