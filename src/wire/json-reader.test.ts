// JSON in blocks must give what JSON.parse gives, and refuse what it refuses, wherever it is cut.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { BadRequest, PayloadTooLarge } from '../errors.ts'
import { JsonReader, parsedInTurns } from '../kit/json-reader.ts'
import { setLimits } from '../limits.ts'
import { measure, parseJson } from './parse.ts'

/** The value of a text that arrives in blocks of so many bytes. */
function readIn(bytes: Buffer, size: number): unknown {
  const reader = new JsonReader()
  for (let at = 0; at < bytes.length; at += size) reader.write(bytes.subarray(at, at + size))
  return reader.end()
}

const outcome = async (work: () => unknown): Promise<unknown> => {
  try {
    return { value: await work() }
  } catch (error) {
    assert.ok(error instanceof SyntaxError)
    return 'refused'
  }
}
const bytesOf = (text: string) => Buffer.from(text)

test('any value, in slices of any size', async () => {
  const property = fc.asyncProperty(
    fc.jsonValue({ maxDepth: 6 }),
    fc.integer({ min: 1, max: 40 }),
    fc.boolean(),
    async (value, slice, wide) => {
      const text = JSON.stringify(value, undefined, wide ? 2 : undefined)
      assert.deepEqual(readIn(bytesOf(text), slice), JSON.parse(text))
    },
  )
  await fc.assert(property, { numRuns: 400 })
})

test('texts that are damaged in one place: the same verdict, the same value', async () => {
  const damage = fc.record({
    value: fc.jsonValue({ maxDepth: 4 }),
    at: fc.nat(),
    drop: fc.integer({ min: 0, max: 2 }),
    sign: fc.constantFrom(',', ']', '}', '[', '{', '"', ':', ' ', '\\', '1', ''),
    slice: fc.integer({ min: 1, max: 16 }),
  })
  const property = fc.asyncProperty(damage, async ({ value, at, drop, sign, slice }) => {
    const whole = JSON.stringify(value)
    const place = at % (whole.length + 1)
    const text = whole.slice(0, place) + sign + whole.slice(place + drop)
    assert.deepEqual(
      await outcome(() => readIn(bytesOf(text), slice)),
      await outcome(() => JSON.parse(text)),
      text,
    )
  })
  await fc.assert(property, { numRuns: 3000 })
})

test('keys given twice, __proto__, empty containers and white space alone', async () => {
  for (const text of [
    '{"a":1, "b":[1,2,3], "a":{"long":"xxxxxxxx"}}',
    '{"__proto__":{"a":1},"b":2}',
    '[      ]',
    '{        }',
    '[[],{},[ ]]',
    '       ',
    '[1,]',
    '[,1]',
    '{"a":1,}',
  ]) {
    assert.deepEqual(
      await outcome(() => readIn(bytesOf(text), 3)),
      await outcome(() => JSON.parse(text)),
      text,
    )
  }
})

test('long texts are cut in no character and in no escape', async () => {
  const piece = fc.constantFrom(
    'a',
    'é',
    '€',
    '😀',
    '\\\\',
    '\\"',
    '\\n',
    '\\u00e9',
    '\\ud83d\\ude00',
    '\\ud83d',
    '"',
    '\\',
    '\n',
  )
  const property = fc.asyncProperty(
    fc.array(piece, { maxLength: 60 }),
    fc.integer({ min: 1, max: 20 }),
    async (pieces, slice) => {
      const text = `["${pieces.join('')}"]`
      assert.deepEqual(
        await outcome(() => readIn(bytesOf(text), slice)),
        await outcome(() => JSON.parse(text)),
        text,
      )
    },
  )
  await fc.assert(property, { numRuns: 3000 })
})

test('numbers of every spelling, and what only looks like one', async () => {
  const sign = fc.constantFrom('0', '1', '9', '-', '+', '.', 'e', 'E', '00', '12345678901234567890')
  const property = fc.asyncProperty(
    fc.array(sign, { minLength: 1, maxLength: 6 }),
    fc.integer({ min: 1, max: 9 }),
    async (signs, size) => {
      for (const text of [signs.join(''), `[${signs.join('')}]`])
        assert.deepEqual(
          await outcome(() => readIn(bytesOf(text), size)),
          await outcome(() => JSON.parse(text)),
          text,
        )
    },
  )
  await fc.assert(property, { numRuns: 2000 })
  assert.throws(() => readIn(bytesOf(`[${'1'.repeat(5_000_000)}]`), 65536), BadRequest)
})

test('bytes that are not UTF-8 are refused in any text, wherever they are cut', () => {
  for (const wrong of [[0xff], [0xc3], [0xe2, 0x82], [0x80], [0xed, 0xa0, 0x80], [0xf0, 0x9f, 0x98]])
    for (let size = 1; size < 6; size++)
      assert.throws(
        () => readIn(Buffer.concat([bytesOf('["aé'), Buffer.from(wrong), bytesOf('b"]')]), size),
        BadRequest,
      )
})

