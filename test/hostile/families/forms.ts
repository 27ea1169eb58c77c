// Forms and files before anybody has proven anything: fields by the hundred thousand, headers without an end,
// boundaries that are none, files without a password.
import type { Attack, Request } from '../attack.ts'
import { type Body, many, times } from '../bodies.ts'

const urlencoded = { 'content-type': 'application/x-www-form-urlencoded' }
const pages = [
  '/web/login',
  '/web/database/create',
  '/web/database/drop',
  '/web/session/logout',
  '/web/database/backup',
  '/web/database/change_password',
]

const fields: Readonly<Record<string, { size: number; small: number; body: (n: number) => Body }>> = {
  fields: { size: 200_000, small: 20_000, body: (n) => [many(n, (at) => `f${at}=`, '&')] },
  'same-field': { size: 400_000, small: 20_000, body: (n) => [many(n, 'a=', '&')] },
  separators: { size: 1_000_000, small: 50_000, body: (n) => [times(n, '&')] },
  percents: { size: 340_000, small: 50_000, body: (n) => ['master_pwd=', times(n, '%41')] },
  'broken-percents': { size: 1_000_000, small: 50_000, body: (n) => ['name=', times(n, '%')] },
  'long-value': { size: 100_000_000, small: 3_000_000, body: (n) => ['password=', times(n, 'p')] },
  'long-name': { size: 1_000_000, small: 100_000, body: (n) => [times(n, 'n')] },
  equals: { size: 1_000_000, small: 50_000, body: (n) => [times(n, '=')] },
}

const posts: Attack[] = Object.entries(fields).map(([name, { size, small, body }], at) => ({
  name: `form/${name}`,
  area: 'B',
  open: true,
  size,
  small,
  run: ({ send, crowd }, n) =>
    crowd(12, 6, (i) =>
      send({
        path: pages[(at + i) % pages.length] as string,
        headers: urlencoded,
        chunked: i % 2 === 1,
        body: body(n),
      }),
    ),
}))

