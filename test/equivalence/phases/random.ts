// A random mix of reads by the generator of the fuzzer, in families of calls that differ in little but
// values: the first of a family finds nothing remembered, the others come warm.
import { composeRegistry } from '../../../src/models/engine.ts'
import { modules } from '../../../src/modules/index.ts'
import { Caller, type Ground } from '../../fuzz/calls.ts'
import type { Asked } from '../../fuzz/cold.ts'
import { Random } from '../../fuzz/random.ts'
import { type Client, clientOf } from '../client.ts'
import { PEOPLE } from '../ground.ts'
import type { Phase } from '../phase.ts'

const FAMILIES = 100
const SIZE = 5
/** Models that are asked for more often than others. */
const OFTEN = [
  'res.partner',
  'sale.order',
  'product.product',
  'product.template',
  'res.users',
  'account.move',
]

export const random: Phase = {
  name: 'random',
  about: 'random reads, groups and undone writes of all models, in families: cold, then warm',
  ids: 'exact',
  repeats: true,
  async play(side, { seed, share, round }) {
    const client = await clientOf(side, { lane: 0 })
    const chance = new Random(seed * 1_000_003 + round)
    const caller = new Caller(chance, await groundOf(client))
    const weightedCalls: (readonly [number, Asked])[] = []
    for (let n = 0; n < Math.ceil(FAMILIES * share); n++)
      for (const call of caller.family(caller.first(), SIZE)) weightedCalls.push([chance.next(), call])
    weightedCalls.sort(([order], [other]) => order - other)
    for (const [, call] of weightedCalls) await send(client, call)
  },
}

function send(client: Client, { key, model, method, ids, context, named, typed, undone }: Asked) {
  const zone = typed?.zone ? `, timezone="${typed.zone}"` : ''
  const prefer = [...(typed ? [`values=typed${zone}`] : []), ...(undone ? ['tx=rollback'] : [])].join(', ')
  const body = { ...named, ...(ids === undefined ? {} : { ids }), ...(context ? { context } : {}) }
  return client.call(`${model}/${method}`, body, { as: key, headers: prefer ? { prefer } : {} })
}

/** Names for generated calls: models that are stored, ids of their records, values that they have. */
async function groundOf(client: Client): Promise<Ground> {
  const registry = composeRegistry(modules)
  const ids = new Map<string, number[]>()
  const held = new Map<string, unknown[]>()
  const models = [...registry.models.values()].filter((model) => model.hasRows && model.kind !== 'abstract')
  for (const model of models) {
    const fields = [...model.fields.values()].filter(
      (field) =>
        field.column && !['binary', 'json'].includes(field.kind) && !field.comodel && !field.options.hidden,
    )
    const names = fields.map(({ name }) => name)
    const query = { domain: [], fields: names, order: 'id', limit: 20 }
    const { status, body } = await client.call(`${model.name}/search_read`, query)
    const rows = status === 200 ? (body as ({ id: number } & Record<string, unknown>)[]) : []
    ids.set(
      model.name,
      rows.map(({ id }) => id),
    )
    for (const name of names) {
      const values = rows.map((row) => row[name]).filter((value) => value !== false && value !== null)
      // Moments of this run differ from one side to the other.
      const lasting = values.filter((value) => !/^20\d\d-\d\d-\d\d \d/.test(String(value)))
      if (lasting.length) held.set(`${model.name}.${name}`, [...new Set(lasting)].slice(0, 8))
    }
  }
  const companies = await client.ask<number[]>('res.company/search', { domain: [], order: 'id' })
  const names = [...models.map(({ name }) => name), ...Array.from({ length: 10 }, () => OFTEN).flat()]
  const keys = ['admin', ...Object.keys(PEOPLE)]
  return { registry, models: names, keys, companies, ids, held, properties: ['nick', 'shoe', 'none'] }
}
