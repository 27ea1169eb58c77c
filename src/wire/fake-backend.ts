// A backend without databases, for tests of wires and routes: it records the calls it gets and answers what
// it is told to.
import { AccessDenied, InvalidApiKey, NotFound, SessionExpired, UserError } from '../errors.ts'
import type { Manager } from '../services/db.ts'
import type { Call, CallBody, Credential } from '../services/request.ts'
import type { Backend } from './backend.ts'

export const KEY = 'a'.repeat(40)
export const MASTER = 'master secret'
/** The token of the one session there is. */
export const TOKEN = 'b'.repeat(40)

function isRight(credential: Credential): boolean {
  if (credential.kind === 'key') return credential.key === KEY
  if (credential.kind === 'session') return credential.token === TOKEN
  if (credential.kind === 'hash') return false
  return credential.uid === 2 && credential.password === 'secret'
}

export interface FakeBackend extends Backend {
  /** Calls that got past the credential, with their decoded bodies. */
  readonly calls: { request: Call; body: CallBody }[]
  readonly names: string[]
  /** How many credentials were judged. */
  judged: number
  /** What the next calls answer; may throw or wait. */
  respond: (request: Call, body: CallBody) => string | Promise<string>
}

/** Two databases `one` and `two`, one key, one password (`secret` of user 2), one model (`res.partner`). */
export function fakeBackend(): FakeBackend {
  const names = ['one', 'two']
  const calls: FakeBackend['calls'] = []
  const fake = {
    calls,
    names,
    judged: 0,
    respond: (_request: Call, body: CallBody): string | Promise<string> => JSON.stringify({ ...body.named }),
    databases: fakeDatabases(names),
    async prove(_server: unknown, { credential }: Pick<Call, 'credential'>) {
      fake.judged++
      if (!isRight(credential))
        throw credential.kind === 'session' ? new SessionExpired() : new InvalidApiKey()
    },
    async call(server: unknown, request: Call) {
      await fake.prove(server, request)
      const body = await request.body()
      if (request.model === 'ir.http') return { json: '{"uid":2,"name":"</script>"}' }
      if (request.model !== 'res.partner')
        throw new NotFound(`the model '${request.model}' does not exist`, { kind: 'model' })
      calls.push({ request, body })
      return { json: await fake.respond(request, body) }
    },
    catalogue: () => ({ languages: [['en_US', 'English (US)']], countries: [['be', 'Belgium']] }),
    deprecated: { note: () => undefined },
    upgradeModules: async () => undefined,
    version: () => ({
      server_version: '19.0',
      server_version_info: [19, 0, 0, 'final', 0, ''],
      server_serie: '19.0',
      protocol_version: 1,
    }),
    login: async (_server: unknown, _database: string, login: string, password: string) =>
      login === 'admin' && password === 'secret' ? 2 : false,
    session: fakeSession(),
    db: fakeDb(names),
  }
  return fake as unknown as FakeBackend
}

function assertMaster(given: string): void {
  if (given !== MASTER) throw new AccessDenied()
}

/** The databases of those names. */
const fakeDatabases = (names: readonly string[]) => ({
  async choose({ header }: { header: string | undefined }): Promise<string> {
    if (header === undefined || !names.includes(header)) throw new NotFound('No such database')
    return header
  },
  list: async () => names,
  pulse: async () => ({ writable: true, down: [] }),
  backupState: async () => null,
  announcements: { listen: async () => undefined, on: () => undefined, say: async () => undefined },
  master: { assert: async (given: string) => assertMaster(given) },
})

/** Sign-ins: one person, one token. */
const fakeSession = () => ({
  async signIn(_server: unknown, _database: string, login: string, password: string) {
    if (login !== 'admin' || password !== 'secret') throw new AccessDenied()
    return TOKEN
  },
  become: async () => null,
  signOut: async () => undefined,
  noteAddress: async () => undefined,
  noteKeyUses: async () => undefined,
  keep: async () => false,
})

/** Administration of the databases; those that are made are noted in `names`. */
const fakeDb = (names: string[]) => ({
  admit: async (_server: unknown, { master }: Manager) => assertMaster(master),
  async create(_server: unknown, { master }: Manager, { name }: { name: string }) {
    assertMaster(master)
    if (names.includes(name)) throw new UserError(`Database <${name}> already exists`)
    names.push(name)
  },
  async duplicate(_server: unknown, { master }: Manager, _from: string, to: string) {
    assertMaster(master)
    names.push(to)
  },
  async drop(_server: unknown, { master }: Manager, name: string) {
    assertMaster(master)
    return names.includes(name)
  },
  async rename(_server: unknown, { master }: Manager) {
    assertMaster(master)
  },
  manageable: async () => true,
  assertManageable: async () => undefined,
  list: async () => names,
  exist: async (_server: unknown, name: string) => names.includes(name),
  async changeMasterPassword(_server: unknown, { master }: Manager) {
    assertMaster(master)
  },
})
