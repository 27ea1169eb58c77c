// The tag `html`: texts keep their place whatever they contain, pieces are left unchanged, and cannot be
// forged.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { embeddedJson, Html, type HtmlValue, html, joined, raw } from './html.ts'

const is = (piece: Html, text: string) => assert.equal(piece.toString(), text)

test('values in HTML templates are escaped by their kind', () => {
  is(html`<p>${`<b a="1" b='2'>&`}</p>`, '<p>&#60;b a=&#34;1&#34; b=&#39;2&#39;&#62;&#38;</p>')
  is(html`<i title="${'"'}">`, '<i title="&#34;">')
  is(html`${0} ${1.5}`, '0 1.5')
  is(html`${false}${null}${undefined}${''}${[]}`, '')
  is(html`<ul>${['a', html`<li>b</li>`, ['<', 3]]}</ul>`, '<ul>a<li>b</li>&#60;3</ul>')
  is(html`${html`<b>${'<'}</b>`}`, '<b>&#60;</b>')
  is(html`${raw('<br>')}`, '<br>')
  is(joined(['<', html`<br>`, ''], ', '), '&#60;, <br>, ')
  is(embeddedJson({ a: '</script>\u2028' }), '{"a":"\\u003c/script\\u003e\\u2028"}')
})

test('no object but a piece is HTML: not one with its shape, its prototype or what JSON makes', () => {
  const piece = html`<b>`
  const forged = [
    { toString: () => '<b>' },
    Object.create(Html.prototype),
    Object.assign(Object.create(Html.prototype), { text: '<b>' }),
    JSON.parse(JSON.stringify({ piece })),
    new Proxy(piece, {}),
    true,
    () => '<b>',
    Symbol('b'),
    1n,
  ]
  for (const value of forged) assert.throws(() => html`${value as never}`, TypeError)
})

test('no text leaves its place, between tags or in an attribute', () => {
  const plain = (text: string) => text.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))
  const { value } = fc.letrec<{ value: HtmlValue }>((tie) => ({
    value: fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({
        unit: fc.constantFrom('<', '>', '"', "'", '&', '/', '-', '!', 'b', ' ', '=', '#', '3', ';'),
      }),
      fc.array(tie('value'), { maxLength: 3 }),
    ),
  }))
  const textOf = (value: unknown): string =>
    Array.isArray(value) ? value.map(textOf).join('') : String(value)
  fc.assert(
    fc.property(value, value, (first, second) => {
      const match = /^<p title="([^<>"']*)">([^<>"']*)<\/p>$/.exec(
        html`<p title="${first}">${second}</p>`.toString(),
      )
      assert.ok(match)
      assert.deepEqual(
        [match[1], match[2]].map((text) => plain(text ?? '')),
        [first, second].map(textOf),
      )
    }),
  )
})
