// Checks of modules by the test kit: those of this package pass, and errors in the data of others are
// reported.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { modules } from '../main.ts'
import { char, defineModule, extend, implement, type Module, ref } from '../models/index.ts'
import { checkModule } from './check-module.ts'

for (const { name } of modules) test(`${name} contradicts nothing`, () => checkModule(name))

/** Data as modules in JavaScript bring it. */
const withData = (data: readonly object[], models: Module['models'] = []): Module =>
  defineModule({ name: 'flawed', version: '1', summary: '', depends: ['uom'], models, data: data as never })
const tag = (vals: object) => ({ model: 'uom.uom', records: { one: vals as Record<string, unknown> } })
const rule = (domain_force: string) => ({
  model: 'ir.rule',
  records: { one: { name: 'R', model_id: ref('uom.model_uom_uom'), domain_force } },
})

const mistakes: Readonly<Record<string, readonly [Module, RegExp]>> = {
  'data for a model that is not there': [
    withData([{ model: 'uom.unit', records: {} }]),
    /flawed: data for uom.unit, which no module declares: declare it/,
  ],
  'data for a field that is not there': [
    withData([tag({ nmae: 'Dozen' })]),
    /uom.uom one: uom.uom has no field nmae; it has name/,
  ],
  'a reference to nothing': [
    withData([tag({ name: 'Dozen', relative_uom_id: ref('dozen') })]),
    /refers to dozen, which is not there/,
  ],
  'a rule that is no domain': [withData([rule("[('name', '=',")]), /its domain is refused/],
  'a rule on what rules do not know': [
    withData([rule("[('name', '=', nobody)]")]),
    /its domain is refused: Unknown name "nobody" in a rule/,
  ],
  'a rule on a field that is not there': [
    withData([rule("[('owner_id', '=', user.id)]")]),
    /its domain asks for owner_id: uom.uom has no field owner_id/,
  ],
  'a group that nobody brings': [
    withData(
      [],
      [implement(extend('uom.uom', { fields: { secret: char({ groups: 'flawed.group_secrets' }) } }))],
    ),
    /uom.uom.secret: group flawed.group_secrets does not exist: add it/,
  ],
}

for (const [name, [module, message]] of Object.entries(mistakes)) {
  test(`${name} is reported`, () => assert.throws(() => checkModule(module), message))
}
