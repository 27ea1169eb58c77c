// Markdown as the guides use it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { headingsOf, markdown } from './markdown.ts'

const shown = (text: string) =>
  markdown(text, (target) => (target.startsWith('http') ? target : null)).toString()

test('markdown: blocks and marks of the guides become HTML, and everything else is text', () => {
  const table: [string, string][] = [
    ['# A `title`', '<h1 id="a-title">A <code>title</code></h1>'],
    ['``a`b` c`` `d`', '<p><code>a`b` c</code> <code>d</code></p>'],
    ['Two\nlines <b>', '<p>Two lines &#60;b&#62;</p>'],
    ['**Bold `x`** and *soft*.', '<p><b>Bold <code>x</code></b> and <em>soft</em>.</p>'],
    ['[`a`](http://x) [b](c.md)', '<p><a href="http://x"><code>a</code></a> b</p>'],
    ['- one\n  more\n- two', '<ul><li>one more</li><li>two</li></ul>'],
    ['1. one\n2. two', '<ol><li>one</li><li>two</li></ol>'],
    ['<!-- run -->\n```sh\na < b\n\n# c\n```\nend', '<pre><code>a &#60; b\n\n# c</code></pre>\n<p>end</p>'],
  ]
  for (const [text, markup] of table) assert.equal(shown(text), markup)
  const cells = shown('| A | B |\n| --- | --- |\n| `x | y` | z |')
  assert.match(cells, /<th scope="col">A<\/th><th scope="col">B<\/th>/)
  assert.match(cells, /<tr><td><code>x \| y<\/code><\/td><td>z<\/td><\/tr>/)
})

test('markdown: headings come with the text below them, and code has none', () => {
  assert.deepEqual(headingsOf('# A\none `two`\n```\n# no\n```\n## B c!\n[x](y)'), [
    { id: 'a', title: 'A', text: 'one two  # no ' },
    { id: 'b-c', title: 'B c!', text: 'x' },
  ])
})