test('what is there so far can be seen before the end', () => {
  const reader = new JsonReader()
  reader.write(bytesOf('{"params":{"service":"object","args":["db",2,"secret",["x'))
  assert.deepEqual(reader.partial, { params: { service: 'object', args: ['db', 2, 'secret', []] } })
})

test('values are counted while they are read, and before they are parsed at once', (t) => {
  t.after(() => setLimits())
  const property = fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
    const bytes = bytesOf(JSON.stringify(value))
    const reader = new JsonReader()
    reader.write(bytes)
    reader.end()
    assert.deepEqual(measure(bytes).values, reader.values)
  })
  fc.assert(property, { numRuns: 300 })
  setLimits({ values: 1000 })
  for (const item of ['{}', '[]', '1', '""', '{"a":1}', 'null']) {
    const bytes = bytesOf(`[${`${item},`.repeat(1200)}1]`)
    assert.throws(() => readIn(bytes, 100), PayloadTooLarge, item)
    assert.throws(() => parseJson(bytes), PayloadTooLarge, item)
  }
  assert.ok(parseJson(bytesOf(`[${'1,'.repeat(998)}1]`)))
})

test('members of one object are counted, wherever it stands; items of lists are none', (t) => {
  t.after(() => setLimits())
  setLimits({ members: 5 })
  const object = (count: number) =>
    `{${Array.from({ length: count }, (_, at) => `"${at}":{"a":[1,2],"b":{}}`)}}`
  const around = (text: string) => bytesOf(`[{"x":[[],${text},"${' '.repeat(1000)}"]},[${'1,'.repeat(9)}1]]`)
  for (const text of [object(5), `[${object(3)},${object(3)}]`, '[{},{},{},{},{},{}]']) {
    assert.ok(readIn(around(text), 7))
    assert.ok(parseJson(around(text)))
  }
  for (const text of [object(6), `{"y":${object(6)}}`, `{${'"same":1,'.repeat(5)}"same":1}`]) {
    assert.throws(() => readIn(around(text), 7), /limit "members"/)
    assert.throws(() => parseJson(around(text)), /limit "members"/)
  }
})

test('the JSON reader bounds levels of nesting', (t) => {
  t.after(() => setLimits())
  setLimits({ depth: 10 })
  const nested = (levels: number) => bytesOf(`${'['.repeat(levels)}${' '.repeat(50)}${']'.repeat(levels)}`)
  assert.ok(readIn(nested(10), 3))
  assert.ok(parseJson(nested(10)))
  assert.throws(() => readIn(nested(11), 3), BadRequest)
  assert.throws(() => parseJson(nested(11)), BadRequest)
})

test('others have their turn while a long body is read', async () => {
  const text = JSON.stringify(Array.from({ length: 60_000 }, (_, n) => ({ name: `Line ${n}`, quantity: n })))
  let turns = 0
  const count = () => {
    turns++
    next = setImmediate(count)
  }
  let next = setImmediate(count)
  const parsed = await parseJson(bytesOf(text))
  clearImmediate(next)
  assert.equal((parsed as unknown[]).length, 60_000)
  assert.ok(turns > text.length / (128 * 1024), `${turns} turns`)
})

test('a long text is read in turns as JSON.parse reads it, also a little beyond the limits of bodies', async () => {
  const rows = Array.from({ length: 9000 }, (_, n) => ({ id: n, name: `Mäher ${n}`, tags: [n, null, true] }))
  assert.deepEqual(await parsedInTurns(JSON.stringify(rows)), rows)
  setLimits({ values: 100 })
  try {
    assert.deepEqual(await parsedInTurns(JSON.stringify(rows)), rows)
  } finally {
    setLimits()
  }
})

test('long texts are what JSON.parse makes of them, wherever something stands in them and blocks end', () => {
  for (const length of [4095, 4096, 4097, 9000])
    for (const odd of ['', '\\n', '\\u00e9', 'é', '€', '\\"', '\u0001', '\\x'])
      for (const at of [0, 4000, 4094, 4096, 8990])
        for (const block of [4096, 5000, 70_000]) {
          const text = `${'x'.repeat(Math.min(at, length))}${odd}${'y'.repeat(Math.max(0, length - at))}`
          const json = Buffer.from(`{"a":"${text}","b":["${text}"]}`)
          const read = () => {
            const reader = new JsonReader()
            for (let from = 0; from < json.length; from += block)
              reader.write(json.subarray(from, from + block))
            return reader.end()
          }
          if (odd === '\u0001' || odd === '\\x') assert.throws(read, SyntaxError)
          else assert.deepEqual(read(), JSON.parse(json.toString()))
        }
})
