// Three nodes whose clients all write to one record: a call that lost a conflict queues across all
// nodes, and almost no client gets a conflict. A call that declares its record waits before it takes
// its snapshot.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Databases } from '../../src/databases/index.ts'
import { modules } from '../../src/main.ts'
import { unrestricted } from '../../src/models/rights/tables.ts'
import { UnitOfWork } from '../../src/models/unit/unit.ts'
import { Crowded } from '../../src/postgres/index.ts'
import { createKey } from '../../src/services/admin.ts'
import { call } from '../../src/services/call.ts'
import { sql } from '../../src/sql/index.ts'
import '../support/patience.ts'
import { makeDataDir } from '../support/temp.ts'

const NODES = 3
const CLIENTS = 20
const WRITES = 4

const temp = makeDataDir('lane')
const base = modules.filter((module) => module.name === 'base')
const nodes: Databases[] = []
let key: string

before(async () => {
  for (let i = 0; i < NODES; i++)
    nodes.push(await Databases.open({ dataDir: temp.path, modules: base, durable: false }))
  await (nodes[0] as Databases).create('shop', { modules: ['base'] })
  key = await createKey(nodes[0] as Databases, 'shop', 'admin', { scope: null, name: 'till', days: 1 })
})
after(async () => {
  await Promise.all(nodes.map((node) => node.close()))
  temp.remove()
})

async function run(
  node: Databases,
  method: string,
  named: Record<string, unknown>,
  ids: number[],
): Promise<string> {
  const credential = { kind: 'key', key } as const
  const body = () => ({ ids, context: {}, named })
  const origin = { remote: '127.0.0.1', requestId: 'test' }
  return (await call(node, { database: 'shop', credential, model: 'res.partner', method, body, ...origin }))
    .json
}

test('of writes to one record on three nodes less than one in a hundred is refused, and none is lost', async () => {
  const [id] = JSON.parse(await run(nodes[0] as Databases, 'create', { vals_list: [{ name: 'Hot' }] }, []))
  const refused = new Map<string, number>()
  let done = 0
  const client = async (node: Databases, number: number) => {
    for (let write = 0; write < WRITES; write++)
      try {
        await run(
          node,
          'write',
          { vals: { comment: `${number}/${write}`, name: `Hot ${number} ${write}` } },
          [id],
        )
        done++
      } catch (error) {
        const { name } = error as Error
        refused.set(name, (refused.get(name) ?? 0) + 1)
      }
  }
  await Promise.all(
    nodes.flatMap((node, n) => Array.from({ length: CLIENTS }, (_, i) => client(node, n * CLIENTS + i))),
  )
  const total = NODES * CLIENTS * WRITES
  assert.ok(
    total - done < total / 100,
    `${total - done} of ${total} were refused: ${JSON.stringify([...refused])}`,
  )
})

test('who takes turns sees what the one before left, on whichever node, and gives them up with the end', async () => {
  const unit = async (node: number, turns: readonly string[]) => {
    const { pool, registry } = await (nodes[node] as Databases).database('shop')
    return new UnitOfWork(pool, registry, unrestricted, { readonly: false, turns })
  }
  const raise = sql`UPDATE res_partner SET color = COALESCE(color, 0) + 1 WHERE id = 1 RETURNING color`
  const first = await unit(0, [])
  await first.turns.take('thing', [3, 4])
  const [[before = 0] = []] = (await first.query(raise)) as readonly [number][]
  const crowded = await unit(1, [])
  const turn = await crowded.turns.take('thing', sql`VALUES (4), (5)`).catch((error: unknown) => error)
  assert.ok(turn instanceof Crowded)
  assert.deepEqual(turn.turns, ['thing/4', 'thing/5'])
  await crowded.rollback()
  const second = await unit(1, turn.turns)
  const after = second.query(raise)
  const other = await unit(2, [])
  await other.turns.take('thing', [6])
  await other.commit()
  await first.commit()
  assert.deepEqual(await after, [[before + 1]])
  const third = await unit(2, [])
  await assert.rejects(third.turns.take('thing', sql`VALUES (5)`), Crowded)
  await third.rollback()
  await second.rollback()
  const last = await unit(2, [])
  await last.turns.take('thing', sql`VALUES (3), (4), (5)`)
  await last.rollback()
})
