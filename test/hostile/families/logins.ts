// Guessing: logins in parallel on every wire, passwords and logins of megabytes, keys and master passwords in
// vain.
import { type Attack, GUESSED, type Hands, type Reply, type Request } from '../attack.ts'
import { times } from '../bodies.ts'

const json = { 'content-type': 'application/json' }
type Try = (hands: Hands, login: string, password: string) => Promise<Request> | Request

const rpc = (service: string, method: string, args: unknown[]): Request => ({
  path: '/jsonrpc',
  headers: json,
  body: [JSON.stringify({ jsonrpc: '2.0', params: { service, method, args } })],
})
const xml = (path: string, method: string, args: readonly string[]): Request => ({
  path,
  body: [
    `<methodCall><methodName>${method}</methodName><params>${args.map((arg) => `<param><value><string>${arg}</string></value></param>`).join('')}</params></methodCall>`,
  ],
})

/** Endpoints that check a login and a password. */
const endpoints: Readonly<Record<string, Try>> = {
  'jsonrpc-login': ({ world }, login, password) => rpc('common', 'login', [world.database, login, password]),
  'jsonrpc-authenticate': ({ world }, login, password) =>
    rpc('common', 'authenticate', [world.database, login, password, {}]),
  'jsonrpc-object': ({ world }, login, password) =>
    rpc('object', 'execute_kw', [
      world.database,
      world.uids[login] ?? 999_999,
      password,
      'res.users',
      'context_get',
      [],
    ]),
  'xmlrpc-login': ({ world }, login, password) =>
    xml('/xmlrpc/common', 'login', [world.database, login, password]),
  'xmlrpc-2-authenticate': ({ world }, login, password) =>
    xml('/xmlrpc/2/common', 'authenticate', [world.database, login, password, '']),
  session: ({ world }, login, password) => ({
    path: '/web/session/authenticate',
    headers: json,
    body: [JSON.stringify({ jsonrpc: '2.0', params: { db: world.database, login, password } })],
  }),
  form: async (hands, login, password) => {
    const page = await hands.send({ path: `/web/login?db=${hands.world.database}` })
    const cookie = [page.headers['set-cookie'] ?? []].flat()[0]?.split(';')[0] ?? ''
    const token = /csrf_token: "([^"]+)"/.exec(page.text)?.[1] ?? ''
    const fields = new URLSearchParams({ csrf_token: token, db: hands.world.database, login, password })
    return {
      path: '/web/login',
      headers: { 'content-type': 'application/x-www-form-urlencoded', cookie },
      body: [String(fields)],
    }
  },
}

/** The words of a reply, without what differs from one to the next anyway. */
const wordsOf = ({ status, text }: Reply) =>
  `${status} ${text
    .replace(/"[0-9a-f]{32,}"/g, '')
    .replace(/\d+/g, 'N')
    .slice(0, 3000)}`

/**
 * Of many wrong attempts and a right one at once, no more are judged than without a pause, and the right one
 * looks like its neighbours.
 */
async function parallel(hands: Hands, endpoint: Try, login: string, count: number): Promise<void> {
  const { password } = hands.world
  const attempts = await Promise.all(
    Array.from({ length: count + 1 }, (_, at) =>
      endpoint(hands, login, at === count ? password : `wrong ${at}`),
    ),
  )
  const replies = await Promise.all(attempts.map(hands.send))
  const right = replies.pop() as Reply
  const kinds = new Map<string, number>()
  for (const reply of replies) kinds.set(wordsOf(reply), (kinds.get(wordsOf(reply)) ?? 0) + 1)
  // Rejected passwords and delayed attempts have different messages.
  const paused = [...kinds]
    .filter(([words]) => /too many|wait|cool/i.test(words))
    .reduce((sum, [, many]) => sum + many, 0)
  if (count > 30 && paused < count - 25)
    hands.complain(`${count - paused} of ${count} guesses at once were judged`)
  if (count > 30 && !kinds.has(wordsOf(right)))
    hands.complain(`the right password is told apart: ${wordsOf(right).slice(0, 100)}`)
}

const guesses: Attack[] = Object.entries(endpoints).flatMap(([name, endpoint], at) => [
  {
    name: `guess/${name}`,
    area: 'E',
    open: true,
    size: 60,
    small: 60,
    run: (hands: Hands, n: number) => parallel(hands, endpoint, `guessed${at * 2}`, n),
  },
  {
    name: `guess-from-everywhere/${name}`,
    area: 'E',
    open: true,
    size: 150,
    run: async (hands: Hands, n: number) => {
      const spread: Try = async (...parameters) => ({
        ...(await endpoint(...parameters)),
        from: `10.201.${hands.random.below(250)}.${hands.random.below(250)}`,
      })
      // Only those of one login are many here; strangers elsewhere must not lock people out, so that the
      // right one may pass.
      const replies = await Promise.all(
        Array.from({ length: n }, async (_, i) =>
          hands.send(await spread(hands, `guessed${at * 2 + 1}`, `wrong ${i}`)),
        ),
      )
      const judged = replies.filter((reply) => !/too many|wait|cool/i.test(reply.text)).length
      if (n > 100 && judged > 100) hands.complain(`${judged} of ${n} guesses at one login were judged`)
    },
  },
  {
    name: `long-password/${name}`,
    area: 'E',
    open: true,
    size: 900_000,
    small: 100_000,
    run: (hands: Hands, n: number) =>
      hands.crowd(40, 8, async (i) =>
        hands.send(await endpoint(hands, `guessed${(i % 10) + 20}`, 'p'.repeat(n))),
      ),
  },
  {
    name: `long-login/${name}`,
    area: 'E',
    open: true,
    size: 900_000,
    small: 100_000,
    run: (hands: Hands, n: number) =>
      hands.crowd(40, 8, async (i) => hands.send(await endpoint(hands, `${i}${'l'.repeat(n)}`, 'p'))),
  },
])

