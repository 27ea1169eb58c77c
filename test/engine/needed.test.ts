// Values that the documentation says are required to create a record, tried on every model: a create
// with all of them succeeds, and one without any of them fails.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createExample } from '../../src/docs/openapi/examples.ts'
import { isNeeded, isWritable } from '../../src/docs/openapi/values.ts'
import { visibleFields } from '../../src/docs/visible-models.ts'
import { modules } from '../../src/main.ts'
import type { Environment } from '../../src/models/index.ts'
import type { FieldDef } from '../../src/models/language/definitions.ts'
import { openTestDatabase, type TestDatabase } from '../support/databases.ts'

/**
 * Models that reject the example for reasons that a list of fields cannot express: rules among several
 * values, or because only the server creates their records.
 */
const refused: Readonly<Record<string, RegExp>> = {
  'ir.model': /starts? with x_/,
  'ir.model.fields': /starts? with x_/,
  'ir.model.fields.selection': /can be neither made, nor altered/,
  'ir.model.data': /ir_model_data_name_nospaces/,
  'ir.default': /Invalid JSON format/,
  'comptoir.audit': /the server writes it/,
  'comptoir.chain': /the server writes them/,
  'comptoir.chain.link': /the server writes them/,
  // The demonstration has no keys.
  'comptoir.key.policy': /API key not found/,
  'res.country': /res_country_code_uniq/,
  'res.users.apikeys': /cannot be edited directly/,
  'product.template.attribute.value': /attribute_value_unique/,
  'product.supplierinfo': /needs a product/,
  'account.fiscal.position.account': /cannot replace itself/,
  // Its default is the document in front of the user, which no call of a test has.
  'account.move.send.wizard': /move_id/,
  'product.replenish': /product_id/,
  // Its create fills in the holder, which its bank account needs.
  'account.setup.bank.manual.config': /^null$/,
  'resource.calendar.attendance': /end after they begin/,
  'account.payment.register': /choose invoices or journal items/,
  'account.move.reversal': /Only posted entries can be reversed/,
  'sale.order.line': /needs a product or a description/,
  'purchase.order.line': /priced_lines/,
  // The administrator of the example is in the first team.
  'crm.team.member': /only once/,
  // Models over a query, whose rows cannot be created.
  'report.pos.order': /has no records/,
  'sale.report': /has no records/,
  'purchase.report': /has no records/,
  'comptoir.audit.line': /has no records/,
  'account.root': /has no records/,
  'account.code.mapping': /has no records/,
  'account.invoice.report': /has no records/,
  'purchase.bill.line.match': /has no records/,
  'purchase.bill.union': /has no records/,
  'report.stock.quantity': /has no records/,
  'res.device': /has no records/,
  'vendor.delay.report': /has no records/,
  'pos.bill': /must be more than 0/,
  'pos.make.payment': /config_id/,
  // The order of the example is paid, at a till that does not take the first payment method.
  'pos.order.line': /A sealed record stays as it is/,
  'pos.payment': /does not accept this payment method/,
  // Places come from the kind of operation, the transfer or the company, whichever is given.
  'stock.picking': /Source Location/,
  'stock.picking.type': /Destination Location/,
  'stock.move': /Source Location/,
  'stock.move.line': /Company/,
  'stock.return.picking': /picking_id/,
  'stock.scrap': /Scrap Location/,
  'stock.warehouse': /warehouse_name_uniq/,
  'stock.quant': /not a stock location/,
  'comptoir.stock.balance': /one_row/,
  'comptoir.webhook': /events is required/,
  'comptoir.webhook.delivery': /the server creates them/,
}

let data: TestDatabase
let all: readonly string[]

before(async () => {
  data = await openTestDatabase(modules, { installed: [] })
  await data.databases.create('demo', {
    modules: modules.map(({ name }) => name),
    login: 'admin',
    password: 'admin',
    demo: true,
  })
  const database = await data.databases.database('demo')
  all = await database.system(async (env) =>
    [...env.unit.registry.models.values()].filter(({ kind }) => kind !== 'abstract').map(({ name }) => name),
  )
})
after(() => data?.close())

const fieldsOf = (env: Environment, name: string): FieldDef[] => {
  const model = env.unit.registry.get(name)
  assert.ok(model)
  return visibleFields(env, model).filter((field) => isWritable(field) && isNeeded(model, field))
}

/** An id that no record has, for links to models without records in the demonstration. */
const NOWHERE = 2_000_000_000

/** Values of the example, with links to existing records. */
async function valuesOf(env: Environment, name: string): Promise<Record<string, unknown>> {
  const model = env.unit.registry.get(name)
  assert.ok(model)
  const example = createExample(model, visibleFields(env, model))
  const values: Record<string, unknown> = {}
  for (const field of fieldsOf(env, name)) {
    values[field.name] = example[field.name]
    if (field.kind === 'many2one' && field.comodel)
      values[field.name] =
        (await env.model(field.comodel.name as 'res.partner').search([], { limit: 1 })).ids[0] ?? NOWHERE
  }
  return values
}

