// Companies of records: records that refer to each other must have matching ones, for every writer.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { implement } from '../../src/models/behaviour/implement.ts'
import { char, many2many, many2one } from '../../src/models/contract/field.ts'
import { model } from '../../src/models/contract/model.ts'
import { defineModule } from '../../src/models/index.ts'
import type { Behaviour } from '../../src/models/language/behaviour.ts'
import { modules } from '../../src/modules/index.ts'
import { openTestDatabase, type TestDatabase } from '../support/databases.ts'

const loose = implement as unknown as (contract: unknown) => Behaviour
const fits = { checkCompany: true } as const
const company_id = many2one('res.company' as never)
const order = model('depot.order', {
  label: 'Order',
  fields: {
    name: char(),
    company_id,
    shelf_id: many2one('depot.shelf' as never, { label: 'Shelf', ...fits }),
    shelf_ids: many2many('depot.shelf' as never, { label: 'Shelves', ...fits }),
    keeper_id: many2one('res.users' as never, { label: 'Keeper', ...fits }),
    free_id: many2one('depot.shelf' as never),
  } as never,
})
const shelf = model('depot.shelf', { label: 'Shelf', fields: { name: char(), company_id } as never })
const depot = defineModule({
  name: 'depot',
  version: '1',
  summary: 'Records of companies',
  depends: ['base'],
  models: [shelf, order].map(loose),
})

let db: TestDatabase
before(async () => {
  db = await openTestDatabase([...modules.filter(({ name }) => name === 'base'), depot])
})
after(() => db?.close())

test('companies: references of a record have its company, a parent one, or none', () =>
  db.run(async (env) => {
    const make = async (name: string, ...list: object[]) =>
      (await env.model(name as 'res.partner').create(list as never)).ids as number[]
    const [north, south] = (await make('res.company', { name: 'North' }, { name: 'South' })) as [
      number,
      number,
    ]
    const [branch] = (await make('res.company', { name: 'North branch', parent_id: north })) as [number]
    const [shared, ofNorth, ofSouth] = (await make(
      'depot.shelf',
      { name: 'shared' },
      { name: 'n', company_id: north },
      { name: 's', company_id: south },
    )) as [number, number, number]
    const [keeper] = (await make('res.users', {
      name: 'K',
      login: 'k',
      company_id: south,
      company_ids: [[6, 0, [south]]],
    })) as [number]
    // Rolls back, so that the next check begins in the same state.
    const refused = (work: () => Promise<unknown>, field: string) =>
      assert.rejects(
        env.unit.savepoint(work),
        (error: Error) =>
          error.name === 'UserError' &&
          error.message.startsWith(`Incompatible companies: "${field}" of Order`),
      )
    const create = (vals: object) => make('depot.order', vals)

    await create({
      company_id: north,
      shelf_id: ofNorth,
      shelf_ids: [[6, 0, [ofNorth, shared]]],
      free_id: ofSouth,
    })
    await create({ company_id: branch, shelf_id: ofNorth })
    await create({ shelf_id: shared, keeper_id: keeper })
    await create({ company_id: south, keeper_id: keeper })
    await refused(() => create({ company_id: north, shelf_id: ofSouth }), 'Shelf')
    await refused(() => create({ company_id: north, shelf_ids: [[6, 0, [shared, ofSouth]]] }), 'Shelves')
    await refused(() => create({ company_id: north, keeper_id: keeper }), 'Keeper')
    await refused(() => create({ shelf_id: ofNorth }), 'Shelf')

    const [paper] = (await create({ company_id: north, shelf_id: ofNorth })) as [number]
    const write = (vals: object) =>
      env
        .model('depot.order' as 'res.partner')
        .browse([paper])
        .write(vals as never)
    await refused(() => write({ shelf_id: ofSouth }), 'Shelf')
    await refused(() => write({ shelf_ids: [[4, ofSouth]] }), 'Shelves')
    await refused(() => write({ company_id: south }), 'Shelf')
    await write({ company_id: south, shelf_id: ofSouth })
    await write({ name: 'only what changed is judged' })
  }))
