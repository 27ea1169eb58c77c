// SIGKILL of the process that takes calls, just before and just after COMMIT. A client that repeats the
// call or batch with its idempotency key gets the lost answer of the one that committed, or has it run
// now.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { modules } from '../../src/main.ts'
import { sql } from '../../src/sql/index.ts'
import { openLine } from '../support/line.ts'
import { type Nodes, openNodes } from '../support/nodes.ts'
import { serve } from '../support/serve.ts'
import { makeTemp } from '../support/temp.ts'
import { canLook, killAll, withDescendants } from './processes.ts'

let nodes: Nodes
before(async () => {
  nodes = await openNodes({ known: modules.filter(({ name }) => name === 'base') })
})
after(() => nodes?.close())

const keyed = (key: string) => ({ 'idempotency-key': `"${key}"` })
const valuesOf = (name: string) => ({ vals_list: [{ name }] })
const named = async (name: string) =>
  (await nodes.run(({ unit }) => unit.query(sql`SELECT id FROM res_partner WHERE name = ${name}`))).flat()

/** Each way to ask, with the names that it makes. */
const ways = {
  call: { path: '/json/2/res.partner/create', body: (name: string) => valuesOf(name), parts: [''] },
  batch: {
    path: '/x/1/batch',
    body: (name: string) => ({
      calls: ['a', 'b'].map((part) => ({
        model: 'res.partner',
        method: 'create',
        body: valuesOf(name + part),
      })),
    }),
    parts: ['a', 'b'],
  },
}

for (const how of ['lose', 'hold'] as const)
  test(`idempotency: the process is killed ${how === 'lose' ? 'before COMMIT arrives' : 'after COMMIT, before the answer'}`, {
    skip: !canLook && 'needs /proc',
  }, async () => {
    const temp = makeTemp('at-commit')
    const line = await openLine(nodes.databases.address.port as number)
    const node = await serve(temp.path, ['--database-url', nodes.address(line.port)])
    const send = (path: string, body: object, headers: Record<string, string>) =>
      fetch(`${node.url}${path}`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          authorization: `bearer ${nodes.key}`,
          'x-service-database': 'test',
          ...headers,
        },
        body: JSON.stringify(body),
      }).then(
        () => true,
        () => false,
      )
    try {
      assert.ok(await send(ways.call.path, valuesOf('warm'), {}))
      const struck: { what: keyof typeof ways; name: string; answered: Promise<boolean> }[] = []
      for (const what of ['call', 'batch'] as const) {
        // The commit that is struck may be one of the server's own; then the call is tried again.
        for (let attempt = 0; struck.at(-1)?.what !== what; attempt++) {
          assert.ok(attempt < 5, 'COMMIT of the call was never met')
          const name = `${how} ${what} ${attempt} `
          line.next = how
          const answered = send(ways[what].path, ways[what].body(name), keyed(name.replaceAll(' ', '-')))
          if (!(await Promise.race([answered, line.struck().then(() => false)])))
            struck.push({ what, name, answered })
        }
      }
      await killAll(withDescendants(node.pid))
      for (const { what, name, answered } of struck) {
        assert.equal(await answered, false)
        const { path, body, parts } = ways[what]
        const again = async () => {
          for (;;) {
            const response = await nodes.post(path, body(name), keyed(name.replaceAll(' ', '-')))
            // Its connection may not be over yet.
            if (response.status !== 409) return response
          }
        }
        const response = await again()
        assert.equal(response.status, 200, response.text)
        assert.equal(response.headers.get('idempotent-replayed'), how === 'hold' ? 'true' : null, what)
        const ids = await Promise.all(parts.map((part) => named(name + part)))
        const answeredIds =
          what === 'call'
            ? [response.body]
            : (response.body as { results: { body: unknown }[] }).results.map((result) => result.body)
        // One record for each name, with the ids of the answer.
        assert.deepEqual(answeredIds, ids)
        assert.deepEqual([(await again()).text, await named(name + parts[0])], [response.text, ids[0]])
      }
    } finally {
      await killAll(withDescendants(node.pid))
      await line.close()
      temp.remove()
    }
  })
