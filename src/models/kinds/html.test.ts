// Markup fields and the policy: recorded results byte for byte, attacks, and stability.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { roundTrip, sample, storeSample } from '../../../test/support/sample-fields.ts'
import { InvalidValue, PayloadTooLarge } from '../../errors.ts'
import { cleanHtml } from '../../kit/html-policy.ts'

test('an html field stores markup as recorded', () => {
  const field = sample('html')
  const cases: [unknown, unknown][] = [
    ['<p>ok <script>alert(1)</script><b onclick="x()">b</b></p>', '<p>ok <b>b</b></p>'],
    ['plain text', '<p>plain text</p>'],
    ['<img src="x" onerror="y">', '<img src="x">'],
    ['<p style="color:red">z</p>', '<p style="color:red">z</p>'],
    ['', ''],
    ['<p><br></p>', '<p><br></p>'],
    [false, null],
    [null, null],
    ['<p>é 🍕 &lt;tag&gt;</p>', '<p>é 🍕 &lt;tag&gt;</p>'],
    ['<p>Loud <b>bell</b> &amp; whistle</p>', '<p>Loud <b>bell</b> &amp; whistle</p>'],
    [12, '<p>12</p>'],
  ]
  for (const [input, expected] of cases)
    assert.equal(storeSample(field, input), expected, JSON.stringify(input))
})

test('an html field keeps harmless markup', () => {
  const kept = [
    '<table class="table" border="1"><tbody><tr><td colspan="2" style="width:10%">a</td></tr></tbody></table>',
    '<p><a href="https://example.com/?a=1&amp;b=2" target="_blank">link</a> <a href="mailto:a@b.c">mail</a> <a href="/web#id=1">here</a></p>',
    '<img src="data:image/png;base64,iVBORw0KGgo=" class="img-fluid" alt="pic" width="10">',
    '<ul><li>a</li><li><i class="fa fa-star"></i></li></ul><hr><h1 id="top">T</h1>',
    '<div data-id="5" dir="rtl">x&nbsp;y</div>',
    '   ',
  ]
  for (const markup of kept) assert.equal(cleanHtml(markup), markup)
})

test('an html field removes scripts and handlers', () => {
  const cases: [string, string][] = [
    ['<a href="javascript:alert(1)">x</a>', '<a>x</a>'],
    ['<a href=" jAva\tscript:alert(1)">x</a>', '<a>x</a>'],
    ['<a href="data:text/html,<script>1</script>">x</a>', '<a>x</a>'],
    ['<p><iframe src="https://evil.example"></iframe>x</p>', '<p>x</p>'],
    ['<p>a<style>p{}</style><svg onload="x"><script>1</script></svg></p>', '<p>a</p>'],
    ['<p style="background:url(javascript:alert(1))">x</p>', '<p>x</p>'],
    ['<p style="width:expression(alert(1))">x</p>', '<p>x</p>'],
    ['<form action="https://evil.example"><input name="password">x</form>', '<p>x</p>'],
    ['<p>a<!-- note -->b</p>', '<p>ab</p>'],
    ['<object data="x"></object><embed src="x"><p>y</p>', '<p>y</p>'],
  ]
  for (const [input, expected] of cases) assert.equal(cleanHtml(input), expected, input)
})

test('bare text at the start becomes a paragraph, up to the first block', () => {
  assert.equal(cleanHtml('a <b>b</b> c'), '<p>a <b>b</b> c</p>')
  assert.equal(cleanHtml('a<br>b<div>c</div>d'), '<p>a<br>b</p><div>c</div>d')
  assert.equal(cleanHtml('1 < 2 & 3'), '<p>1 &lt; 2 &amp; 3</p>')
  assert.equal(cleanHtml('&lt;script&gt;'), '<p>&lt;script&gt;</p>')
})

const harmless = [
  '<p>',
  '</p>',
  '<b>',
  '</b>',
  '<div>',
  '</div>',
  '<br>',
  'text ',
  '&amp;',
  '&lt;',
  ' ',
  '"',
  '\u00a0',
  '<li>',
  '<td>',
  '<a href="/x">',
  '</a>',
]
const acting = [
  '<script>',
  '</script>',
  '<img src=x onerror=y>',
  '<a href="javascript:x">',
  '<!--',
  '-->',
  '<textarea>',
  '<svg>',
  '<noscript>',
  '<iframe>',
  '<',
]
const soup = (pieces: readonly string[]) =>
  fc.array(fc.constantFrom(...pieces), { maxLength: 12 }).map((parts) => parts.join(''))

test('cleaning harmless markup twice changes nothing, well-formed or not', () => {
  fc.assert(
    fc.property(soup(harmless), (markup) => {
      const clean = cleanHtml(markup)
      assert.equal(cleanHtml(clean), clean)
    }),
  )
})

test('no generated script survives in an html field', () => {
  fc.assert(
    fc.property(soup([...harmless, ...acting]), (markup) => {
      assert.doesNotMatch(
        cleanHtml(markup),
        /<(script|svg|textarea|iframe|noscript|!--)|<[^>]*(onerror|javascript:)/i,
      )
    }),
  )
})

test('deep nesting is refused, and signs beyond measure do no harm', () => {
  assert.throws(() => cleanHtml('<b>'.repeat(20_000)), PayloadTooLarge)
  assert.equal(cleanHtml('<'.repeat(10_000)).slice(0, 7), '<p>&lt;')
})

test('the field may opt out, and unstorable text is refused either way', () => {
  assert.equal(storeSample(sample('html', { sanitize: false }), '<script>1</script>'), '<script>1</script>')
  for (const sanitize of [true, false])
    assert.throws(() => storeSample(sample('html', { sanitize }), 'a\0'), InvalidValue)
  assert.throws(() => storeSample(sample('html'), ['<p>']), InvalidValue)
  assert.equal(roundTrip(sample('html'), null), false)
})
