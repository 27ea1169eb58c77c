// Bodies of every wire with millions of small values, long ones, deep ones and such without an end.
import type { Attack, Hands, Request } from '../attack.ts'
import { type Body, many, times } from '../bodies.ts'

/** Replacements of a value, of `size` elements or characters. */
const shapes: Readonly<Record<string, { size: number; small: number; body: (size: number) => Body }>> = {
  'empty-lists': { size: 6_000_000, small: 20_000, body: (n) => ['[', many(n, '[]'), ']'] },
  'empty-objects': { size: 6_000_000, small: 20_000, body: (n) => ['[', many(n, '{}'), ']'] },
  zeros: { size: 20_000_000, small: 20_000, body: (n) => ['[', many(n, '0'), ']'] },
  keys: { size: 3_000_000, small: 20_000, body: (n) => ['{', many(n, (at) => `"key${at}":0`), '}'] },
  'same-key': { size: 8_000_000, small: 20_000, body: (n) => ['{', many(n, '"key":1'), '}'] },
  'long-keys': {
    size: 100,
    small: 10,
    body: (n) => ['{', many(n, (at) => `"${'k'.repeat(1_000_000)}${at}":0`), '}'],
  },
  nested: { size: 20_000_000, small: 20_000, body: (n) => [times(n, '[')] },
  'nested-objects': { size: 10_000_000, small: 20_000, body: (n) => [times(n, '{"a":')] },
  'long-text': { size: 110_000_000, small: 3_000_000, body: (n) => ['"', times(n, 'x'), '"'] },
  escapes: { size: 15_000_000, small: 100_000, body: (n) => ['"', times(n, '\\u0041'), '"'] },
  'open-text': { size: 110_000_000, small: 3_000_000, body: (n) => ['"', times(n, 'y')] },
  blanks: { size: 110_000_000, small: 3_000_000, body: (n) => [times(n, ' '), '0'] },
  digits: { size: 80_000_000, small: 1_000_000, body: (n) => [times(n, '7')] },
  'short-texts': {
    size: 10_000_000,
    small: 20_000,
    body: (n) => ['[', many(n, (at) => `"${at % 1000}"`), ']'],
  },
}

type Wrap = (world: Hands['world'], value: Body) => Request

const json = { 'content-type': 'application/json' }
const envelope = (value: Body): Body => ['{"jsonrpc":"2.0","method":"call","params":', ...value, '}']

/** Endpoints that take JSON, and where a value goes in their body. */
const endpoints: Readonly<Record<string, { open: boolean; wrap: Wrap; only?: readonly string[] }>> = {
  jsonrpc: { open: true, wrap: (_, value) => ({ path: '/jsonrpc', headers: json, body: envelope(value) }) },
  'jsonrpc-args': {
    open: true,
    wrap: ({ database }, value) => ({
      path: '/jsonrpc',
      headers: json,
      body: envelope([
        `{"service":"object","method":"execute_kw","args":["${database}",2,"wrong","res.partner","search",[`,
        ...value,
        ']]}',
      ]),
    }),
    only: ['empty-lists', 'keys', 'long-text', 'short-texts'],
  },
  session: {
    open: true,
    wrap: (_, value) => ({ path: '/web/session/authenticate', headers: json, body: envelope(value) }),
  },
  'call-kw': {
    open: true,
    wrap: (_, value) => ({ path: '/web/dataset/call_kw', headers: json, body: envelope(value) }),
    only: ['empty-objects', 'nested', 'long-text'],
  },
  'version-info': {
    open: true,
    wrap: (_, value) => ({ path: '/web/webclient/version_info', headers: json, body: envelope(value) }),
    only: ['empty-lists', 'keys', 'blanks'],
  },
  'database-list': {
    open: true,
    wrap: (_, value) => ({ path: '/web/database/list', headers: json, body: envelope(value) }),
    only: ['empty-lists', 'keys', 'long-text'],
  },
  'json2-no-key': {
    open: true,
    wrap: (_, value) => ({
      path: '/json/2/res.partner/search',
      headers: { ...json, authorization: `bearer ${'0'.repeat(40)}` },
      body: ['{"domain":', ...value, '}'],
    }),
    only: ['empty-lists', 'long-text', 'nested'],
  },
  json2: {
    open: false,
    wrap: ({ keys }, value) => ({
      path: '/json/2/res.partner/search',
      headers: { ...json, authorization: `bearer ${keys.portal}` },
      body: ['{"domain":', ...value, '}'],
    }),
  },
}

const bodies: Attack[] = Object.entries(endpoints).flatMap(([endpoint, { open, wrap, only }]) =>
  Object.entries(shapes)
    .filter(([shape]) => !only || only.includes(shape))
    .map(([shape, { size, small, body }]) => ({
      name: `${endpoint}/${shape}`,
      area: 'B' as const,
      open,
      size,
      ...(endpoint === 'session' ? {} : { small }),
      run: (hands: Hands, n: number) => hands.send(wrap(hands.world, body(n))),
    })),
)

/** Three at once, and many that never end. */
const together: Attack[] = [
  {
    name: 'jsonrpc/three-of-120-megabytes',
    area: 'B',
    open: true,
    size: 30_000_000,
    small: 100_000,
    run: ({ send }, n) =>
      Promise.all(
        [1, 2, 3].map(() =>
          send({ path: '/jsonrpc', headers: json, body: envelope(['[', many(n, '[]', ',\n'), ']']) }),
        ),
      ),
  },
  {
    name: 'jsonrpc/thirty-of-20-megabytes-chunked',
    area: 'B',
    open: true,
    size: 20_000_000,
    small: 100_000,
    run: ({ send, crowd }, n) =>
      crowd(30, 30, () =>
        send({ path: '/jsonrpc', headers: json, chunked: true, body: envelope(['"', times(n, 'z'), '"']) }),
      ),
  },
  {
    name: 'json2/five-of-100-megabytes-by-one-user',
    area: 'B',
    size: 100_000_000,
    run: ({ json2 }, n) =>
      Promise.all(
        [1, 2, 3, 4, 5].map(() => json2('plain', 'res.partner/search', ['{"domain":"', times(n, 'w'), '"}'])),
      ),
  },
  {
    name: 'json2/thirty-of-five-million-zeros',
    area: 'B',
    size: 5_000_000,
    run: ({ json2, crowd }, n) =>
      crowd(30, 10, () => json2('plain', 'res.partner/search', ['{"domain":[', many(n, '0'), ']}'])),
  },
]

export const wires: readonly Attack[] = [...bodies, ...together]
