// Records made and written one at a time with each kind of credential: what goes along with the credential's
// check is no part of it, whichever columns that check has. The second time the form is known.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openWires, type Said, type Wires } from '../support/three-wires.ts'

let wires: Wires
before(async () => {
  wires = await openWires(['base'])
})
after(() => wires?.close())

type Way = (method: string, args: readonly unknown[]) => Promise<Said>
const ways: Readonly<Record<string, Way>> = {
  'a session': (method, args) =>
    wires.session('/web/dataset/call_kw', { model: 'res.partner', method, args, kwargs: {} }),
  'a password': (method, args) => wires.kw('res.partner', method, args),
  'a key in the place of a password': (method, args) =>
    wires.rpc('object', 'execute_kw', ['test', 2, wires.key, 'res.partner', method, args]),
  'a key': (method, [first, second]) =>
    wires.json2(
      `res.partner/${method}`,
      method === 'create' ? { vals_list: [first] } : { ids: first, vals: second },
    ),
}

for (const [name, call] of Object.entries(ways))
  test(`records: by ${name}: a contact is created and written, with and without a cached plan`, async () => {
    for (let n = 1; n <= 3; n++) {
      const creation = await call('create', [{ name: `Contact ${n}`, ref: name, color: n }])
      assert.equal(creation.error, undefined, creation.text)
      const [id] = [creation.result].flat() as number[]
      for (const color of [4, 5, 6]) {
        const wrote = await call('write', [[id], { color }])
        assert.deepEqual([wrote.error, wrote.result], [undefined, true], wrote.text)
      }
      const { result } = await wires.json2('res.partner/read', {
        ids: [id],
        fields: ['name', 'ref', 'color'],
      })
      assert.deepEqual(result, [{ id, name: `Contact ${n}`, ref: name, color: 6 }])
    }
  })
