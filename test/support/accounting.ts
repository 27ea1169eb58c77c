// A database with the module account and a server over it, for tests: clerk, biller and boss have accounting's levels of rights, admin all.
import { createServer, modules } from '../../src/main.ts'
import { createKey } from '../../src/services/admin.ts'
import { openTestDatabase, type TestDatabase } from './databases.ts'

const people = { clerk: [], biller: ['account.group_account_invoice'], boss: ['account.group_account_manager'] } as const
export type Person = keyof typeof people | 'admin'

export interface Answer {
  readonly status: number
  readonly body: unknown
}

export interface Accounting {
  readonly run: TestDatabase['run']
  /** A call over JSON-2, `model/method`. */
  call(person: Person, path: string, body: object): Promise<Answer>
  close(): Promise<void>
}

export async function openAccounting(): Promise<Accounting> {
  const wanted = ['base', 'uom', 'product', 'account']
  const database = await openTestDatabase(modules.filter(({ name }) => wanted.includes(name)))
  const server = await createServer({ databases: database.databases })
  await database.run(async (env) => {
    for (const [login, groups] of Object.entries(people)) {
      const ids = await Promise.all(['base.group_user', ...groups].map((group) => env.ref(group)))
      await env.model('res.users').create([{ name: login, login, group_ids: [[6, 0, ids]] } as object])
    }
  })
  const keys = new Map<Person, string>()
  for (const login of ['admin', ...Object.keys(people)] as Person[])
    keys.set(login, await createKey(database.databases, 'test', login, { scope: null, name: 'test', days: 1 }))
  return {
    run: database.run,
    async call(person, path, body) {
      const response = await fetch(`${server.url}/json/2/${path}`, {
        method: 'POST',
        headers: { authorization: `bearer ${keys.get(person)}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      return { status: response.status, body: await response.json() }
    },
    async close() {
      await server.close()
      await database.close()
    },
  }
}