const multipart = (
  body: Body,
  boundary = 'X',
  header = `multipart/form-data; boundary=${boundary}`,
): Request => ({
  path: '/web/database/restore',
  headers: { 'content-type': header },
  body,
})
const field = (name: string, value: string) =>
  `--X\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
const file = (name = 'backup_file') =>
  `--X\r\nContent-Disposition: form-data; name="${name}"; filename="b.zip"\r\nContent-Type: application/zip\r\n\r\n`
const end = '\r\n--X--\r\n'

const parts: Readonly<Record<string, { size: number; small?: number; body: (n: number) => Body }>> = {
  fields: {
    size: 300_000,
    small: 5000,
    body: (n) => [many(n, (at) => field(`f${at}`, ''), ''), '--X--\r\n'],
  },
  'same-field': {
    size: 300_000,
    small: 5000,
    body: (n) => [times(n, field('master_pwd', 'x')), '--X--\r\n'],
  },
  files: {
    size: 200_000,
    small: 5000,
    body: (n) => [many(n, (at) => `${file(`f${at}`)}x\r\n`, ''), '--X--\r\n'],
  },
  'long-field': {
    size: 100_000_000,
    small: 3_000_000,
    body: (n) => ['--X\r\nContent-Disposition: form-data; name="master_pwd"\r\n\r\n', times(n, 'm'), end],
  },
  'long-header': {
    size: 50_000_000,
    small: 3_000_000,
    body: (n) => ['--X\r\nContent-Disposition: form-data; name="', times(n, 'h')],
  },
  headers: {
    size: 500_000,
    small: 20_000,
    body: (n) => ['--X\r\n', many(n, (at) => `X-${at}: 1\r\n`, ''), '\r\nx', end],
  },
  'header-without-name': {
    size: 1_000_000,
    small: 50_000,
    body: (n) => ['--X\r\n', times(n, ':\r\n'), '\r\nx', end],
  },
  'long-file-name': {
    size: 10_000_000,
    small: 200_000,
    body: (n) => [
      '--X\r\nContent-Disposition: form-data; name="backup_file"; filename="',
      times(n, 'f'),
      '"\r\n\r\nx',
      end,
    ],
  },
  'odd-file-name': {
    size: 1000,
    small: 1000,
    body: (n) => [
      '--X\r\nContent-Disposition: form-data; name="backup_file"; filename*=UTF-8\'\'',
      times(n, '%ZZ'),
      '\r\n\r\nx',
      end,
    ],
  },
  'no-name': {
    size: 1000,
    small: 1000,
    body: (n) => [times(n, '--X\r\nContent-Disposition: form-data\r\n\r\nx\r\n'), '--X--\r\n'],
  },
  'no-header': { size: 1000, small: 1000, body: (n) => [times(n, '--X\r\n\r\nx\r\n'), '--X--\r\n'] },
  'almost-boundaries': { size: 30_000_000, small: 300_000, body: (n) => [file(), times(n, '\r\n-')] },
  'no-boundary-inside': { size: 100_000_000, small: 3_000_000, body: (n) => [times(n, 'q')] },
  'no-end': { size: 1000, small: 1000, body: (n) => [file(), times(n, 'x')] },
  'file-without-password': { size: 300_000_000, small: 3_000_000, body: (n) => [file(), times(n, 'z'), end] },
  'file-before-password': {
    size: 300_000_000,
    small: 3_000_000,
    body: (n) => [file(), times(n, 'z'), `\r\n${field('master_pwd', 'wrong')}${field('name', 'x')}--X--\r\n`],
  },
  'file-after-wrong-password': {
    size: 300_000_000,
    small: 3_000_000,
    body: (n) => [field('master_pwd', 'wrong'), field('name', 'x'), file(), times(n, 'z'), end],
  },
  'file-after-empty-password': {
    size: 300_000_000,
    small: 3_000_000,
    body: (n) => [field('master_pwd', ''), file(), times(n, 'z'), end],
  },
  'other-file': { size: 300_000_000, small: 3_000_000, body: (n) => [file('other'), times(n, 'z'), end] },
  'nested-parts': {
    size: 100_000,
    small: 5000,
    body: (n) => [times(n, '--X\r\nContent-Type: multipart/mixed; boundary=X\r\n\r\n')],
  },
}

const posted: Attack[] = Object.entries(parts).map(([name, { size, small, body }]) => ({
  name: `multipart/${name}`,
  area: name.includes('file-') ? 'A' : 'B',
  open: true,
  size,
  ...(small ? { small } : {}),
  run: ({ send }, n) => send(multipart(body(n))),
}))

/** Values of the Content-Type header, with all sorts of boundaries. */
const headers = [
  'multipart/form-data',
  'multipart/form-data; boundary=',
  'multipart/form-data; boundary=""',
  'multipart/form-data; boundary=" "',
  'multipart/form-data; boundary',
  `multipart/form-data; boundary=${'b'.repeat(71)}`,
  `multipart/form-data; boundary=${'b'.repeat(7000)}`,
  'multipart/form-data; boundary="(.*)+$"',
  'multipart/form-data; boundary=X; boundary=Y',
  'multipart/form-data; boundary=X; charset=utf-7',
  'multipart/form-data; boundary="X',
  'multipart/form-data; boundary=\u00ff',
  'multipart/mixed; boundary=X',
  'multipart/related; boundary=X',
  "multipart/form-data; boundary*=UTF-8''%FF%FE",
  `multipart/form-data; ${'a=b; '.repeat(1000)}boundary=X`,
  'Multipart/Form-Data;BOUNDARY=X',
  'multipart/form-data; boundary=--',
  'multipart/form-data; boundary=__proto__',
]

const odd: Attack = {
  name: 'multipart/odd-boundaries',
  area: 'B',
  open: true,
  // Some of them are forms with a wrong password: more and more guesses wait for five seconds each.
  size: 4,
  small: 1,
  run: ({ send, crowd }, n) =>
    crowd(headers.length * n, 4, (at) =>
      send({
        ...multipart([field('master_pwd', 'wrong'), file(), 'x', end], 'X', headers[at % headers.length]),
        chunked: at % 2 === 0,
      }),
    ),
}

const protoNames: Attack = {
  name: 'multipart/names-of-prototypes',
  area: 'B',
  open: true,
  size: 5,
  small: 1,
  run: ({ send, crowd }, n) =>
    crowd(n, 1, async () => {
      for (const name of [
        '__proto__',
        'constructor',
        'toString',
        'hasOwnProperty',
        '',
        'a[b]',
        'a\u0000',
        '../../x',
      ])
        await send(multipart([field(name, 'x'), file(name), 'x', end]))
    }),
}

/** Many uploads at once from many addresses: the sum must not fill memory or disk. */
const uploads: Attack = {
  name: 'multipart/forty-uploads-at-once',
  area: 'A',
  open: true,
  size: 20_000_000,
  small: 200_000,
  run: ({ send, crowd }, n) =>
    crowd(40, 40, (at) => send({ ...multipart([file(), times(n, 'u'), end]), from: `10.200.1.${at}` })),
}

const closed: Attack[] = (
  ['file-without-password', 'file-after-wrong-password', 'other-file', 'fields'] as const
).map((name) => ({
  name: `closed-manager/${name}`,
  area: 'A',
  open: true,
  closed: true,
  size: parts[name]?.size ?? 0,
  run: ({ send }, n) => send(multipart(parts[name]?.body(n) ?? [])),
}))

const xmlRestore: Attack = {
  name: 'closed-manager/restore-by-rpc',
  area: 'A',
  open: true,
  closed: true,
  size: 90_000_000,
  run: ({ send }, n) =>
    send({
      path: '/jsonrpc',
      headers: { 'content-type': 'application/json' },
      body: [
        '{"jsonrpc":"2.0","params":{"service":"db","method":"restore","args":["wrong","new","',
        times(n, 'A'),
        '",false]}}',
      ],
    }),
}

export const forms: readonly Attack[] = [
  ...posts,
  ...posted,
  odd,
  protoNames,
  uploads,
  ...closed,
  xmlRestore,
  { ...xmlRestore, name: 'multipart/restore-by-rpc', closed: false },
]