const masters: Readonly<Record<string, (guess: string) => Request>> = {
  'jsonrpc-drop': (guess) => rpc('db', 'drop', [guess, 'no-such']),
  'jsonrpc-dump': (guess) => rpc('db', 'dump', [guess, 'no-such', 'zip']),
  'xmlrpc-drop': (guess) => xml('/xmlrpc/2/db', 'drop', [guess, 'no-such']),
  'form-drop': (guess) => ({
    path: '/web/database/drop',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: [`master_pwd=${encodeURIComponent(guess)}&name=no-such`],
  }),
  'form-restore': (guess) => ({
    path: '/web/database/restore',
    headers: { 'content-type': 'multipart/form-data; boundary=X' },
    body: [`--X\r\nContent-Disposition: form-data; name="master_pwd"\r\n\r\n${guess}\r\n--X--\r\n`],
  }),
}

const master: Attack[] = Object.entries(masters).flatMap(([name, request]) => [
  {
    name: `guess-master/${name}`,
    area: 'E',
    open: true,
    size: 60,
    small: 30,
    run: ({ send }: Hands, n: number) =>
      Promise.all(Array.from({ length: n }, (_, at) => send(request(`wrong ${at}`)))),
  },
  {
    name: `long-master/${name}`,
    area: 'E',
    open: true,
    size: 800_000,
    small: 100_000,
    run: ({ send, crowd }: Hands, n: number) =>
      crowd(10, 5, (at) => send({ ...request(`${at}${'m'.repeat(n)}`), from: `10.202.0.${at}` })),
  },
])

const rest: Attack[] = [
  {
    name: 'guess/keys',
    area: 'E',
    open: true,
    size: 5000,
    small: 200,
    run: ({ send, crowd }, n) =>
      crowd(n, 30, (at) =>
        send({
          path: '/json/2/res.users/context_get',
          headers: { ...json, authorization: `bearer ${at.toString(16).padStart(40, '0')}` },
          body: ['{}'],
        }),
      ),
  },
  {
    name: 'guess/long-keys',
    area: 'E',
    open: true,
    size: 14_000,
    small: 14_000,
    run: ({ send, crowd }, n) =>
      crowd(300, 30, () =>
        send({
          path: '/json/2/res.users/context_get',
          headers: { ...json, authorization: `bearer ${'k'.repeat(n)}` },
          body: ['{}'],
        }),
      ),
  },
  {
    name: 'guess/session-cookies',
    area: 'E',
    open: true,
    size: 3000,
    small: 200,
    run: ({ send, crowd, world }, n) =>
      crowd(n, 30, (at) =>
        send({
          path: '/web/session/get_session_info',
          headers: { ...json, cookie: `session_id=${world.database}.${at}${'c'.repeat(43)}` },
          body: ['{}'],
        }),
      ),
  },
  {
    name: 'guess/databases',
    area: 'E',
    open: true,
    size: 3000,
    small: 200,
    run: ({ send, crowd }, n) =>
      crowd(n, 30, (at) =>
        send({
          path: '/jsonrpc',
          headers: json,
          body: [
            JSON.stringify({
              params: {
                service: 'common',
                method: 'login',
                args: [`no such ${at}${'d'.repeat(at * 10)}`, 'a', 'b'],
              },
            }),
          ],
        }),
      ),
  },
  {
    name: 'guess/many-logins',
    area: 'E',
    open: true,
    size: 400,
    small: 100,
    run: ({ send, crowd, world }, n) =>
      crowd(n, 30, (at) =>
        send({
          ...rpc('common', 'login', [world.database, `stranger ${at} ${'l'.repeat(2000)}`, 'x']),
          from: `10.203.${at >> 8}.${at & 255}`,
        }),
      ),
  },
  {
    name: 'long-login/user-agent',
    area: 'E',
    open: true,
    size: 13_000,
    small: 13_000,
    run: ({ send, crowd, world }, n) =>
      crowd(200, 20, (at) =>
        send({
          ...rpc('common', 'login', [world.database, `agent ${at}`, 'x']),
          headers: { ...json, 'user-agent': 'u'.repeat(n) },
          from: `10.204.0.${at}`,
        }),
      ),
  },
  {
    name: 'long-login/environment',
    area: 'E',
    open: true,
    size: 900_000,
    small: 50_000,
    run: ({ send, crowd, world }, n) =>
      crowd(10, 5, () =>
        send({
          path: '/jsonrpc',
          headers: json,
          body: [
            `{"params":{"service":"common","method":"authenticate","args":["${world.database}","x","y",{"base_location":"`,
            times(n, 'e'),
            '"}]}}',
          ],
        }),
      ),
  },
  {
    name: 'guess/own-password-by-call',
    area: 'E',
    size: 60,
    small: 30,
    run: ({ json2 }, n) =>
      Promise.all(
        Array.from({ length: n }, (_, at) =>
          json2('portal', 'res.users/change_password', [
            JSON.stringify({ old_passwd: `wrong ${at}`, new_passwd: 'something else' }),
          ]),
        ),
      ),
  },
]

export const logins: readonly Attack[] = [...guesses, ...master, ...rest]
/** Those who are guessed must be there. */
if (GUESSED < Object.keys(endpoints).length * 2) throw new Error('too few users to guess')
