// A backend without databases, for tests of wires and routes: it records the calls it gets, and its answers
// are set by the test.
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

/** Tokens of logins that wait for a code, and for the enrolment of an app. */
const [PENDING, ENROLLING] = ['d'.repeat(40), 'e'.repeat(40)]
const ENROLMENT = { secret: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ', uri: 'otpauth://totp/Shop:new?secret=GEZD' }

export interface FakeBackend extends Backend {
  /** Calls that got past the credential, with their decoded bodies. */
  readonly calls: { request: Call; body: CallBody }[]
  readonly names: string[]
  /** Number of credential checks. */
  judged: number
  /** Answers the next calls; may throw or wait. */
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
      if (request.model === 'res.users') return { json: '{"enabled":false,"since":false}' }
      if (request.model !== 'res.partner')
        throw new NotFound(`the model '${request.model}' does not exist`, { kind: 'model' })
      calls.push({ request, body })
      return { json: await fake.respond(request, body) }
    },
    catalogue: () => ({
      languages: [['en_US', 'English (US)']],
      countries: [['be', 'Belgium']],
      applications: [['stock', 'Inventory']],
    }),
    shopModules: (chosen: readonly string[]) => (chosen.length ? [...chosen, 'between'] : ['all']),
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
    secondFactor: fakeSecondFactor(),
    db: fakeDb(names),
  }
  return fake as unknown as FakeBackend
}

function assertMaster(password: string): void {
  if (password !== MASTER) throw new AccessDenied()
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
  disk: async () => ({ free: 9, all: 10, lack: null }),
  announcements: { listen: async () => undefined, on: () => undefined, say: async () => undefined },
  master: { assert: async (password: string) => assertMaster(password) },
})

/** Sign-ins: `admin` has one token; `ann` has a second factor, and `new` has to enrol one. */
const fakeSession = () => ({
  async begin(_server: unknown, _database: string, { login, password }: { login: string; password: string }) {
    if (password !== 'secret') throw new AccessDenied()
    if (login === 'ann') return { kind: 'code', token: PENDING }
    if (login === 'new') return { kind: 'enrol', token: ENROLLING, enrolment: ENROLMENT }
    if (login !== 'admin') throw new AccessDenied()
    return { kind: 'session', token: TOKEN }
  },
  signIn: async () => TOKEN,
  cancelPendingLogin: async () => undefined,
  become: async () => null,
  signOut: async () => undefined,
  noteAddress: async () => undefined,
  noteKeyUses: async () => undefined,
  keep: async () => false,
})

/** Logins that wait: the code is 123456. */
const fakeSecondFactor = () => ({
  async awaited(_server: unknown, _database: string, token: string) {
    if (token !== PENDING && token !== ENROLLING) throw new SessionExpired()
    return { login: 'ann', enrolment: token === ENROLLING ? ENROLMENT : null }
  },
  async complete(_server: unknown, _database: string, token: string, code: string) {
    if (token !== PENDING && token !== ENROLLING) throw new SessionExpired()
    if (code !== '123456') throw new AccessDenied('Wrong code.')
    return { token: TOKEN, recoveryCodes: token === ENROLLING ? ['ABCD-EFGH-IJKL-MNOP'] : null }
  },
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
