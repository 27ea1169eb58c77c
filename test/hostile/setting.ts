// The server that is attacked: a shop with users of every kind, contacts and keys, in a process of its own
// with little memory.
import { writeFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Databases } from '../../src/databases/index.ts'
import { modules } from '../../src/main.ts'
import { createKey } from '../../src/services/admin.ts'
import { type Served, serve } from '../support/serve.ts'
import { makeDataDir } from '../support/temp.ts'
import { GUESSED, type Member, type World } from './attack.ts'
import { shopModules, shopOf } from './shop.ts'
import { NOTES } from './turns.ts'

const DATABASE = 'comptoir'
const PASSWORD = 'right horse battery'
const MASTER = 'master of the hostile run'
/** The one address of the machine that webhooks may be sent to. */
export const OPEN_ADDRESS = '127.0.0.66'
/** Megabytes of heap that a process gets. */
const HEAP = 512

const groups: Readonly<Record<Member | 'probe', readonly string[]>> = {
  portal: ['base.group_portal'],
  plain: ['base.group_user'],
  maker: ['base.group_user', 'base.group_partner_manager'],
  clerk: ['base.group_user'],
  admin: [],
  probe: ['base.group_user'],
}
const guessed = Array.from({ length: GUESSED }, (_, at) => `guessed${at}`)

export interface Setting {
  readonly world: World
  readonly dataDir: string
  /** Where the processes of the server note their long turns. */
  readonly turns: string
  served(): Served
  /** Starts it again: after its end, or with the manager switched off. */
  restart(closed: boolean): Promise<void>
  close(): Promise<void>
}

/** A database with so many contacts, with a shop or without, and the server over it. */
export async function openSetting(contacts: number, hasShop = false): Promise<Setting> {
  const temp = makeDataDir('hostile')
  let served: Served | undefined
  try {
    const world = await fill(temp.path, contacts, hasShop)
    served = await start(temp.path, false)
    let now = served
    return {
      get world() {
        return { ...world, url: now.url }
      },
      dataDir: temp.path,
      turns: turnsOf(temp.path),
      served: () => now,
      async restart(closed) {
        await now.stop()
        now = await start(temp.path, closed)
      },
      async close() {
        await now.stop()
        temp.remove()
      },
    }
  } catch (error) {
    await served?.stop()
    temp.remove()
    throw error
  }
}

const turnsOf = (dataDir: string) => join(dataDir, 'turns.txt')

function start(dataDir: string, closed: boolean): Promise<Served> {
  // Proxies of this machine are trusted, so that every attack may come from an address of its own.
  const settings = [
    ...['--trust-proxy', '127.0.0.1', '--webhook-http', 'yes', '--webhook-allow', `${OPEN_ADDRESS}/32`],
    ...(closed ? ['--list-db', 'no'] : []),
  ]
  const turns = turnsOf(dataDir)
  writeFileSync(turns, '')
  return serve(dataDir, settings, {
    flags: [`--max-old-space-size=${HEAP}`, '--import', new URL('turns.ts', import.meta.url).href],
    environment: { COMPTOIR_MASTER_PASSWORD: MASTER, [NOTES]: turns },
  })
}

async function fill(dataDir: string, contacts: number, hasShop: boolean): Promise<World> {
  const databases = await Databases.open({ dataDir, modules, durable: false })
  try {
    await databases.create(DATABASE, {
      modules: hasShop ? shopModules : ['sale_management'],
      demo: true,
      login: 'admin',
      password: PASSWORD,
    })
    const database = await databases.database(DATABASE)
    const shop = hasShop ? await database.system(shopOf) : null
    const { uids, partners } = await database.system(async (env) => {
      for (const login of [...Object.keys(groups).filter((key) => key !== 'admin'), ...guessed]) {
        const groupNames = groups[login as Member] ?? ['base.group_user']
        const wanted = login === 'clerk' && shop ? shop.groups : groupNames
        const ids = await Promise.all(wanted.map((group) => env.ref(group)))
        await env
          .model('res.users')
          .create([{ name: login, login, password: PASSWORD, group_ids: [[6, 0, ids]] } as object])
      }
      const rows = await (await env.model('res.users').search([])).read(['login'])
      const partners = await env
        .model('res.partner')
        .create(Array.from({ length: contacts }, (_, at) => contact(at)) as never)
      return {
        uids: Object.fromEntries(rows.map(({ id, login }) => [login as string, id as number])),
        partners: [...partners.ids],
      }
    })
    const keys = {} as Record<Member | 'probe', string>
    for (const login of Object.keys(groups) as Member[])
      keys[login] = await createKey(databases, DATABASE, login, { scope: 'rpc', name: 'hostile', days: 1 })
    // PostgreSQL tidies up now, and writes nothing of its own while strangers are looked at.
    if (hasShop) await database.pool.use((connection) => connection.simple('VACUUM (FREEZE, ANALYZE)'))
    const secret = { path: join(dataDir, 'secret.txt'), content: `secret ${process.hrtime.bigint()}` }
    // PostgreSQL's account could read it: only what the server refuses keeps it.
    writeFileSync(secret.path, secret.content, { mode: 0o644 })
    const backup = join(dataDir, 'sound.zip')
    await writeFile(backup, await databases.backup(DATABASE, 'zip', '19.0'))
    return {
      url: '',
      database: DATABASE,
      dataDir,
      keys,
      uids,
      password: PASSWORD,
      master: MASTER,
      partners,
      secret,
      backup,
      shop: shop?.shop ?? null,
    }
  } finally {
    await databases.close()
  }
}

/** Companies with people, and addresses in some towns. */
function contact(at: number): object {
  const name = `Contact ${at} of Lane ${at % 97}`
  const child = { name: `Person ${at}`, email: `person${at}@example.com` }
  return {
    name,
    is_company: true,
    ref: `H-${at}`,
    city: `Town ${at % 50}`,
    email: `${at}@example.com`,
    child_ids: [[0, 0, child]],
  }
}