const UNDONE = new Error('undone')

/**
 * The error of a create without a value; null if it succeeds, or lacks only a record to refer to. Rolls
 * back.
 */
async function outcome(name: string, without?: string): Promise<string | null> {
  const database = await data.databases.database('demo')
  try {
    await database.system(async (env) => {
      const { [without ?? '']: _, ...values } = await valuesOf(env, name)
      await env.model(name as 'res.partner').create([values as never])
      throw UNDONE
    })
    return null
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return error === UNDONE || /refers to a record that does not exist|_fkey/.test(message) ? null : message
  }
}

test('required values: with the documented ones a record of every model is created', async () => {
  const unexpected: Record<string, string | null> = {}
  for (const name of all) {
    const why = await outcome(name)
    const pattern = refused[name]
    if (pattern ? !pattern.test(String(why)) : why !== null) unexpected[name] = why
  }
  assert.deepEqual(
    unexpected,
    {},
    'add mustSend to their contracts, or a pattern for the refusal to this test',
  )
})

test('required values: without any one of them no record is created', async () => {
  const database = await data.databases.database('demo')
  for (const name of all.filter((model) => !refused[model])) {
    const needed = await database.system(async (env) => fieldsOf(env, name).map((field) => field.name))
    for (const field of needed)
      assert.notEqual(await outcome(name, field), null, `${name} is created without ${field}`)
  }
})

test('fields_get: a domain accepts every searchable field of every model', async () => {
  const database = await data.databases.database('demo')
  const refused = await database.system(async (env) => {
    const wrong: string[] = []
    for (const name of all.filter((modelName) => env.unit.registry.get(modelName)?.hasRows)) {
      const records = env.model(name as 'res.partner')
      const fields = (await records.invoke('fields_get', { attributes: ['searchable', 'store'] })) as object
      for (const [field, { searchable, store }] of Object.entries(fields))
        if (searchable && !store)
          await records
            .search([[field, '!=', false]] as never, { limit: 1 })
            .catch((error) => wrong.push(`${name}.${field}: ${error.message}`))
    }
    return wrong
  })
  assert.deepEqual(refused, [])
})

test('fields_get: fields that are not searchable, sortable or groupable are rejected there, in every model', async () => {
  const database = await data.databases.database('demo')
  const taken = await database.system(async (env) => {
    const unsearchable: string[] = []
    for (const name of all.filter((modelName) => env.unit.registry.get(modelName)?.hasRows)) {
      const records = env.model(name as 'res.partner')
      const attributes = ['searchable', 'sortable', 'groupable', 'type']
      const fields = (await records.invoke('fields_get', { attributes })) as object
      for (const [field, { searchable, sortable, groupable, type }] of Object.entries(fields)) {
        const reads: Record<string, () => Promise<unknown>> = {}
        if (!searchable) reads.domain = () => records.search([[field, '!=', false]] as never, { limit: 1 })
        if (!sortable) reads.order = () => records.search([], { order: field as never, limit: 1 })
        // Relations to many and properties are grouped by through their own rows and names.
        if (!groupable && !/2many|properties|^date/.test(type))
          reads.groups = () => records.invoke('formatted_read_group', { domain: [], groupby: [field] })
        for (const [where, ask] of Object.entries(reads))
          await ask().then(
            () => unsearchable.push(`${where} ${name}.${field}`),
            () => null,
          )
      }
    }
    return unsearchable
  })
  assert.deepEqual(taken, [])
})

test('computed fields: values that cannot be searched are refused in domains, orders and groups', async () => {
  const database = await data.databases.database('demo')
  await database.system(async (env) => {
    const expected = {
      'res.partner': ['company_type', 'self'],
      'res.users': ['company_type'],
      'res.currency': ['rate'],
    }
    for (const [name, fields] of Object.entries(expected))
      for (const field of fields) {
        const records = env.model(name as 'res.partner')
        const refused = { name: 'InvalidValue' }
        await assert.rejects(records.search([[field, '=', 'company']] as never), refused)
        await assert.rejects(records.search([], { order: field as never }), refused)
        const groups = records.invoke('formatted_read_group', { domain: [], groupby: [field] })
        await assert.rejects(groups, refused)
        const sum = { domain: [], aggregates: [`${field}:max`] }
        await assert.rejects(records.invoke('formatted_read_group', sum), refused)
      }
  })
})

test('required values: a required many2one to a missing record has the message of its field, even if other values depend on it', async () => {
  const database = await data.databases.database('demo')
  const make = database.system((env) =>
    env.model('account.move.line').create([{ move_id: NOWHERE, name: 'Lost' } as never]),
  )
  await assert.rejects(make, {
    name: 'ValidationError',
    message: 'The field Journal Entry refers to a record that does not exist.',
  })
})
