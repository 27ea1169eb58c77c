// Scopes of keys as texts: what opens nothing, what a token takes away, and when one scope is within another.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isWithin, missingFor, opensAbility, opensModel, parseScope } from './key-scope.ts'

const scopeOf = (text: string) => parseScope(text) ?? assert.fail(`${text} is none`)
const [reading, writing, making, other] = [
  { name: 'search_read', readonly: true },
  { name: 'write', readonly: false },
  { name: 'create', readonly: false },
  { name: 'action_confirm', readonly: false },
]

test('what is not understood opens nothing', () => {
  for (const text of [
    '',
    'read',
    'rpc ',
    'rpc  read',
    'rpc readonly',
    'rpc model:res.partner',
    'rpc model:res.partner:x',
    'rpc method:a',
    'rpc company:0',
  ])
    assert.equal(parseScope(text), null, JSON.stringify(text))
  assert.equal(parseScope(`rpc ${'read '.repeat(500)}read`), null, 'too long')
  assert.equal(parseScope('rpc constructor'), null)
})

test('each token takes something away', () => {
  assert.equal(missingFor(scopeOf('rpc read'), 'sale.order', reading), null)
  assert.equal(missingFor(scopeOf('rpc read'), 'sale.order', other), 'rpc')
  const sales = scopeOf('rpc model:sale.*:rw model:res.partner:c')
  assert.equal(missingFor(sales, 'sale.order', reading), null)
  assert.equal(missingFor(sales, 'sale.order', writing), null)
  assert.equal(missingFor(sales, 'sale.order', other), null)
  assert.equal(missingFor(sales, 'sale.order', making), 'model:sale.order:c')
  assert.equal(missingFor(sales, 'res.partner', making), null)
  assert.equal(missingFor(sales, 'res.partner', reading), 'model:res.partner:r')
  assert.equal(missingFor(sales, 'res.users', other), 'model:res.users:w')
  assert.deepEqual(
    [opensModel(sales, 'sale.order', 'unlink'), opensModel(sales, 'sales.order', 'read')],
    [false, false],
  )
  const confirming = scopeOf('rpc method:sale.order/action_* method:res.partner/read')
  assert.deepEqual(
    [missingFor(confirming, 'sale.order', other), missingFor(confirming, 'sale.order', reading)],
    [null, 'method:sale.order/search_read'],
  )
  assert.deepEqual(
    [opensAbility(scopeOf('rpc read'), 'batch'), opensAbility(scopeOf('rpc mcp'), 'batch')],
    [true, false],
  )
})

const token = fc.constantFrom(
  'read',
  'dry',
  'model:sale.*:rw',
  'model:sale.order:r',
  'model:sale.order:rwcd',
  'model:*:r',
  'method:sale.order/read',
  'method:sale.*/*',
  'company:1',
  'company:2',
  'batch',
  'mcp',
)
const scope = fc.uniqueArray(token, { maxLength: 4 }).map((tokens) => ['rpc', ...tokens].join(' '))

test('users, groups, rights and keys change by a scope that names them, or by one that is not narrow', () => {
  const identity = ['res.users', 'res.groups', 'ir.rule', 'ir.model.access', 'res.users.apikeys']
  const actingForOthers = [
    'ir.cron',
    'ir.actions.server',
    'ir.default',
    'ir.model.data',
    'ir.config_parameter',
  ]
  for (const model of [...identity, ...actingForOthers]) {
    for (const text of [
      'rpc company:1',
      'rpc mcp mcp:write',
      'rpc dry',
      'rpc model:*:rwcd',
      'rpc method:*/*',
    ])
      for (const method of [writing, making, other])
        assert.notEqual(missingFor(scopeOf(text), model, method), null, `${text}: ${model}`)
    for (const text of ['rpc', `rpc company:1 model:${model}:rwc`, `rpc method:${model}/*`])
      for (const method of [writing, making, other])
        assert.equal(missingFor(scopeOf(text), model, method), null, `${text}: ${model}`)
    assert.equal(missingFor(scopeOf('rpc company:1'), model, reading), null)
    assert.ok(!isWithin(`rpc company:1 model:${model}:w`, 'rpc company:1'))
  }
})

test('models that repeat values of others are read by a scope that names them, or by one without limits', () => {
  for (const model of ['comptoir.webhook.delivery', 'comptoir.audit', 'mail.tracking.value']) {
    for (const text of ['rpc company:1', 'rpc model:comptoir.*:r', 'rpc method:comptoir.*/*'])
      assert.notEqual(missingFor(scopeOf(text), model, reading), null, `${text}: ${model}`)
    for (const text of ['rpc read', 'rpc webhooks', `rpc company:1 model:${model}:r`])
      assert.equal(missingFor(scopeOf(text), model, reading), null, `${text}: ${model}`)
    assert.ok(!isWithin(`rpc company:1 model:${model}:r`, 'rpc company:1'))
  }
})

test('what is within another scope opens nothing that this does not open', () => {
  const methods = [reading, writing, making, other, { name: 'read', readonly: true }]
  fc.assert(
    fc.property(scope, scope, (after, before) => {
      if (!isWithin(after, before)) return
      const [narrow, wide] = [scopeOf(after), scopeOf(before)]
      for (const model of ['sale.order', 'sale.order.line', 'res.partner', 'res.users'])
        for (const method of methods)
          if (missingFor(narrow, model, method) === null)
            assert.equal(missingFor(wide, model, method), null, `${model} ${method.name}`)
      for (const ability of ['batch', 'mcp', 'jobs'] as const)
        if (opensAbility(narrow, ability)) assert.ok(opensAbility(wide, ability))
      assert.ok(narrow.dry || !wide.dry)
    }),
    { numRuns: 500 },
  )
  assert.ok(
    isWithin('rpc read', 'rpc') &&
      isWithin('rpc', null) &&
      isWithin('rpc model:sale.order:r', 'rpc model:sale.*:rw'),
  )
  assert.ok(
    !isWithin('rpc', 'rpc read') &&
      !isWithin(null, 'rpc') &&
      !isWithin('rpc company:2', 'rpc company:1') &&
      !isWithin('nonsense', 'rpc'),
  )
})
