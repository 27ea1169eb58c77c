// Lookup caches of small tables are never stale: two nodes change countries and tags in turn, and both
// return the current values, after a change and in the middle of it. More rounds than in the test:
// `node test/fuzz/dictionary-rounds.ts 1000`.
import assert from 'node:assert/strict'
import { Database } from '../../src/databases/database.ts'
import { modules } from '../../src/main.ts'
import { tell } from './cold.ts'
import { openShop } from './shop.ts'

interface Shown {
  readonly country_id: readonly [number, string] | false
  readonly category_id: readonly number[]
}

/** Changes by the one node, lists by both, `rounds` times. Throws AssertionError for an answer that is stale. */
export async function dictionaryRounds(
  nodes: readonly [Database, Database],
  key: string,
  rounds: number,
): Promise<void> {
  const ask = async (at: number, model: string, method: string, named: object, ids?: unknown) => {
    const call = { key, model, method, ids, named: named as Record<string, unknown> }
    const { answer } = await tell(nodes[at] as Database, call)
    assert.match(answer, /^[[{"\dtf]/, `${model}.${method}: ${answer}`)
    return JSON.parse(answer)
  }
  const [country] = await ask(0, 'res.country', 'create', { vals_list: [{ name: 'Land 0', code: 'Q0' }] })
  const tags: number[] = await ask(0, 'res.partner.category', 'create', {
    vals_list: ['a', 'b', 'c'].map((name) => ({ name })),
  })
  const [partner] = await ask(0, 'res.partner', 'create', {
    vals_list: [{ name: 'Shown', country_id: country, category_id: [[6, 0, tags]] }],
  })
  const fields = ['country_id', 'category_id']
  const shown = async (at: number): Promise<Shown> => {
    const [row] = await ask(at, 'res.partner', 'search_read', {
      domain: [['id', '=', partner]],
      fields,
      limit: 5,
    })
    return row
  }
  const paged = async (at: number): Promise<unknown> => {
    const { records } = await ask(at, 'res.partner', 'web_search_read', {
      domain: [['id', '=', partner]],
      specification: { country_id: { fields: { display_name: {} } } },
      limit: 5,
    })
    return records[0]
  }
  let names = ['a', 'b', 'c']
  const archived = new Set<number>()
  const order = () =>
    tags
      .filter((tag) => !archived.has(tag))
      .sort((a, b) => ((names[tags.indexOf(a)] as string) < (names[tags.indexOf(b)] as string) ? -1 : 1))
  for (let n = 1; n <= rounds; n++) {
    const [by, other] = n % 2 ? [0, 1] : [1, 0]
    const tag = tags[n % 3] as number
    const name = `Land ${n}`
    const change = ask(by, 'res.country', 'write', { vals: { name } }, [country])
    const [meanwhile] = await Promise.all([shown(other), change])
    assert.ok(meanwhile.country_id && [`Land ${n - 1}`, name].includes(meanwhile.country_id[1]), `round ${n}`)
    if (n % 3 === 0) {
      if (!archived.delete(tag)) archived.add(tag)
      await ask(by, 'res.partner.category', 'write', { vals: { active: !archived.has(tag) } }, [tag])
    } else {
      names = names.with(tags.indexOf(tag), `${'xyz'[n % 3]}${n}`)
      await ask(by, 'res.partner.category', 'write', { vals: { name: names[tags.indexOf(tag)] } }, [tag])
    }
    for (const at of [other, by]) {
      assert.deepEqual(await shown(at), { id: partner, country_id: [country, name], category_id: order() })
      assert.deepEqual(await paged(at), { id: partner, country_id: { id: country, display_name: name } })
      const paths = { fields_to_export: ['country_id'] }
      assert.deepEqual(await ask(at, 'res.partner', 'export_data', paths, [partner]), { datas: [[name]] })
    }
  }
}

if (import.meta.main) {
  const rounds = Number(process.argv[2] ?? 1000)
  const shop = await openShop()
  const otherNode = await Database.open('shop', { ...shop.databases.address, max: 2 }, modules, {
    files: shop.database.files,
  })
  try {
    await dictionaryRounds([shop.database, otherNode], shop.keys.admin as string, rounds)
    console.log(`${rounds} rounds: nothing was stale`)
  } finally {
    await otherNode.close()
    await shop.close()
  }
}
