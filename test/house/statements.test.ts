// SQL of modules, every statement of it that is known without running it: PostgreSQL reads it, over tables of
// all modules, and says what it gives.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { statements, type WrittenStatement } from '../../scripts/statements.ts'
import { modules } from '../../src/main.ts'
import type { Environment } from '../../src/models/index.ts'
import { raw } from '../../src/sql/index.ts'
import { openTestDatabase, type TestDatabase } from '../support/databases.ts'
import { sources } from './sources.ts'

/** Statements of which only a run knows the text: the number may only fall. */
const UNKNOWN = 49

let database: TestDatabase
before(async () => {
  database = await openTestDatabase(modules)
})
after(() => database.close())

const written = statements()
const readable = written.filter(({ texts }) => texts.length > 0)

/** PostgreSQL's types by their name in `row`; all others are text. */
const kinds: Readonly<Record<string, string>> = {
  ...{ boolean: 'bool', bytea: 'bytes', smallint: 'int', integer: 'int', bigint: 'int', oid: 'int' },
  ...{ real: 'float', 'double precision': 'float', numeric: 'float' },
  ...{ 'smallint[]': 'ints', 'integer[]': 'ints', 'bigint[]': 'ints' },
  ...{ 'name[]': 'texts', 'text[]': 'texts', 'character varying[]': 'texts' },
  ...{ 'double precision[]': 'floats', 'numeric[]': 'floats' },
}

/** Faults of a statement, as messages of PostgreSQL or of this check. */
async function flawsOf(env: Environment, { way, texts, row }: WrittenStatement): Promise<string[]> {
  const flaws: string[] = []
  for (const text of texts.filter(isPlanned))
    try {
      const [columns] = await env.unit.savepoint(async () => {
        await env.query(raw(`PREPARE looked_at AS ${text}`))
        const [described] = await env.query<[string[] | null]>(
          raw(`SELECT result_types::text[] FROM pg_prepared_statements WHERE name = 'looked_at'`),
        )
        await env.query(raw('DEALLOCATE looked_at'))
        return described ?? [null]
      })
      const gives = columns?.map((type) => kinds[type] ?? 'text') ?? []
      // A list of all texts that there may be stands for text, a number of PostgreSQL's for an amount.
      const said = row.map((column) => column.replace('?', '') || 'text')
      if (way === 'rows' && !fits(gives, said))
        flaws.push(`gives ${gives.join()}, and is said to give ${said.join()}`)
    } catch (error) {
      flaws.push((error as Error).message)
    }
  return flaws
}

const fits = (gives: readonly string[], said: readonly string[]): boolean =>
  gives.length === said.length && gives.every((kind, i) => kind === said[i])

/** PostgreSQL prepares statements that have a plan, and no definitions. */
const isPlanned = (text: string): boolean => /^\s*(?:SELECT|WITH|INSERT|UPDATE|DELETE)\b/i.test(text)

test('PostgreSQL understands what modules ask it, and gives what they expect', async () => {
  assert.ok(readable.length > 250, `only ${readable.length} statements were read`)
  const unknown = written.filter(({ texts }) => texts.length === 0)
  assert.ok(unknown.length <= UNKNOWN, `not known before a run: ${unknown.map(({ at }) => at).join(' ')}`)
  const flaws: string[] = []
  await database.run(async (env) => {
    for (const statement of readable)
      for (const flaw of await flawsOf(env, statement)) flaws.push(`${statement.at} ${flaw}`)
  })
  assert.deepEqual(flaws, [])
})

test('a statement says which models it reads, those of its parts too, and no others', async () => {
  const tables = await database.run(async (env) => {
    const models = [...env.unit.registry.models.values()].filter(({ hasRows }) => hasRows)
    return new Map(models.map(({ table, name }) => [table, name]))
  })
  const wrong = written.flatMap(({ at, way, texts, reads, tables: named }) => {
    if (way === 'execute' && !texts.some(isPlanned)) return []
    const read = new Set(named.flatMap((table) => tables.get(table) ?? []))
    const silent = [...read]
      .filter((name) => !reads.includes(name))
      .map((name) => `${at} reads ${name} in silence`)
    // A statement composed at run time may read declared models that this check cannot see.
    const idle = texts.length ? reads.filter((name) => name && !read.has(name)) : []
    return [...silent, ...idle.map((name) => `${at} does not read ${name}`)]
  })
  assert.deepEqual(wrong, [])
})

test('modules have no other way to ask PostgreSQL', () => {
  const others = sources()
    .filter(({ path }) => path.startsWith('src/modules/'))
    .filter(({ text }) => /\benv\.query\b|\bunit\.query\b|\bunit\.run\b/.test(text))
  assert.deepEqual(
    others.map(({ path }) => path),
    [],
  )
})
