// XML in parts: the same verdict and the same content as a library that reads documents whole, wherever they
// are cut; and nothing of it grows.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { SaxesParser } from 'saxes'
import { BadRequest } from '../../errors.ts'
import { type Listener, Markup } from './markup.ts'

/** Records the content of a document: tags, and texts between them. */
class Notes implements Listener {
  readonly said: string[] = []
  asides = 0
  open(name: string): void {
    this.said.push(`<${name}`)
  }
  close(): void {
    this.said.push('>')
  }
  text(part: string): void {
    const last = this.said.at(-1)
    if (last?.startsWith('"')) this.said[this.said.length - 1] = last + part
    else if (part !== '') this.said.push(`"${part}`)
  }
  aside(): void {
    this.asides++
  }
}

function read(parts: readonly string[]): Notes {
  const notes = new Notes()
  const markup = new Markup(notes)
  for (const part of parts) markup.write(part)
  markup.end()
  return notes
}

/** The same by the library; null where it refuses. */
function reference(document: string): readonly string[] | null {
  const notes = new Notes()
  const parser = new SaxesParser()
  let isWhole = true
  parser.on('error', () => {
    isWhole = false
  })
  parser.on('doctype', () => {
    isWhole = false
  })
  parser.on('opentag', ({ name }) => notes.open(name))
  parser.on('closetag', () => notes.close())
  const text = (part: string) => {
    if (notes.said.some((note) => note.startsWith('<'))) notes.text(part)
  }
  parser.on('text', text)
  parser.on('cdata', text)
  parser.write(document).close()
  // Whitespace after the root element is not content.
  while (notes.said.at(-1)?.startsWith('"')) notes.said.pop()
  return isWhole ? notes.said : null
}

function ours(parts: readonly string[]): readonly string[] | null {
  try {
    return read(parts).said
  } catch (error) {
    assert.ok(error instanceof BadRequest)
    return null
  }
}

const pieces = [
  '<a>',
  '</a>',
  '<b >',
  '</b\n>',
  '<c/>',
  '<d e="f" g = \'h&amp;\'>',
  '<d e="" e="">',
  '</d>',
  'text',
  ' ',
  '\r\n',
  '\r',
  '\n',
  ']',
  ']]',
  ']]>',
]
const rare = [
  '&amp;',
  '&#233;',
  '&#x1D11E;',
  '&#0;',
  '&#xD800;',
  '&none;',
  '&',
  ';',
  '<!-- c -->',
  '<!-- a -- b -->',
  '<!--',
  '-->',
  '--',
  '<!',
  '<',
]
const odd = [
  '<![CDATA[',
  '<![CDATA[<x>&amp;]]>',
  '<?pi some?>',
  '<?xml version="1.0"?>',
  '<?',
  '?>',
  '<!DOCTYPE a>',
  '\u0001',
  '\ufffe',
  '𝄞',
  'é',
  '>',
  '/',
]
const piece = fc.constantFrom(...pieces, ...pieces, ...rare, ...odd)

test('any document gets the verdict and the content of the library, wherever it is cut', () => {
  let accepted = 0
  const body = fc.array(piece, { maxLength: 12 }).map((list) => list.join(''))
  const document = fc.oneof(
    body,
    body.map((inside) => `<a>${inside}</a>`),
    fc.tuple(body, body).map(([before, inside]) => `${before}<a><b>${inside}</b></a>`),
  )
  const property = fc.property(document, fc.array(fc.nat(), { maxLength: 6 }), (text, places) => {
    const cuts = [...new Set(places.map((place) => place % (text.length + 1)))].sort((x, y) => x - y)
    const parts = [0, ...cuts].map((from, n) => text.slice(from, cuts[n] ?? text.length))
    const expected = reference(text)
    if (expected) accepted++
    assert.deepEqual(ours(parts), expected, JSON.stringify(parts))
  })
  fc.assert(property, { numRuns: 6000, examples: [['<a><?𝄞?></a>', [6]]] })
  assert.ok(accepted > 300, `${accepted} documents were accepted`)
})

test('what never ends is refused, or kept nowhere: comments, instructions, tags, attributes, references', () => {
  const long = 'x'.repeat(64 * 1024)
  for (const begin of ['<a b="', '<', '</', '<a ', '<!DOCTYPE ', '&'] as const) {
    const markup = new Markup(new Notes())
    markup.write('<root>')
    assert.throws(
      () => {
        for (let part = 0; part < 3; part++) markup.write(part === 0 ? `${begin}${long}` : long)
      },
      BadRequest,
      begin,
    )
  }
  for (const [begin, end] of [
    ['<!--', '-->'],
    ['<?pi ', '?>'],
  ] as const) {
    const notes = new Notes()
    const markup = new Markup(notes)
    markup.write(`<root>${begin}`)
    for (let part = 0; part < 200; part++) markup.write(long)
    markup.write(`${end}</root>`)
    markup.end()
    assert.deepEqual(notes.said, ['<root', '>'])
    assert.equal(notes.asides, 1)
  }
})

test('a text of references alone arrives in few pieces', () => {
  const parts: string[] = []
  const markup = new Markup({
    open: () => undefined,
    close: () => undefined,
    aside: () => undefined,
    text: (part) => parts.push(part),
  })
  markup.write(`<a>${'&#65;\r\n&lt;'.repeat(100_000)}</a>`)
  assert.equal(parts.length, 1)
  assert.equal(parts[0], 'A\n<'.repeat(100_000))
})
